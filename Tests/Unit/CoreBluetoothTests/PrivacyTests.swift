// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import HCI
import SMP
import Synchronization
import Testing
import TestSupport
import VirtualRadio

@testable import BluetoothHost
@testable import CoreBluetooth

/// Devices with changing addresses, as an application sees them, and our own addresses, as an application sets them.
struct PrivacyTests {
    private static let key = SecretKey([UInt8](repeating: 0x21, count: 16)) ?? .zero
    private static let identity = DeviceAddress(kind: .random, value: 0xC000_0000_0077)

    private func machine<Result: Sendable>(
        _ controller: CBController, _ body: @escaping @Sendable (inout HostMachine, MonotonicTime) -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            controller.host.perform { host in continuation.resume(returning: host.withMachine(body)) }
        }
    }

    private func addSensor(_ application: Application, random: UInt32) -> AirNodeID {
        application.radio.addSensor(
            VirtualSensor.Configuration(
                address: .resolvable(Self.key, random: random), name: "Private", kind: .counter, rate: 20))
    }

    @Test func `a device that is paired with under a private address keeps its identifier`() async throws {
        let application = try Application()
        let sensor = addSensor(application, random: 1)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        let (identifier, former) = (peripheral.identifier, peripheral.address)
        let link = try #require(peripheral.changing.withLock { $0.link })
        let bond = try #require(
            Bond(identity: Self.identity, keys: .secureConnections(Self.key), identityKey: Self.key))
        let isStored = await machine(application.controller) { machine, now in
            let isStored = machine.store(bond)
            machine.learnedIdentity(bond.identity, on: link, at: now)
            return isStored
        }
        #expect(isStored)
        try await waitFor("the identity") { peripheral.address == Self.identity.description }
        #expect(former != peripheral.address && peripheral.identifier == identifier)
        #expect(manager.retrievePeripherals(withIdentifiers: [identifier]).first === peripheral)
        #expect(peripheral.state == .connected)
        manager.cancelPeripheralConnection(peripheral)
        try await application.hears("disconnected")
        // The sensor returns with another address.
        application.radio.removeSensor(sensor)
        _ = addSensor(application, random: 2)
        let count = application.discovered.count
        manager.scanForPeripherals(withServices: nil)
        try await waitFor("a discovery") { application.discovered.count > count }
        #expect(application.discovered.last?.peripheral === peripheral)
    }

    @Test(arguments: [
        (CBPrivacy.off, false, PrivacyMachine.Mode.off), (.whenAdvertising, true, .off), (.always, true, .resolvable),
    ])
    func `an application chooses when its address is private`(
        privacy: CBPrivacy, isWanted: Bool, mode: PrivacyMachine.Mode
    ) async throws {
        let application = try Application(privacy: privacy)
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        _ = try await application.connect(with: manager)
        let seen = await machine(application.controller) { machine, _ in machine }
        #expect(seen.privacy.isWanted == isWanted && seen.privacy.mode == mode)
        #expect((seen.identityKey != nil) == isWanted)
        let link = try #require(seen.links.values.first { _ in true })
        #expect(link.addresses.local.isResolvablePrivate == (privacy == .always))
    }

    @Test func `our own key is the same after a restart`() async throws {
        let directory = NSTemporaryDirectory() + "privacy-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var keys: [SecretKey?] = []
        for _ in 0..<2 {
            let application = try Application(stateDirectory: directory)
            keys.append(await machine(application.controller) { machine, _ in machine.identityKey })
            application.controller.shutdown()
        }
        #expect(keys[0] != nil && keys[0] == keys[1])
        let other = try Application()
        let key = await machine(other.controller) { machine, _ in machine.identityKey }
        #expect(key != keys[0])
    }
}
