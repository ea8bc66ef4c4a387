// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation
import GATT
import HCI
import HCITransport
import Logging
import Synchronization

/// Turns the host's events into objects and delegate calls, on the manager's queue.
extension CBCentralManager {
    func handle(_ batch: HostEventBatch) {
        var (value, advertisement) = (0, 0)
        for other in batch.others {
            deliver(values: value..<other.values, of: batch)
            deliver(advertisements: advertisement..<other.advertisements, of: batch)
            (value, advertisement) = (other.values, other.advertisements)
            handle(other.event)
        }
        deliver(values: value..<batch.values.count, of: batch)
        deliver(advertisements: advertisement..<batch.advertisements.count, of: batch)
    }

    // MARK: Frequent events

    /// Delivers values without an event between them: the lookup of one value is valid for the next value.
    private func deliver(values range: Range<Int>, of batch: HostEventBatch) {
        guard !range.isEmpty else { return }
        var lookup = ValueLookup()
        // The lookup keeps objects alive that are in use without a reference count.
        defer { withExtendedLifetime(lookup) {} }
        batch.octets.withUnsafeBytes { octets in
            for value in batch.values[range] {
                let data = Data(UnsafeRawBufferPointer(rebasing: octets[value.octets]))
                deliver(data, of: value.handle, on: value.link, value.indication, &lookup)
            }
        }
    }

    private func deliver(advertisements range: Range<Int>, of batch: HostEventBatch) {
        guard !range.isEmpty else { return }
        let delegate = delegate
        // The host counts from when the machine was started, delegates from 2001.
        let epoch = Date().timeIntervalSinceReferenceDate - Double(MonotonicClock.now.nanoseconds) / 1e9
        let octets = batch.octets.span.bytes
        for advertisement in batch.advertisements[range] {
            deliver(advertisement, octets.extracting(advertisement.octets), epoch: epoch, to: delegate)
        }
    }

    /// The result of a value's delivery.
    private enum Outcome {
        case told, confirmedByDelegate, unclaimed
    }

    private func deliver(
        _ value: Data, of handle: UInt16, on link: LinkID, _ indication: IndicationNumber?, _ lookup: inout ValueLookup
    ) {
        var outcome = Outcome.unclaimed
        if let found = find(link, handle, &lookup) {
            outcome = found { tell(value, on: link, indication, to: $0, $1) }
        }
        if outcome == .unclaimed { controller.host.countUnclaimedValue() }
        // The peer waits for the confirmation even without a subscriber.
        if let indication, outcome != .confirmedByDelegate {
            withMachine { machine, client, now in machine.confirm(link, indication, for: client, at: now) }
        }
    }

    private func tell(
        _ value: Data, on link: LinkID, _ indication: IndicationNumber?, to peripheral: CBPeripheral,
        _ characteristic: CBCharacteristic
    ) -> Outcome {
        guard characteristic.receive(value) else { return .unclaimed }
        let delegate = peripheral.delegate
        if let indication, let client, let delegate = delegate as? any CBIndicationDelegate {
            let indication = CBIndication(
                value: value, link: link, number: indication, client: client, controller: controller)
            delegate.peripheral(peripheral, didReceive: indication, for: characteristic)
            return .confirmedByDelegate
        }
        delegate?.peripheral(peripheral, didUpdateValueFor: characteristic, error: nil)
        return .told
    }

    private func find(
        _ link: LinkID, _ handle: UInt16, _ lookup: inout ValueLookup
    ) -> ValueLookup.Found? {
        if let found = lookup.find(link, handle) { return found }
        guard let peripheral = peripheral(on: link) else { return nil }
        let (box, owesNotice) = peripheral.changing.withLock { state in
            (UncheckedReference(value: state.characteristics[handle]), state.owesNotice)
        }
        guard let characteristic = box.value else { return nil }
        if owesNotice {
            peripheral.notice(
                .notification, "a peripheral notifies", ["characteristic": "\(characteristic.uuid)"],
                to: controller.logger)
        }
        return lookup.record(peripheral, characteristic, link, handle)
    }

    private func peripheral(on link: LinkID) -> CBPeripheral? {
        changing.withLock { state in state.links[link].flatMap { state.peripherals.existing($0) } }
    }

