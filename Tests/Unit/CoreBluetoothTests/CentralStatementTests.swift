// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Logging
import SMP
import Synchronization
import Testing
import TestSupport
import VirtualRadio

@testable import CoreBluetooth

private let serviceUUID = CBUUID(string: "9E3C0011-5B1A-4F0D-8E5B-7C1D2E3F4A5B")
private let includedUUID = CBUUID(string: "9E3C0012-5B1A-4F0D-8E5B-7C1D2E3F4A5B")
private let valueUUID = CBUUID(string: "9E3C0013-5B1A-4F0D-8E5B-7C1D2E3F4A5B")
private let scratchUUID = CBUUID(string: "5E4D0003-1C7B-4B5E-9B0A-3F6B2C9D7A10")
private let counterUUID = CBUUID(string: "5E4D0002-1C7B-4B5E-9B0A-3F6B2C9D7A10")

/// Statements of Apple's documents about centrals: the second table of docs/core-bluetooth.md.
@Suite(.timeLimit(.minutes(10)))
struct CentralStatementTests {
    @Test func `the first call of a delegate is the state, and soon it is poweredOn`() async throws {
        let application = try Application()
        let manager = try await application.makeManager()
        try await application.hears("state 5")
        #expect(application.calls.allSatisfy { $0.hasPrefix("state ") } && application.calls.last == "state 5")
        #expect(manager.state == .poweredOn)
    }

    @Test func `a scan that is stopped lets the radio rest`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        manager.scanForPeripherals(
            withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        try await waitFor("reports") { application.controller.statistics.advertisingReports > 5 }
        manager.stopScan()
        var last = (count: UInt64.max, since: ContinuousClock.now)
        try await waitFor("silence") {
            let count = application.controller.statistics.advertisingReports
            if count != last.count { last = (count, .now) }
            return ContinuousClock.now - last.since > .milliseconds(400)
        }
    }

