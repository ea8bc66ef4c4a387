// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Health
import Platform

/// A gateway that advertises its configuration service.
package struct FoundGateway: Sendable {
    package let peripheral: CBPeripheral
    /// The address on the air; the identity address once this machine has a bond with the gateway.
    package var address: String
    package var name: String?
    /// dBm.
    package var rssi: Int?

    /// `text` is the gateway's name or address, in any capitalization.
    package func isCalled(_ text: String) -> Bool {
        address.caseInsensitiveCompare(text) == .orderedSame
            || name?.caseInsensitiveCompare(text) == .orderedSame
    }
}

/// Looks for gateways.
package struct GatewayFinder: Sendable {
    /// The limit for a crowded air: more gateways than one person sets up.
    private static let limit = 64
    /// How long to listen for a second gateway of this name: gateways advertise several times a second.
    private static let lingering: Duration = .seconds(2)

    private let manager: CBCentralManager
    package let controller: CBController

    package init(controller: CBController) {
        self.controller = controller
        // No delegate, and a queue of its own: the process may not serve the main queue.
        manager = CBCentralManager(
            delegate: nil, queue: DispatchQueue(label: "martlet.configure"),
            options: [CBCentralManagerOptionControllerKey: controller])
    }

    /// Waits for the controller, or throws its fault.
    package func waitForController(within limit: Duration = .seconds(15)) async throws(ProvisioningClientError) {
        do {
            try await manager.waitUntilPoweredOn(timeout: limit)
        } catch {
            throw ProvisioningClientError(.controller, manager.stateReason)
        }
    }

    /// The gateways heard within `limit`, strongest first. The search ends early at a gateway that `isEnough` accepts,
    /// and soon after a gateway that `isMeant` accepts.
    package func gateways(
        within limit: Duration, until isEnough: @escaping @Sendable (FoundGateway) -> Bool = { _ in false },
        soonAfter isMeant: @escaping @Sendable (FoundGateway) -> Bool = { _ in false }
    ) async -> [FoundGateway] {
        let manager = manager
        let (meant, tell) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let search = Task { () -> [UUID: FoundGateway] in
            var found: [UUID: FoundGateway] = [:]
            let service = [ProvisioningTable.service.coreBluetooth]
            for await heard in manager.advertisements(withServices: service) where heard.isConnectable {
                let id = heard.peripheral.identifier
                guard found[id] != nil || found.count < Self.limit else { continue }
                var gateway =
                    found[id] ?? FoundGateway(peripheral: heard.peripheral, address: heard.peripheral.address)
                gateway.name = heard.localName ?? gateway.name
                gateway.rssi = heard.rssi ?? gateway.rssi
                found[id] = gateway
                if isEnough(gateway) { break }
                if isMeant(gateway) { tell.yield() }
            }
            return found
        }
        let timers = [
            Task {
                await Waiting.pause(for: limit)
                search.cancel()
            },
            Task {
                for await _ in meant {
                    await Waiting.pause(for: Self.lingering)
                    search.cancel()
                }
            },
        ]
        defer { for timer in timers { timer.cancel() } }
        let found = await withTaskCancellationHandler {
            await search.value
        } onCancel: {
            search.cancel()
        }
        return found.values.sorted { ($0.rssi ?? -128, $1.address) > ($1.rssi ?? -128, $0.address) }
    }

    /// The gateway named `text`, or the only gateway.
    package func gateway(
        called text: String?, within limit: Duration
    ) async throws(ProvisioningClientError) -> FoundGateway {
        guard let text else {
            let found = await gateways(within: limit)
            guard let first = found.first else { throw Self.nothingFound }
            guard found.count == 1 else {
                let names = found.map { "\($0.name ?? "nameless") (\($0.address))" }.joined(separator: ", ")
                throw ProvisioningClientError(
                    .ambiguous, "Several gateways are near: \(names). Say which one is meant, by its name or address.")
            }
            return first
        }
        if let known = bonded(text) { return known }
        // A second gateway with this name may be heard a moment later. Then only the address is unambiguous.
        let found = await gateways(
            within: limit, until: { $0.address.caseInsensitiveCompare(text) == .orderedSame },
            soonAfter: { $0.isCalled(text) })
        let meant = found.filter { $0.isCalled(text) }
        guard let first = meant.first else {
            guard found.isEmpty else {
                let names = found.map { "\($0.name ?? "nameless") (\($0.address))" }.joined(separator: ", ")
                throw ProvisioningClientError(.notFound, "No gateway near is called \(text); there is \(names).")
            }
            throw Self.nothingFound
        }
        guard meant.count == 1 else {
            let addresses = meant.map(\.address).joined(separator: ", ")
            throw ProvisioningClientError(
                .ambiguous, "Several gateways are called \(text): name one by its address, \(addresses).")
        }
        return first
    }

    /// A bonded gateway with a known address needs no scan: the connection waits for it.
    private func bonded(_ address: String) -> FoundGateway? {
        let bond = controller.bonds.first { $0.address.caseInsensitiveCompare(address) == .orderedSame }
        guard let bond, let peripheral = manager.retrievePeripherals(withIdentifiers: [bond.identifier]).first else {
            return nil
        }
        return FoundGateway(peripheral: peripheral, address: bond.address, name: peripheral.name)
    }

    private static let nothingFound = ProvisioningClientError(
        .notFound,
        Advice.elsewhere(
            "No gateway near can be set up. Open its pairing window (its button, or \(.martlet(.provisionOpen))), go nearer, "
                + "and try again."))
}