    private func deliver(
        _ advertisement: HeardAdvertisement, _ octets: RawSpan, epoch: Double,
        to delegate: (any CBCentralManagerDelegate)?
    ) {
        guard let client, advertisement.clients.contains(ClientSet(client)) else { return }
        let directory = controller.host.directory
        var isNew = false
        let (found, isScanning, keepsDiscovered) = changing.withLock { state in
            let found = state.peripherals.update(
                advertisement.address, octets, responseAt: advertisement.responseAt,
                isConnectable: advertisement.isConnectable, facts: advertisement.facts,
                timestamp: epoch + Double(advertisement.seenAt.nanoseconds) / 1e9
            ) {
                isNew = true
                return makePeripheral(at: advertisement.address, directory.identifier(for: advertisement.address))
            }
            if state.keepsOctets {
                state.heardOctets = AdvertisedOctets(octets, responseAt: advertisement.responseAt)
            }
            return (UncheckedReference(value: found), state.isScanning, state.keepsDiscovered)
        }
        guard isScanning else { return }
        let (peripheral, values, newName) = found.value
        if keepsDiscovered, isNew || newName != nil { directory.recordTold(advertisement.address, name: newName) }
        if let newName {
            peripheral.changing.withLock { state in if !state.isNameFromGAP { state.name = newName } }
        }
        delegate?.centralManager(
            self, didDiscover: peripheral, advertisementData: values, rssi: SignalStrength.number(advertisement.rssi))
    }

    // MARK: Rare events

    private func handle(_ event: HostEvent) {
        switch event {
        case .stateChanged(let state, _): changed(to: CBManagerState(state))
        case .connected(let link, let address, let clients):
            if concerns(clients) { connected(link, address) }
        case .connectionFailed(let address, let clients, let status):
            if concerns(clients) { failedToConnect(address, CBError(connection: status)) }
        case .disconnected(let link, let address, let clients, let end):
            if concerns(clients) { disconnected(link, address, end) }
        case .identityLearned(let old, let identity):
            changing.withLock { state in
                state.peripherals.move(old, to: identity)
                for (link, address) in state.links where address == old { state.links[link] = identity }
            }
        case .presence(let address, let isConnected, let services):
            tell(isConnected ? .peerConnected : .peerDisconnected, address, services)
        case .mtuExchanged(let link, let mtu):
            peripheral(on: link)?.changing.withLock { $0.mtu = mtu }
        case .servicesChanged(let link, let start, let end):
            if let peripheral = peripheral(on: link) { servicesChanged(on: peripheral, start, end) }
        case .completed(let id, let result):
            if id.client == client { handle(id, result.mapError(\.asError)) }
        case .rssi(let id, let result):
            if id.client == client { handle(rssi: id, result) }
        case .writeCommandSent(let link, let sender):
            if sender == client { writeCommandSent(link) }
        case .channel(let event): handle(event)
        // The disconnection reports failed encryption; the other events are for peripheral managers.
        case .value, .advertisement, .parametersAnswered, .encryptionChanged, .encryptionFailed, .pairing,
            .advertisingStarted, .advertisingFailed, .advertisingEnded, .linkUp, .linkDown, .server:
            break
        }
    }

    private func concerns(_ clients: ClientSet) -> Bool {
        guard let client else { return false }
        return clients.contains(ClientSet(client))
    }

    func changed(to new: CBManagerState) {
        let (isChange, wasScanning) = changing.withLock { state in
            guard state.state.isChanged(by: new) else { return (false, false) }
            defer {
                if new != .poweredOn { (state.isScanning, state.scan) = (false, nil) }
                state.state = new
            }
            return (true, state.isScanning)
        }
        guard isChange else { return }
        if wasScanning, new != .poweredOn {
            withMachine { machine, client, now in machine.setScan(nil, for: client, at: now) }
        }
        if new == .poweredOn {
            restore()
            reconnect()
        }
        delegate?.centralManagerDidUpdateState(self)
        decidePower()
    }

    /// Peripherals with automatic reconnection whose controller was lost.
    private func reconnect() {
        let wanted = changing.withLock { UncheckedReference(value: $0.peripherals.wanted) }.value
        for peripheral in wanted
        where peripheral.changing.withLock({ $0.reconnects && $0.state == .connecting && $0.delayedWish == nil }) {
            let address = peripheral.peerAddress
            withMachine { machine, client, now in machine.connect(address, for: client, at: now) }
        }
    }