    @Test func `an identifier is random: another program has another one for the same device`() async throws {
        let first = try Application()
        let second = try Application(on: first.radio)
        _ = first.addSensor(.counter)
        var found: [CBPeripheral] = []
        for application in [first, second] {
            let manager = try await application.makeManager()
            manager.scanForPeripherals(withServices: nil)
            try await waitFor("a discovery") { !application.discovered.isEmpty }
            found.append(try #require(application.discovered.first?.peripheral))
            manager.stopScan()
        }
        #expect(Set(found.map(\.address)).count == 1 && Set(found.map(\.identifier)).count == 2)
        // A random UUID says so: version 4. RFC 9562, 5.4.
        #expect(found.allSatisfy { $0.identifier.uuid.6 >> 4 == 4 })
    }

    @Test func `a device without a bond is discovered anew with each private address`() async throws {
        let key = try #require(SecretKey([UInt8](repeating: 0x21, count: 16)))
        let application = try Application()
        let manager = try await application.makeManager()
        manager.scanForPeripherals(withServices: nil)
        for random in 1...2 as ClosedRange<UInt32> {
            let sensor = application.radio.addSensor(
                VirtualSensor.Configuration(
                    address: .resolvable(key, random: random), name: "Private", kind: .counter, rate: 20))
            try await waitFor("discovery \(random)") {
                Set(application.discovered.map(\.peripheral.identifier)).count == Int(random)
            }
            application.radio.removeSensor(sensor)
        }
    }

    @Test func `services are nil before they are discovered, and a list finds those alone`() async throws {
        let application = try Application()
        _ = application.addSensor(.heartRate)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        #expect(peripheral.services == nil)
        let battery = CBUUID(string: "180F")
        peripheral.discoverServices([battery])
        try await application.hears("services")
        #expect(peripheral.services?.map(\.uuid) == [battery])
        application.forget()
        peripheral.discoverServices(nil)
        try await application.hears("services")
        // The sensor advertises 180D alone.
        let found = Set((peripheral.services ?? []).map(\.uuid.uuidString))
        #expect(found.isSuperset(of: ["180D", "180F", "180A"]))
    }

    /// A peripheral with this service, and a central with a connection to it.
    private func connect(
        _ central: Application, _ peripheral: PeripheralApplication, _ services: [CBMutableService]
    ) async throws -> (managers: [CBManager], remote: CBPeripheral) {
        let manager = try await peripheral.makeManager()
        for service in services { try await peripheral.publish(service, with: manager) }
        manager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [serviceUUID]])
        try await peripheral.hears("advertising")
        let centralManager = try await central.makeManager()
        return ([manager, centralManager], try await central.connect(with: centralManager))
    }

    @Test func `a secondary service is found where it is included, and nowhere else`() async throws {
        let central = try Application()
        let peripheral = try PeripheralApplication(on: central.radio)
        let secondary = CBMutableService(type: includedUUID, primary: false)
        let primary = CBMutableService(type: serviceUUID, primary: true)
        primary.includedServices = [secondary]
        let connection = try await connect(central, peripheral, [secondary, primary])
        connection.remote.discoverServices(nil)
        try await central.hears("services")
        #expect(connection.remote.services?.map(\.uuid) == [serviceUUID])
        let service = try #require(connection.remote.services?.first)
        #expect(service.isPrimary && service.includedServices == nil)
        connection.remote.discoverIncludedServices(nil, for: service)
        try await central.hears("included 1")
        #expect(service.includedServices?.map(\.uuid) == [includedUUID])
        #expect(service.includedServices?.first?.isPrimary == false)
        withExtendedLifetime(connection) {}
    }

    @Test func `a value that cannot be read is refused with its error`() async throws {
        let central = try Application()
        let peripheral = try PeripheralApplication(on: central.radio)
        let service = CBMutableService(type: serviceUUID, primary: true)
        service.characteristics = [
            CBMutableCharacteristic(type: valueUUID, properties: .write, value: nil, permissions: .writeable)
        ]
        let connection = try await connect(central, peripheral, [service])
        let found = try await central.find(valueUUID, on: connection.remote)
        #expect(found.properties == .write)
        connection.remote.readValue(for: found)
        try await central.hears("value CBATTErrorDomain \(CBATTError.readNotPermitted.rawValue)")
        #expect(found.value == nil && !peripheral.calls.contains { $0.hasPrefix("read") })
        withExtendedLifetime(connection) {}
    }

    @Test func `a write without response has no answer, and one with response has one`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        let scratch = try await application.find(scratchUUID, on: peripheral)
        application.forget()
        peripheral.writeValue(Data([1]), for: scratch, type: .withoutResponse)
        peripheral.readValue(for: scratch)
        try await application.hears("value")
        #expect(scratch.value == Data([1]) && !application.calls.contains { $0.hasPrefix("written") })
        peripheral.writeValue(Data([2]), for: scratch, type: .withResponse)
        try await application.hears("written")
        #expect(application.calls.count { $0 == "written" } == 1)
    }

    @Test func `values are noticed again after ten seconds, and not before`() async throws {
        let radio = try Application()
        let lines = LineCollector()
        _ = radio.addSensor(.counter)
        let controller = CBController(
            transport: .descriptor(
                try radio.radio.makeController(address: DeviceAddress(kind: .public, value: 0xA0_0000_0009))),
            stateDirectory: nil, logger: Logger(label: "test") { _ in CollectingHandler(lines: lines, isWhole: true) })
        defer { controller.shutdown() }
        let manager = CBCentralManager(
            delegate: radio, queue: radio.queue, options: [CBCentralManagerOptionControllerKey: controller])
        try await waitFor("power") { manager.state == .poweredOn }
        let peripheral = try await radio.connect(
            with: manager, options: [CBConnectPeripheralOptionNotifyOnNotificationKey: true])
        let counter = try await radio.find(counterUUID, on: peripheral)
        func notices() -> Int { lines.all.count { $0.hasPrefix("notice a peripheral notifies") } }
        func waitForValues() async throws {
            let count = radio.values.count
            try await waitFor("more values") { radio.values.count > count + 3 }
        }
        peripheral.setNotifyValue(true, for: counter)
        try await waitForValues()
        #expect(notices() == 1)
        // Nobody waits here for ten seconds: the last notice is made older.
        for (age, count) in [(.seconds(5), 1), (ConnectNotices.pause, 2)] as [(Duration, Int)] {
            peripheral.changing.withLock { $0.noticed = .now - age }
            peripheral.setNotifyValue(false, for: counter)
            try await waitFor("the end of the values") { !counter.isNotifying }
            peripheral.setNotifyValue(true, for: counter)
            try await waitForValues()
            #expect(notices() == count, "\(age)")
        }
        #expect(ConnectNotices.pause == .seconds(10))
    }
}
