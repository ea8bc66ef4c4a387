// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import SMP
import Synchronization
import Testing
import TestSupport
import VirtualRadio

@testable import BluetoothHost
@testable import CoreBluetooth

private let serviceUUID = CBUUID(string: "7A1C0001-6F0E-4C55-9C7D-2B0F3E8D4A41")

/// A new identity, as after a factory reset.
@Suite(.timeLimit(.minutes(10)))
struct IdentityChangeTests {
    /// Advertises a service whenever Bluetooth is on.
    private final class Service: NSObject, CBPeripheralManagerDelegate, Sendable {
        let queue = DispatchQueue(label: "service")
        private let told = Mutex<[String]>([])

        var calls: [String] { told.withLock { $0 } }
        private func record(_ call: String) { told.withLock { $0.append(call) } }

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            record("state \(peripheral.state.rawValue)")
            guard peripheral.state == .poweredOn else { return }
            peripheral.add(CBMutableService(type: serviceUUID, primary: true))
            peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [serviceUUID]])
        }

        func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
            record("advertising")
        }
    }

    private func machine<Result: Sendable>(
        _ controller: CBController, _ body: @escaping @Sendable (inout HostMachine, MonotonicTime) -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            controller.host.perform { host in continuation.resume(returning: host.withMachine(body)) }
        }
    }

    private func scan(_ phone: Application, _ manager: CBCentralManager, but old: CBPeripheral?) async throws
        -> CBPeripheral
    {
        func found() -> CBPeripheral? { phone.discovered.last { $0.peripheral !== old }?.peripheral }
        manager.scanForPeripherals(withServices: [serviceUUID])
        try await waitFor("the gateway") { found() != nil }
        manager.stopScan()
        return try #require(found())
    }

    @Test func `who knew us meets a stranger, also after a restart, and nothing of the old bonds is left`()
        async throws
    {
        let folder = NSTemporaryDirectory() + "martlet-identity-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let phone = try Application()
        let own = DeviceAddress(kind: .public, value: 0xB0_0000_0002)
        var gateway: CBController? = CBController(
            transport: .descriptor(try phone.radio.makeController(address: own)), stateDirectory: folder)
        let controller = try #require(gateway)
        controller.pairingPolicy.incoming = .open
        let service = Service()
        var serving: CBPeripheralManager? = CBPeripheralManager(
            delegate: service, queue: service.queue, options: [CBPeripheralManagerOptionControllerKey: controller])
        try await waitFor("advertising") { service.calls.contains("advertising") }
        let manager = try await phone.makeManager()
        let remote = try await scan(phone, manager, but: nil)
        remote.delegate = phone
        manager.connect(remote)
        try await phone.hears("connected")
        _ = try await phone.controller.pair(remote, timeout: .seconds(30))
        // And a sensor.
        let key = try #require(SecretKey([UInt8](repeating: 7, count: 16)))
        let address = DeviceAddress(kind: .random, value: 0xC000_0000_0077)
        let sensor = try #require(Bond(identity: address, keys: .secureConnections(key)))
        #expect(await machine(controller) { machine, _ in machine.store(sensor) })
        try await waitFor("two bonds") { controller.bonds.count == 2 }
        #expect(remote.address == own.description)
        let oldKey = await machine(controller) { machine, _ in machine.identityKey }

        #expect(await controller.changeIdentityAddress() == [])
        #expect(controller.bonds.isEmpty)
        let folders = try FileManager.default.contentsOfDirectory(atPath: folder + "/bonds")
        let files = folders.flatMap {
            (try? FileManager.default.contentsOfDirectory(atPath: folder + "/bonds/" + $0)) ?? []
        }
        #expect(files == [])
        try await waitFor("the end of the old link") { remote.state != .connected }
        try await waitFor("a new beginning") { service.calls.suffix(3) == ["state 1", "state 5", "advertising"] }
        let identity = await machine(controller) { machine, _ in machine.identityAddress }
        #expect(identity.isStaticRandom && identity == controller.host.directory.randomAddress)
        let stranger = try await scan(phone, manager, but: remote)
        #expect(stranger.address == identity.description && stranger.identifier != remote.identifier)
        // The private addresses of the new identity differ from the old.
        let newKey = await machine(controller) { machine, _ in machine.identityKey }
        #expect(newKey != oldKey && newKey != nil)

        // The phone pairs with the new identity as with an unknown device.
        phone.forget()
        stranger.delegate = phone
        manager.connect(stranger)
        try await waitFor("the stranger") { stranger.state == .connected }
        let bond = try await phone.controller.pair(stranger, timeout: .seconds(30))
        #expect(bond.address == identity.description)
        try await waitFor("its bond") { controller.bonds.count == 1 }

        controller.shutdown()
        (serving, gateway) = (nil, nil)
        withExtendedLifetime(serving) {}
        let later = CBController(
            transport: .descriptor(try phone.radio.makeController(address: own)), stateDirectory: folder)
        defer { later.shutdown() }
        try await waitFor("power") { later.isPoweredOn && !later.bonds.isEmpty }
        #expect(later.bonds.count == 1)
        #expect(await machine(later) { machine, _ in machine.identityAddress } == identity)
    }
}
