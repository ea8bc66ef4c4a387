// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import TestSupport
import Testing
import VirtualRadio

/// A device that connects to the gateway, and does nothing.
final class Stranger: Sendable {
    /// The service that the gateway advertises in ``advertise(by:)``.
    private static let service = CBUUID(string: "1234")

    private let controller: CBController
    private let manager: CBCentralManager

    init(_ number: UInt64, on radio: VirtualRadio) throws {
        let address = DeviceAddress(kind: .public, value: 0xA0_0000_0100 | number)
        controller = CBController(
            transport: .descriptor(try radio.makeController(address: address)), stateDirectory: nil)
        manager = CBCentralManager(
            delegate: nil, queue: DispatchQueue(label: "stranger"),
            options: [CBCentralManagerOptionControllerKey: controller])
    }

    deinit { controller.shutdown() }

    /// Makes the gateway connectable, as its service for phones does.
    static func advertise(by controller: CBController) async throws -> CBPeripheralManager {
        let server = CBPeripheralManager(
            delegate: nil, queue: DispatchQueue(label: "server"),
            options: [CBPeripheralManagerOptionControllerKey: controller])
        try await waitFor("the server's controller") { server.state == .poweredOn }
        server.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [service]])
        return server
    }

    func connect() async throws -> CBPeripheral {
        try await manager.waitUntilPoweredOn()
        let found = await manager.advertisements(withServices: [Self.service]).first { _ in true }
        let gateway = try #require(found?.peripheral)
        try await gateway.connect(timeout: hangLimit)
        return gateway
    }

    /// Connects, and again as soon as the gateway ends the link, until the task is cancelled.
    func stay() async throws -> Task<Void, Never> {
        let gateway = try await connect()
        return Task { [self] in
            while !Task.isCancelled {
                if gateway.state != .connected { try? await gateway.connect(timeout: .seconds(5)) }
                try? await Task.sleep(for: .milliseconds(5))
            }
            withExtendedLifetime(self) {}
        }
    }
}
