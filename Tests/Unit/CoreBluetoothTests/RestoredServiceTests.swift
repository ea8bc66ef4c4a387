// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Synchronization
import Testing
import TestSupport
import VirtualRadio

@testable import CoreBluetooth

/// A restored peripheral before its next connection: its services, and the calls that it accepts.
@Suite(.timeLimit(.minutes(10)))
struct RestoredServiceTests {
    private static let counterService = CBUUID(string: "5E4D0001-1C7B-4B5E-9B0A-3F6B2C9D7A10")
    private static let counterValue = CBUUID(string: "5E4D0002-1C7B-4B5E-9B0A-3F6B2C9D7A10")

    private let radio = VirtualRadio(seed: 23)

    private func addSensor() -> AirNodeID {
        radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: 0xC000_0000_0001), name: "Sensor 1", kind: .counter,
                rate: 20, hasDatabaseHash: true))
    }

    /// A run that has discovered a sensor, subscribed to it, and crashed.
    private func run(subscribes: Bool = true) async throws -> StateDirectory {
        let application = try RestorationApplication(on: radio, StateDirectory())
        let manager = try await application.makeCentral()
        manager.scanForPeripherals(withServices: [Self.counterService])
        try await waitFor("a discovery") { !application.discovered.isEmpty }
        let peripheral = try #require(application.discovered.first)
        peripheral.delegate = application
        try await peripheral.connect()
        _ = try await peripheral.services()
        let value = try await peripheral.characteristic(Self.counterValue, in: Self.counterService)
        _ = try await peripheral.descriptors(of: value)
        if subscribes {
            peripheral.setNotifyValue(true, for: value)
            try await waitFor("values") { !application.values.isEmpty }
        }
        try await waitFor("what is kept") {
            application.directory.central?.peripherals.first?.subscriptions.count == (subscribes ? 1 : 0)
                && application.directory.knows([peripheral.identifier])
                && application.directory.caches.contains {
                    $0.contains("\"allServices\":true") && $0.contains("2902")
                }
        }
        defer { withExtendedLifetime(manager) {} }
        return try application.crash()
    }

    @Test func `a restored peripheral knows its services, characteristics and subscriptions`() async throws {
        let sensor = addSensor()
        let second = try RestorationApplication(on: radio, try await run())
        let manager = try await second.makeCentral()
        let counter = try #require(second.known.first { $0.hasPrefix(Self.counterService.uuidString) })
        #expect(counter.contains("\(Self.counterValue)* [\"2902\"]"), "\(counter)")
        // The host looks after these.
        #expect(!second.known.contains { $0.hasPrefix("1800") || $0.hasPrefix("1801") })
        let peripheral = try #require(second.peripherals.first)
        let service = try #require(peripheral.services?.first { $0.uuid == Self.counterService })
        let value = try #require(service.characteristics?.first { $0.uuid == Self.counterValue })
        #expect(value.isNotifying && service.peripheral === peripheral && value.service === service)
        // The state does not grow from run to run.
        try await waitFor("values") { second.values.count > 3 }
        #expect(second.directory.central?.peripherals.first?.subscriptions.count == 1)
        // The application's restored objects belong to the new connection.
        #expect(peripheral.services?.contains { $0 === service } == true)
        #expect(service.characteristics?.contains { $0 === value } == true && value.isNotifying)
        #expect(try await peripheral.value(for: value, timeout: .seconds(20)).isEmpty == false)
        #expect(!second.calls.contains { $0.hasPrefix("modified") } && radio.violations(of: sensor).isEmpty)
        // A restored subscription ends as any other does.
        peripheral.setNotifyValue(false, for: value)
        try await waitFor("nothing to subscribe to") {
            second.directory.central?.peripherals.first?.subscriptions.isEmpty == true
        }
        withExtendedLifetime(manager) {}
    }

    @Test func `what a restored peripheral is asked before it is connected is answered then`() async throws {
        let sensor = addSensor()
        let directory = try await run()
        radio.simulateOutOfRange(sensor)
        let second = try RestorationApplication(on: radio, directory)
        second.does(onPower: { [weak second] _ in
            second?.peripherals.first?.discoverServices([Self.counterService])
        })
        let manager = try await second.makeCentral()
        let peripheral = try #require(second.peripherals.first)
        let service = try #require(peripheral.services?.first { $0.uuid == Self.counterService })
        let value = try #require(service.characteristics?.first { $0.uuid == Self.counterValue })
        peripheral.readValue(for: value)
        // Nothing is answered yet, neither right nor wrong.
        #expect(!second.calls.contains { $0.hasPrefix("services") } && peripheral.state == .connecting)
        radio.simulateInRange(sensor)
        try await waitFor("the answer") {
            second.calls.contains { $0.hasPrefix("services [") && $0.contains(Self.counterService.uuidString) }
        }
        try await waitFor("a value") { !second.values.isEmpty }
        withExtendedLifetime(manager) {}
    }

    @Test func `what waits is bounded, and fails when nobody wants the connection any more`() async throws {
        let sensor = addSensor()
        let directory = try await run()
        radio.simulateOutOfRange(sensor)
        let second = try RestorationApplication(on: radio, directory)
        let manager = try await second.makeCentral()
        let peripheral = try #require(second.peripherals.first)
        for _ in 0..<CBPeripheral.heldLimit + 1 { peripheral.discoverServices(nil) }
        // notConnected, for the one call too many.
        try await second.hears("services 3")
        #expect(second.calls.count { $0 == "services 3" } == 1)
        manager.cancelPeripheralConnection(peripheral)
        try await second.hears("disconnected")
        try await waitFor("the end of all") {
            second.calls.count { $0 == "services 3" } == CBPeripheral.heldLimit + 1
        }
        #expect(peripheral.services == nil && peripheral.state == .disconnected)
        // A call on a peripheral that was not restored does not wait.
        second.queue.sync { peripheral.discoverServices(nil) }
        try await waitFor("a failure at once") {
            second.calls.count { $0 == "services 3" } == CBPeripheral.heldLimit + 2
        }
    }

    @Test func `what waits fails with the connection`() async throws {
        let sensor = addSensor()
        let directory = try await run()
        radio.simulateOutOfRange(sensor)
        let second = try RestorationApplication(on: radio, directory)
        let manager = try await second.makeCentral()
        let peripheral = try #require(second.peripherals.first)
        for _ in 0..<3 { peripheral.discoverServices(nil) }
        second.queue.sync { manager.failedToConnect(peripheral.peerAddress, CBError(.connectionFailed)) }
        let failed = await settled { second.calls.count { $0 == "services 3" } }
        #expect(failed == 3, "\(second.calls)")
    }

    @Test func `a restored connection that is cancelled before there is power is not made`() async throws {
        let sensor = addSensor()
        let second = try RestorationApplication(on: radio, try await run())
        second.does(onRestore: { central, peripherals in
            for peripheral in peripherals { central.cancelPeripheralConnection(peripheral) }
        })
        let manager = try await second.makeCentral()
        try await second.hears("disconnected")
        #expect(second.peripherals.first?.state == .disconnected)
        try await waitFor("nothing to keep") { second.directory.central?.peripherals.isEmpty == true }
        #expect(manager.changing.withLock { $0.peripherals.wanted.isEmpty })
        #expect(radio.sensorStates().first { $0.id == sensor }?.isConnected == false)
        #expect(!second.calls.contains("connected"))
    }

    @Test(arguments: [true, false])
    func `services that have changed meanwhile are told as changed`(isSubscribed: Bool) async throws {
        let sensor = addSensor()
        let directory = try await run(subscribes: isSubscribed)
        radio.removeSensor(sensor)
        _ = radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: 0xC000_0000_0001), name: "Sensor 1", kind: .heartRate,
                rate: 20, hasDatabaseHash: true))
        let second = try RestorationApplication(on: radio, directory)
        let manager = try await second.makeCentral()
        let peripheral = try #require(second.peripherals.first)
        #expect(peripheral.services?.contains { $0.uuid == Self.counterService } == true)
        try await waitFor("the change") { second.calls.contains { $0.hasPrefix("modified") } }
        try await waitFor("what is there now") {
            let found = peripheral.services?.map(\.uuid.uuidString) ?? []
            return found.contains("180D") && !found.contains(Self.counterService.uuidString)
        }
        withExtendedLifetime(manager) {}
    }

    @Test func `what is kept of a peripheral goes when its connection has failed`() async throws {
        _ = addSensor()
        let application = try RestorationApplication(on: radio, StateDirectory())
        let manager = try await application.makeCentral()
        manager.scanForPeripherals(withServices: [Self.counterService])
        try await waitFor("a discovery") { !application.discovered.isEmpty }
        manager.stopScan()
        let peripheral = try #require(application.discovered.first)
        manager.connect(peripheral)
        try await waitFor("what is kept") { application.directory.central?.peripherals.count == 1 }
        application.queue.sync { manager.failedToConnect(peripheral.peerAddress, CBError(.connectionFailed)) }
        let kept = await settled { application.directory.central?.peripherals.count }
        #expect(kept == 0, "nothing to connect again after a crash")
    }
}
