// SPDX-License-Identifier: Apache-2.0

import Collector
import Configuration
import CoreBluetooth
import Dispatch
import Foundation
import Gateway
import Logging
import Synchronization

/// Publishes and advertises the service. The service always exists; the window decides whether it is advertised, and
/// whether phones may pair.
extension ProvisioningService: CBPeripheralManagerDelegate {
    struct Advertising {
        /// The name on the air; nil without an advertisement.
        var name: String?
        /// Number of the newest request to advertise. Earlier requests with later results do not count.
        var number = 0
    }

    package func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        sender.unsubscribeAll()
        state.withLock { state in
            state.isPublished = false
            state.advertising.name = nil
            state.phones.removeAll()
            state.seen = SeenLines()
        }
        if peripheral.state == .poweredOn { peripheral.add(table.service) }
    }

    package func peripheralManager(
        _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
    ) {
        if let error {
            logger.error("the configuration service is not published", metadata: ["error": "\(error)"])
            return
        }
        state.withLock { $0.isPublished = true }
        refreshAdvertising()
    }

    package func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        guard let error else { return logger.info("phones find the configuration service") }
        logger.warning("phones do not find the configuration service", metadata: ["error": "\(error)"])
        state.withLock { $0.advertising.name = nil }
        queue.asyncAfter(deadline: .now() + 10) { [weak self] in self?.refreshAdvertising() }
    }

    func changed(to window: WindowState) {
        let isOther = state.withLock { state in
            defer { state.window = window }
            return state.window.isOpen != window.isOpen
        }
        if isOther {
            logger.info(
                "pairing window",
                metadata: ["open": "\(window.isOpen)", "opener": "\(window.opener?.rawValue ?? "")"])
        }
        refreshAdvertising()
        sendStatusSoon()
    }

    /// Starts or stops advertising, as the window, the bonds and the name now require.
    func refreshAdvertising() {
        let number = state.withLock { state in
            state.advertising.number += 1
            return state.advertising.number
        }
        work { service in
            let isOpen = service.state.withLock { $0.window.isOpen }
            let isWanted = isOpen ? true : await service.knowsPhones()
            let name = await service.settings().name
            service.queue.async { service.advertise(isWanted ? name : nil, number) }
        }
    }

    /// A device other than a sensor has a bond that is strong enough for an owner, and known phones are admitted.
    private func knowsPhones() async -> Bool {
        guard configuration.admitsKnownPhones else { return false }
        return await parts.operations.bonds().bonds.contains {
            $0.central && $0.authenticated && $0.secureConnections
        }
    }

    private func advertise(_ name: String?, _ number: Int) {
        let manager = state.withLock { state -> CBPeripheralManager? in
            guard state.isPublished, state.advertising.number == number, state.advertising.name != name else {
                return nil
            }
            state.advertising.name = name
            return state.manager
        }
        guard let manager else { return }
        manager.stopAdvertising()
        guard let name else { return logger.info("phones do not find the configuration service any more") }
        manager.startAdvertising([
            CBAdvertisementDataServiceUUIDsKey: [table.service.uuid], CBAdvertisementDataLocalNameKey: name,
        ])
    }
}
