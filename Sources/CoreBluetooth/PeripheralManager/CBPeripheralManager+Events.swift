// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation
import HCI
import Logging
import Synchronization

/// Turns the host's events into objects and delegate calls, on the manager's queue.
extension CBPeripheralManager {
    func handle(_ batch: HostEventBatch) {
        for other in batch.others { handle(other.event) }
    }

    private func handle(_ event: HostEvent) {
        switch event {
        case .stateChanged(let state, _): changed(to: CBManagerState(state))
        case .linkUp(let link, let address, _): linkUp(link, address)
        case .linkDown(let link, _): linkDown(link)
        case .identityLearned(let old, let identity):
            changing.withLock { state in
                for central in state.centrals.values where central.peerAddress == old { central.move(to: identity) }
            }
        case .mtuExchanged(let link, let mtu):
            let central = changing.withLock { UncheckedReference(value: $0.centrals[link]) }.value
            central?.changing.withLock { $0.mtu = mtu }
        case .server(let owner, let event):
            if owner == client { handle(event) }
        case .channel(let event): handle(event)
        case .advertisingStarted(let owner):
            if owner == client { advertisingStarted(nil) }
        case .advertisingFailed(let owner, let status):
            if owner == client { advertisingStarted(CBError(advertising: status)) }
        case .advertisingEnded(let owner):
            if owner == client { advertisingEnded() }
        default: break
        }
    }

    private func handle(_ event: ServerEvent) {
        switch event {
        case .read(let request, let handle, let offset): read(request, handle, offset: offset)
        case .write(let link, let request, let items): write(request, link, items)
        case .subscription(let link, let handle, let isOn): subscription(link, handle, isOn: isOn)
        case .updateFinished(let link): updateFinished(link)
        case .requestUnanswered(let handle): requestUnanswered(handle)
        }
    }

    func changed(to new: CBManagerState) {
        let isChange = changing.withLock { state in
            guard state.state.isChanged(by: new) else { return false }
            state.state = new
            return true
        }
        guard isChange else { return }
        if new != .poweredOn { advertisingEnded() }
        // The loss of the controller has ended all publications in progress: services are added again from here on.
        clearServices()
        if new == .poweredOn {
            withMachine { machine, client, now in machine.unpublishAll(for: client, at: now) }
            restore()
        }
        delegate?.peripheralManagerDidUpdateState(self)
    }

    private func linkUp(_ link: LinkID, _ address: DeviceAddress) {
        let identifier = controller.host.directory.identifier(for: address)
        let returned = changing.withLock { state -> UncheckedReference<CBCentral>? in
            let known = state.absent.firstIndex { $0.identifier == identifier }
            let central =
                known.map { state.absent.remove(at: $0) } ?? CBCentral(address: address, identifier: identifier)
            central.changing.withLock { $0.link = link }
            state.centrals[link] = central
            return known == nil ? nil : UncheckedReference(value: central)
        }
        if let returned { self.returned(returned.value, on: link) }
    }

    private func linkDown(_ link: LinkID) {
        let gone = changing.withLock { UncheckedReference(value: $0.centrals.removeValue(forKey: link)) }
        guard let central = gone.value else { return }
        central.changing.withLock { $0 = CBCentral.State() }
        unsubscribe(central) { _ in true }
        preserve()
        reportReady()
    }

    private func requestUnanswered(_ handle: UInt16) {
        let characteristic = changing.withLock { UncheckedReference(value: $0.characteristics[handle]) }.value
        controller.logger.error(
            "a request was not answered in time, and its connection is ended: call respond(to:withResult:) once for each",
            metadata: ["characteristic": "\(characteristic?.uuid.uuidString ?? "gone")"])
    }
}
