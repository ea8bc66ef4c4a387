// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Dispatch
import Foundation
import Synchronization

/// For the gateway: each advertisement of some devices as received, octet for octet, independent of the scans of
/// managers. A manager's scan gathers a device's advertisements over time, and reports each device once.
package final class AdvertisementListener: Sendable {
    /// An advertisement, followed by the device's scan response if there was a response.
    package struct Heard: Sendable {
        package let address: DeviceAddress
        /// Advertising data and, behind it, scan response data (Core 5.4, Vol 3, Part C, 11).
        package let octets: ArraySlice<UInt8>
        /// The number of octets of advertising data.
        package let responseAt: Int
        /// dBm, −127…20; nil if the controller could not measure the signal.
        package let rssi: Int8?
    }

    private let host: BluetoothHost
    private let client: ClientID
    private let demand = Mutex<ScanDemand?>(nil)

    /// Listens to no device yet. Nil when the host already has its greatest number of clients.
    ///
    /// - Parameter handler: called on `queue` with the advertisements of one wake-up of the radio, in the order of
    ///   reception.
    package init?(
        controller: CBController, queue: DispatchQueue, handler: @escaping @Sendable ([Heard]) -> Void
    ) {
        host = controller.host
        guard let client = host.makeClient() else { return nil }
        self.client = client
        let member = ClientSet(client)
        host.perform { [weak self] host in
            guard let self else { return }
            host.addClient(client) { [weak self, host = host as BluetoothHost] batch in
                let isReady = batch.tellsReady
                if isReady { self?.apply() }
                let heard = batch.advertisements.compactMap { advertisement -> Heard? in
                    guard advertisement.clients.contains(member) else { return nil }
                    return Heard(
                        address: advertisement.address, octets: batch.octets[advertisement.octets],
                        responseAt: advertisement.responseAt, rssi: advertisement.rssi == 127 ? nil : advertisement.rssi
                    )
                }
                queue.async {
                    if !heard.isEmpty { handler(heard) }
                    host.handled(by: client)
                }
            }
        }
    }

    deinit { host.perform { [client] in $0.removeClient(client) } }

    /// Listens to these devices from now on, with public or random addresses. With an empty set, the radio does not listen.
    ///
    /// - Parameter isPassive: sends no scan requests, which would cost the devices' batteries.
    package func listen(to addresses: Set<UInt64>, isPassive: Bool) {
        let wanted =
            addresses.isEmpty
            ? nil
            : ScanDemand(services: nil, addresses: addresses, allowsDuplicates: true, isPassive: isPassive)
        let isNew = demand.withLock { demand in
            defer { demand = wanted }
            return demand != wanted
        }
        if isNew { apply() }
    }

    private func apply() {
        host.perform { [weak self] host in
            guard let self else { return }
            let wanted = demand.withLock { $0 }
            host.withMachine { machine, now in machine.setScan(wanted, for: self.client, at: now) }
        }
    }
}

extension CBController {
    /// The identifier of a device in managers: stable for an identity address.
    package func identifier(of address: DeviceAddress) -> UUID { host.directory.identifier(for: address) }
}
