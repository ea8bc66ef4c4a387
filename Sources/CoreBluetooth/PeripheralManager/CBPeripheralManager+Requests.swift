// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import BluetoothHost
import Foundation
import GATT
import Logging
import Synchronization

/// Requests of centrals, and the answers.
extension CBPeripheralManager {
    func answer(_ request: CBATTRequest, with result: CBATTError.Code) {
        // A write without response has no answer.
        guard let transaction = request.transaction else { return }
        guard transaction.claim() else {
            controller.logger.error(
                "a request was answered a second time; the second answer is ignored",
                metadata: ["characteristic": "\(request.characteristic.uuid)"])
            return
        }
        let error = result == .success ? nil : ATTErrorCode(rawValue: UInt8(clamping: result.rawValue))
        if transaction.isRead {
            let value = Array(request.value ?? Data())
            withMachine { machine, _, now in
                machine.answer(read: transaction.id, error.map { .failure($0) } ?? .success(value), at: now)
            }
        } else {
            withMachine { machine, _, now in machine.answer(write: transaction.id, error, at: now) }
        }
    }

    func send(
        _ value: Data, for characteristic: CBMutableCharacteristic, to centrals: [CBCentral]?
    ) -> Bool {
        let subscribed = characteristic.subscribedCentrals ?? []
        let named = centrals.map { named in subscribed.filter { one in named.contains { $0 === one } } } ?? subscribed
        // Restored subscribers may not be back yet.
        let targets = named.filter(\.isConnected)
        guard !targets.isEmpty else {
            guard !named.isEmpty else { return true }
            changing.withLock { $0.owesReady = true }
            return false
        }
        let handle = changing.withLock { state in state.characteristics.first { $0.value === characteristic }?.key }
        guard let handle else { return true }
        var taken: [CBCentral] = []
        for central in targets {
            guard central.takePlace() else {
                for central in taken { central.givePlaceBack() }
                changing.withLock { $0.owesReady = true }
                return false
            }
            taken.append(central)
        }
        let links = targets.compactMap { $0.changing.withLock { $0.link } }
        let octets = Array(value.prefix(Attribute.maximumLength))
        withMachine { machine, client, now in machine.update(handle, octets, on: links, for: client, at: now) }
        return true
    }

    // MARK: From the host

    func read(_ id: ServerRequest, _ handle: UInt16, offset: Int) {
        // Without a delegate the central gets an error at once.
        guard let (central, characteristic) = find(id.link, handle), let delegate else {
            withMachine { machine, _, now in machine.answer(read: id, .failure(.unlikelyError), at: now) }
            return
        }
        let request = CBATTRequest(
            central: central, characteristic: characteristic, offset: offset, value: nil,
            transaction: CBATTRequest.Transaction(id, isRead: true))
        delegate.peripheralManager(self, didReceiveRead: request)
    }

    func write(_ id: ServerRequest?, _ link: LinkID, _ items: [WriteItem]) {
        let transaction = id.map { CBATTRequest.Transaction($0, isRead: false) }
        let requests = items.compactMap { item -> CBATTRequest? in
            guard let (central, characteristic) = find(link, item.handle) else { return nil }
            return CBATTRequest(
                central: central, characteristic: characteristic, offset: item.offset, value: Data(item.value),
                transaction: transaction)
        }
        guard requests.count == items.count, !requests.isEmpty, let delegate else {
            // The service, or the delegate, went while the request was on its way.
            if let id { withMachine { machine, _, now in machine.answer(write: id, .unlikelyError, at: now) } }
            return
        }
        delegate.peripheralManager(self, didReceiveWrite: requests)
    }

    private func find(
        _ link: LinkID, _ handle: UInt16
    ) -> (central: CBCentral, characteristic: CBMutableCharacteristic)? {
        let (central, characteristic) = changing.withLock { state in
            (UncheckedReference(value: state.centrals[link]), UncheckedReference(value: state.characteristics[handle]))
        }
        guard let central = central.value, let characteristic = characteristic.value else { return nil }
        return (central, characteristic)
    }

    func subscription(_ link: LinkID, _ handle: UInt16, isOn: Bool) {
        guard let (central, characteristic) = find(link, handle) else { return }
        guard characteristic.setSubscribed(isOn, central) else { return }
        // Restoration finds a central by its identifier.
        if store != nil { controller.host.directory.keep(central.peerAddress) }
        preserve()
        if isOn {
            delegate?.peripheralManager(self, central: central, didSubscribeTo: characteristic)
            reportReady()
        } else {
            delegate?.peripheralManager(self, central: central, didUnsubscribeFrom: characteristic)
        }
    }

    /// One of our updates was sent, or dropped.
    func updateFinished(_ link: LinkID) {
        let central = changing.withLock { UncheckedReference(value: $0.centrals[link]) }.value
        central?.givePlaceBack()
        reportReady()
    }

    func reportReady() {
        let isOwed = changing.withLock { state in
            guard state.owesReady, state.centrals.values.allSatisfy(\.hasRoom) else { return false }
            state.owesReady = false
            return true
        }
        if isOwed { delegate?.peripheralManagerIsReady(toUpdateSubscribers: self) }
    }
}
