// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import Foundation
import GATT
import SMP
import Synchronization
import Testing
import TestSupport
import VirtualRadio

@testable import BluetoothHost
@testable import CoreBluetooth
@testable import CoreBluetoothPrograms

/// The connection between a manager's objects and the host's links.
@Suite(.timeLimit(.minutes(10)))
struct ManagerWiringTests {
    private static let counterService = CBUUID(string: "5E4D0001-1C7B-4B5E-9B0A-3F6B2C9D7A10")
    private static let counterValue = CBUUID(string: "5E4D0002-1C7B-4B5E-9B0A-3F6B2C9D7A10")

    @Test func `the length of a write is the connection's, and ends with it`() async throws {
        let application = try Application()
        let sensor = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        try await waitFor("the MTU") { peripheral.maximumWriteValueLength(for: .withoutResponse) > 20 }
        application.radio.simulateDisconnection(of: sensor)
        try await waitFor("the end") { peripheral.state == .disconnected }
        #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) == 20)
        // The next connection negotiates for itself.
        manager.connect(peripheral)
        try await waitFor("the MTU") { peripheral.maximumWriteValueLength(for: .withoutResponse) > 20 }
    }

    @Test(arguments: [false, true])
    func `a change of one handle concerns the service that begins or ends there, and no other one`(
        isEnd: Bool
    ) async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        _ = try await application.find(Self.counterValue, on: peripheral)
        let service = try #require(peripheral.services?.first { $0.uuid == Self.counterService })
        let (start, end) = (service.handles.start, service.handles.end)
        for near in [start &- 1, end &+ 1] where near != 0 {
            manager.servicesChanged(on: peripheral, near, near)
            #expect(peripheral.services?.contains { $0 === service } == true)
        }
        let changed = isEnd ? end : start
        manager.servicesChanged(on: peripheral, changed, changed)
        #expect(peripheral.services?.contains { $0 === service } == false)
    }

    @Test func `an advertisement ends with the controller, and may begin again`() async throws {
        let central = try Application()
        let peripheral = try PeripheralApplication(on: central.radio)
        let manager = try await peripheral.makeManager()
        manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Gateway"])
        try await peripheral.hears("advertising")
        #expect(manager.isAdvertising)
        peripheral.forget()
        let states = central.radio.controllerStates()
        let id = try #require(states.first { $0.address == PeripheralApplication.address }).id
        central.radio.simulateHardwareError(id)
        try await waitFor("the controller's return") { peripheral.calls.last == "state 5" }
        #expect(!manager.isAdvertising)
        manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Gateway"])
        try await peripheral.hears("advertising")
    }

    @Test(arguments: [false, true])
    func `a call that gives up takes back its own wish, and not the application's`(isWanted: Bool) async throws {
        let application = try Application()
        let sensor = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.discover(with: manager)
        application.radio.simulateOutOfRange(sensor)
        if isWanted { manager.connect(peripheral) }
        await #expect(throws: CBError.self) { try await peripheral.connect(timeout: .milliseconds(50)) }
        if isWanted {
            #expect(peripheral.state == .connecting)
            application.radio.simulateInRange(sensor)
            try await application.hears("connected")
            // After the end of that connection, the next call stands alone again.
            application.radio.simulateDisconnection(of: sensor)
            try await waitFor("the end") { peripheral.state == .disconnected }
            application.radio.simulateOutOfRange(sensor)
            await #expect(throws: CBError.self) { try await peripheral.connect(timeout: .milliseconds(50)) }
        }
        // Nobody wants the connection any more.
        let state = await settled { peripheral.state }
        #expect(state == .disconnected)
    }

    @Test func `after a failed attempt of the application, a call that gives up stands alone`() async throws {
        let application = try Application()
        let sensor = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.discover(with: manager)
        application.radio.simulateOutOfRange(sensor)
        manager.connect(peripheral)
        application.queue.sync { manager.failedToConnect(peripheral.peerAddress, CBError(.connectionFailed)) }
        #expect(peripheral.state == .disconnected)
        await #expect(throws: CBError.self) { try await peripheral.connect(timeout: .milliseconds(50)) }
        let state = await settled { peripheral.state }
        #expect(state == .disconnected)
    }

    @Test func `a link goes on when its peer's identity is learned: values and changes still find their objects`()
        async throws
    {
        let application = try Application()
        let key = try #require(SecretKey([UInt8](repeating: 0x21, count: 16)))
        let identity = DeviceAddress(kind: .random, value: 0xC000_0000_0077)
        let sensor = application.radio.addSensor(
            VirtualSensor.Configuration(
                address: .resolvable(key, random: 1), name: "Private", kind: .counter, rate: 20))
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        let value = try await application.find(Self.counterValue, on: peripheral)
        peripheral.setNotifyValue(true, for: value)
        try await waitFor("values") { application.values.count > 2 }
        let link = try #require(peripheral.changing.withLock { $0.link })
        let bond = try #require(Bond(identity: identity, keys: .secureConnections(key), identityKey: key))
        application.controller.host.perform { host in
            host.withMachine { machine, now in
                let isStored = machine.store(bond)
                #expect(isStored)
                machine.learnedIdentity(identity, on: link, at: now)
            }
        }
        try await waitFor("the identity") { peripheral.address == identity.description }
        #expect(manager.changing.withLock { $0.links[link] } == identity)
        application.radio.simulateDisconnection(of: sensor)
        try await waitFor("the end") { peripheral.state == .disconnected }
        #expect(manager.changing.withLock { $0.links.isEmpty })
    }

    @Test func `a manager hears of its own connections alone`() async throws {
        let application = try Application()
        let sensor = application.addSensor(.counter)
        let other = try Application(on: application.radio)
        // Both managers are on one controller, each with its own delegate.
        let mine = try await application.makeManager()
        let others = CBCentralManager(
            delegate: other, queue: other.queue, options: [CBCentralManagerOptionControllerKey: application.controller])
        try await waitFor("power") { others.state == .poweredOn }
        others.scanForPeripherals(withServices: nil)
        try await waitFor("a discovery") { !other.discovered.isEmpty }
        others.stopScan()
        let seen = try #require(other.discovered.first?.peripheral)
        other.forget()
        let peripheral = try await application.connect(with: mine)
        #expect(seen.identifier == peripheral.identifier && seen !== peripheral)
        application.radio.simulateDisconnection(of: sensor)
        try await waitFor("the end") { peripheral.state == .disconnected }
        // The delegate has heard all events of this peripheral: the other manager has handled a later event.
        others.connect(seen)
        try await waitFor("its own") { seen.state == .connected }
        #expect(other.calls == ["connected"], "\(other.calls)")
        #expect(peripheral.state == .disconnected)
    }

    @Test func `delegates are called as optional methods are, and keep properties of the same names`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        let service = try #require(try await peripheral.services().first)
        let (caller, delegate) = (OptionalCaller(), NamedDelegate())
        (caller.central, caller.peripheral, caller.server) = (delegate, delegate, delegate)
        caller.play(manager, peripheral, service)
        let other = CBPeripheralManager(
            delegate: nil, queue: application.queue,
            options: [CBPeripheralManagerOptionControllerKey: application.controller])
        caller.play(other)
        #expect(
            delegate.calls == [
                "state", "connected", "services Sensor 1", "rssi -40", "ready", "services Sensor 1", "advertising true",
                "room",
            ])
        #expect(delegate.peripheral === peripheral)
        // Without a delegate there is no call.
        OptionalCaller().play(manager, peripheral, service)
    }

    // MARK: Known peripherals

    @Test func `a connected peripheral is found by a service that nobody has discovered`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        let other = try await application.makeManager()
        #expect(
            other.retrieveConnectedPeripherals(withServices: [Self.counterService]).map(\.identifier)
                == [peripheral.identifier])
        // The call also works from within a delegate's queue. The manager does not search again for a service known to be absent.
        application.queue.sync {
            #expect(manager.retrieveConnectedPeripherals(withServices: [Self.counterService]).first === peripheral)
            #expect(manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180D")]).isEmpty)
        }
        let unsearched = await withCheckedContinuation { continuation in
            application.controller.host.perform { host in
                continuation.resume(returning: host.withMachine { machine, _ in machine.takeUnsearched(without: []) })
            }
        }
        #expect(unsearched.isEmpty)
        #expect(peripheral.services == nil, "it is not the application's discovery")
    }

    @Test func `a search from the queue of the manager that asked first does not wait for that queue`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        application.queue.sync {
            #expect(manager.retrieveConnectedPeripherals(withServices: [Self.counterService]).first === peripheral)
        }
    }

    @Test(arguments: ["delegate", "sequence", "gateway"])
    func `what a scan has found is known in the next run, by identifier and name`(scan: String) async throws {
        let directory = NSTemporaryDirectory() + "martlet-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let application = try Application(stateDirectory: directory)
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        var found: CBPeripheral?
        switch scan {
        case "sequence": found = await manager.advertisements().first { _ in true }?.peripheral
        default:
            manager.scanForPeripherals(
                withServices: nil,
                options: scan == "gateway" ? [CBCentralManagerScanOptionIgnoresChangesKey: true] : nil)
            try await waitFor("a discovery") { application.discovered.contains { $0.name != nil } }
            found = application.discovered.last?.peripheral
        }
        let (identifier, address) = (try #require(found).identifier, found?.address)
        application.controller.shutdown()

        let next = try Application(stateDirectory: directory)
        let known = try await next.makeManager().retrievePeripherals(withIdentifiers: [identifier])
        // The gateway hears a street full of strangers, and notes none of them.
        #expect(known.map(\.address) == (scan == "gateway" ? [] : [address]))
        if scan == "delegate" { #expect(known.first?.name == "Sensor 1") }
    }

    @Test func `a subscription that cannot be ended goes on`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        let value = try await application.find(Self.counterValue, on: peripheral)
        peripheral.setNotifyValue(true, for: value)
        try await waitFor("a value") { !application.values.isEmpty }
        // The peripheral refuses: it has no such handle.
        application.forget()
        manager.request(.notify(value, false), on: peripheral) { .gatt(.read(handle: 0xFFF0)) }
        try await waitFor("the refusal") { application.calls.contains { $0.hasPrefix("notifying") } }
        #expect(value.isNotifying)
        try await waitFor("more values") { application.values.count > 3 }
    }
}