    private func connected(_ link: LinkID, _ address: DeviceAddress) {
        guard let peripheral = changing.withLock({ $0.peripherals.existing(address) }) else {
            letGo(of: address)
            return
        }
        let defersName = changing.withLock { state in
            state.links[link] = address
            return state.defersOwnRequests
        }
        let concerned = peripheral.changing.withLock { state in
            state.state = .connected
            state.link = link
            state.writeCommands.linkOpened()
            return state.observers.receive(.connected)
        }
        if !defersName { askForName(of: peripheral) }
        resubscribe(peripheral)
        peripheral.notice(.connection, "a peripheral has connected", to: controller.logger)
        delegate?.centralManager(self, didConnect: peripheral)
        peripheral.tell(concerned)
    }

    func failedToConnect(_ address: DeviceAddress, _ error: CBError) {
        guard let peripheral = changing.withLock({ $0.peripherals.existing(address) }) else { return }
        let concerned = peripheral.changing.withLock { state in
            state.state = .disconnected
            state.isWantedByApplication = false
            state.forgetServices(error)
            return state.observers.receive(.failed(error))
        }
        releaseHeld(of: peripheral)
        preserve()
        delegate?.centralManager(self, didFailToConnect: peripheral, error: error)
        peripheral.tell(concerned)
    }

    func disconnected(_ link: LinkID?, _ address: DeviceAddress, _ end: LinkEnd) {
        let reason = end.reason
        let found = changing.withLock { state in
            if let link { state.links.removeValue(forKey: link) }
            return state.peripherals.existing(address)
        }
        guard let peripheral = found else { return }
        // The event may be about an earlier link of this peripheral, whose object is gone; the present object may have
        // a link of its own.
        guard link == nil || peripheral.changing.withLock({ $0.link }) == link else { return }
        let outstanding = end.outstanding?.text { handle in
            peripheral.changing.withLock { $0.characteristics[handle]?.uuid.uuidString }
        }
        let error = CBError(disconnection: reason, during: outstanding)
        let subscriptions = peripheral.presentSubscriptions
        let (reconnects, concerned) = peripheral.changing.withLock { state in
            let reconnects = state.reconnects && reason != .localHostTerminated
            if reconnects { state.subscriptions += subscriptions.filter { !state.subscriptions.contains($0) } }
            // Wanted again while the last connection was still ending: the wish stands.
            let isWantedAgain = link != nil && state.link == link && state.state == .connecting
            state.state = reconnects || isWantedAgain ? .connecting : .disconnected
            state.link = nil
            state.forgetServices(error)
            state.mtu = GATTClientMachine.defaultMTU
            state.writeCommands.linkClosed()
            state.watchesServices = false
            if state.state == .disconnected { state.isWantedByApplication = false }
            let update = CBPeripheral.ConnectionUpdate.disconnected(error, isReconnecting: reconnects)
            return (reconnects, state.observers.receive(update, isWishOnly: link == nil))
        }
        releaseHeld(of: peripheral)
        if link != nil {
            peripheral.notice(
                .disconnection, "a peripheral has disconnected",
                ["reason": "\(LinkEndReason(rawValue: reason.rawValue))"], to: controller.logger)
        }
        // Without a controller the connection attempt waits for the next controller.
        if reconnects, reason != .hardwareFailure {
            withMachine { machine, client, now in machine.connect(address, for: client, at: now) }
        }
        // After a loss of the controller the last snapshot stays: a crash restores from it.
        if reason != .hardwareFailure { preserve() }
        delegate?.centralManager(
            self, didDisconnectPeripheral: peripheral, timestamp: Date().timeIntervalSinceReferenceDate,
            isReconnecting: reconnects, error: error)
        peripheral.tell(concerned)
    }

    private func tell(_ event: CBConnectionEvent, _ address: DeviceAddress, _ services: Set<BluetoothUUID>) {
        guard let filter = changing.withLock({ $0.connectionEvents }) else { return }
        let peripheral = peripheral(at: address)
        guard filter.matches(peripheral.identifier, services) else { return }
        delegate?.centralManager(self, connectionEventDidOccur: event, for: peripheral)
    }

    private func writeCommandSent(_ link: LinkID) {
        guard let peripheral = peripheral(on: link) else { return }
        let isReady = peripheral.writeCommandSent(on: link, by: self)
        if isReady { peripheral.delegate?.peripheralIsReady(toSendWriteWithoutResponse: peripheral) }
    }
}
