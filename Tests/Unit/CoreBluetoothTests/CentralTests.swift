// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import HCI
import Testing
import TestSupport
import VirtualRadio

private let counterValue = CBUUID(string: "5E4D0002-1C7B-4B5E-9B0A-3F6B2C9D7A10")
private let scratch = CBUUID(string: "5E4D0003-1C7B-4B5E-9B0A-3F6B2C9D7A10")

@Suite(.timeLimit(.minutes(10)))
struct CentralTests {
    @Test func `a scan tells of each device once, with name and signal strength`() async throws {
        let application = try Application()
        for number in 1...3 as ClosedRange<UInt64> { _ = application.addSensor(.counter, number: number) }
        let manager = try await application.makeManager()
        #expect(manager.state == .poweredOn && !manager.isScanning)
        manager.scanForPeripherals(withServices: nil)
        #expect(manager.isScanning)
        try await waitFor("three names") { application.discovered.filter { $0.name != nil }.count == 3 }
        #expect(application.discovered.allSatisfy { $0.rssi < 0 })
        #expect(Set(application.discovered.map(\.peripheral.identifier)).count == 3)
        manager.stopScan()
        #expect(!manager.isScanning)
    }

    @Test func `a manager learns that its controller is gone, and its connections with it`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        let states = application.radio.controllerStates()
        application.forget()
        application.radio.simulateHardwareError(try #require(states.first).id)
        try await application.hears("state 1")
        let isEnd = { (call: String) in call.hasPrefix("disconnected CBErrorDomain") }
        try await waitFor("the end") { application.calls.contains(where: isEnd) }
        // The state is told first: a delegate that connects at once would be told that it may.
        let order = application.calls.filter { $0 == "state 1" || isEnd($0) }
        #expect(order.first == "state 1" && order.count == 2, "\(order)")
        #expect(peripheral.state == .disconnected && peripheral.services == nil)
        try await waitFor("power again") { manager.state == .poweredOn }
    }

    @Test func `a manager whose controller is gone does not scan any more, nor when it is back`() async throws {
        let application = try Application()
        let manager = try await application.makeManager()
        manager.scanForPeripherals(withServices: nil)
        #expect(manager.isScanning)
        let controller = try #require(application.radio.controllerStates().first)
        application.forget()
        application.radio.simulateHardwareError(controller.id)
        try await application.hears("state 1")
        #expect(!manager.isScanning)
        try await waitFor("power again") { manager.state == .poweredOn }
        #expect(!manager.isScanning)
        // Without a scan, a new sensor is not reported until the next scan.
        _ = application.addSensor(.counter)
        let other = CBCentralManager(
            delegate: nil, queue: application.queue,
            options: [CBCentralManagerOptionControllerKey: application.controller])
        try await waitFor("power of the other") { other.state == .poweredOn }
        other.scanForPeripherals(withServices: nil)
        try await waitFor("reports") { application.controller.statistics.advertisingReports >= 10 }
        #expect(application.discovered.isEmpty)
        manager.scanForPeripherals(withServices: nil)
        #expect(manager.isScanning)
        try await waitFor("a discovery") { !application.discovered.isEmpty }
    }

    @Test(
        arguments: [
            [9, 9, 9],  // no packet types
            [2, 0xFF, 0x0E, 0xFF, 0x0F, 1, 2, 3],  // an incomplete structure that would swallow the next octets
            [4, 0x3E, 200, 1],
        ] as [[UInt8]])
    func `octets that break the stream cost a reset, and then it makes sense again`(garbage: [UInt8]) async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        _ = try await application.connect(with: manager)
        let controller = try #require(application.radio.controllerStates().first)
        application.forget()
        application.radio.simulateGarbage(garbage, to: controller.id)
        try await application.hears("state 1")
        try await waitFor("power again") { manager.state == .poweredOn }
        #expect(application.controller.statistics.restarts == 1)
        application.forget()
        _ = try await application.connect(with: manager)
    }

    @Test func `values are written and read, short and long, with and without response`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        let characteristic = try await application.find(scratch, on: peripheral)
        #expect(peripheral.maximumWriteValueLength(for: .withResponse) == 512)
        #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) == 244)
        for count in [0, 1, 20, 244, 245, 500, 512] {
            application.forget()
            let value = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            peripheral.writeValue(value, for: characteristic, type: .withResponse)
            try await application.hears("written")
            peripheral.readValue(for: characteristic)
            try await application.hears("value")
            #expect(characteristic.value == value)
        }
        application.forget()
        peripheral.writeValue(Data(count: 513), for: characteristic, type: .withResponse)
        try await application.hears("written CBATTErrorDomain 13")
        // More than can wait at once: each is sent when there is room.
        application.forget()
        for number in 0..<100 as Range<UInt8> {
            if !peripheral.canSendWriteWithoutResponse {
                let before = application.calls.count { $0 == "ready" }
                try await waitFor("room") {
                    application.calls.count { $0 == "ready" } > before || peripheral.canSendWriteWithoutResponse
                }
            }
            peripheral.writeValue(Data([number]), for: characteristic, type: .withoutResponse)
        }
        peripheral.readValue(for: characteristic)
        try await application.hears("value")
        #expect(characteristic.value == Data([99]))
        #expect(application.controller.statistics.writeCommandsDropped == 0)
    }

    @Test func `notifications are switched on and off`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter, rate: 50)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        let characteristic = try await application.find(counterValue, on: peripheral)
        #expect(!characteristic.isNotifying && characteristic.properties.contains(.notify))
        peripheral.setNotifyValue(true, for: characteristic)
        try await application.hears("notifying true")
        try await waitFor("values") { application.values.count >= 20 }
        let sequences = application.values.map { [UInt8]($0.prefix(4)).reversed().reduce(0) { $0 << 8 | UInt32($1) } }
        #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $1 == $0 + 1 })
        peripheral.setNotifyValue(false, for: characteristic)
        try await application.hears("notifying false")
        application.forget()
        peripheral.readRSSI()
        try await application.hears("rssi negative")
        #expect(application.values.isEmpty)
    }

    @Test func `indications are confirmed, or the sensor would send only one`() async throws {
        let application = try Application()
        _ = application.addSensor(.thermometer, rate: 50)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        let characteristic = try await application.find(CBUUID(string: "2A1C"), on: peripheral)
        peripheral.setNotifyValue(true, for: characteristic)
        try await waitFor("indications") { application.values.count >= 10 }
        #expect(application.controller.statistics.indications >= 10)
    }

    @Test func `descriptors are found, read as Apple's types, and the configuration is not written by hand`()
        async throws
    {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        let characteristic = try await application.find(counterValue, on: peripheral)
        peripheral.discoverDescriptors(for: characteristic)
        try await application.hears("descriptors")
        let descriptor = try #require(characteristic.descriptors?.first)
        #expect(descriptor.uuid == CBUUID(string: CBUUIDClientCharacteristicConfigurationString))
        peripheral.readValue(for: descriptor)
        try await application.hears("descriptor 2902 0")
        #expect(descriptor.value as? NSNumber == 0)
        peripheral.writeValue(Data([1, 0]), for: descriptor)
        try await application.hears("descriptor written CBErrorDomain 8")
    }

    @Test func `what the server refuses arrives as an ATT error`() async throws {
        let application = try Application()
        _ = application.addSensor(.heartRate)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        let battery = try await application.find(CBUUID(string: "2A19"), on: peripheral)
        peripheral.writeValue(Data([1]), for: battery, type: .withResponse)
        try await application.hears("written CBATTErrorDomain 3")
        let model = try await application.find(CBUUID(string: "2A24"), on: peripheral)
        peripheral.setNotifyValue(true, for: model)
        try await application.hears("notifying false CBATTErrorDomain 6")
        peripheral.discoverIncludedServices(nil, for: try #require(battery.service))
        try await application.hears("included 0")
    }

    @Test func `requests without a connection are answered with an error`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        let characteristic = try await application.find(scratch, on: peripheral)
        manager.cancelPeripheralConnection(peripheral)
        try await application.hears("disconnected")
        #expect(peripheral.state == .disconnected)
        application.forget()
        peripheral.readValue(for: characteristic)
        try await application.hears("value CBErrorDomain 3")
        peripheral.discoverServices(nil)
        try await application.hears("services CBErrorDomain 3")
    }

    @Test func `a drop is told with its reason, and a new connect brings the peripheral back`() async throws {
        let application = try Application()
        let sensor = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        application.radio.simulateDisconnection(of: sensor, reason: .remoteUserTerminated)
        try await application.hears("disconnected CBErrorDomain 7")
        application.forget()
        manager.connect(peripheral)
        #expect(peripheral.state == .connecting)
        try await application.hears("connected")
        #expect(peripheral.state == .connected)
    }

    @Test func `a peripheral with automatic reconnection comes back by itself`() async throws {
        let application = try Application()
        let sensor = application.addSensor(.counter)
        let manager = try await application.makeManager()
        _ = try await application.connect(
            with: manager, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        application.forget()
        application.radio.simulateDisconnection(of: sensor)
        try await application.hears("disconnected reconnecting CBErrorDomain 6")
        try await application.hears("connected")
    }

    @Test func `what was subscribed to is subscribed to again after each drop, until it is not wanted any more`()
        async throws
    {
        let application = try Application()
        let sensor = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(
            with: manager, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        let value = try await application.find(counterValue, on: peripheral)
        peripheral.setNotifyValue(true, for: value)
        try await waitFor("a value") { !application.values.isEmpty }
        func drop() async throws {
            application.forget()
            application.radio.simulateDisconnection(of: sensor)
            try await application.hears("disconnected reconnecting CBErrorDomain 6")
            try await application.hears("connected")
            // Values of the former link do not belong to this link.
            application.forget()
        }
        for _ in 1...3 {
            try await drop()
            let again = try await application.find(scratch, on: peripheral)
            try await application.passBeginning(of: peripheral, reading: again)
            let subscribed = again.service?.characteristics?.filter(\.isNotifying) ?? []
            try #require(subscribed.map(\.uuid) == [counterValue], "without a call")
            try await waitFor("values without a call") { application.values.count > 3 }
        }
        let again = try await application.find(counterValue, on: peripheral)
        #expect(again.isNotifying && again !== value)
        peripheral.setNotifyValue(false, for: again)
        try await application.hears("notifying false")
        try await drop()
        let last = try await application.find(counterValue, on: peripheral)
        let other = try #require(last.service?.characteristics?.first { $0.uuid == scratch })
        try await application.passBeginning(of: peripheral, reading: other)
        #expect(!last.isNotifying && application.values.isEmpty)
        #expect(application.radio.violations(of: sensor).isEmpty)
    }

    @Test func `without automatic reconnection nothing comes back, and a new connection has no subscriptions`()
        async throws
    {
        let application = try Application()
        let sensor = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        let value = try await application.find(counterValue, on: peripheral)
        peripheral.setNotifyValue(true, for: value)
        try await waitFor("a value") { !application.values.isEmpty }
        application.radio.simulateDisconnection(of: sensor)
        try await application.hears("disconnected CBErrorDomain 6")
        #expect(peripheral.state == .disconnected)
        application.forget()
        manager.connect(peripheral)
        try await application.hears("connected")
        let again = try await application.find(counterValue, on: peripheral)
        let other = try #require(again.service?.characteristics?.first { $0.uuid == scratch })
        try await application.passBeginning(of: peripheral, reading: other)
        #expect(!again.isNotifying && application.values.isEmpty)
    }

    @Test func `letting go of a peripheral ends its connection`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        do {
            let other = CBCentralManager(
                delegate: nil, queue: application.queue,
                options: [CBCentralManagerOptionControllerKey: application.controller])
            try await waitFor("power") { other.state == .poweredOn }
            manager.scanForPeripherals(withServices: nil)
            try await waitFor("a discovery") { !application.discovered.isEmpty }
            let identifier = try #require(application.discovered.first?.peripheral.identifier)
            let peripheral = try #require(other.retrievePeripherals(withIdentifiers: [identifier]).first)
            other.connect(peripheral)
            try await waitFor("a connection") { peripheral.state == .connected }
        }
        try await waitFor("the end of the connection") { application.controller.statistics.disconnections == 1 }
    }

    @Test func `known and connected peripherals are retrieved without the radio`() async throws {
        let directory = NSTemporaryDirectory() + "martlet-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let application = try Application(stateDirectory: directory)
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        _ = try await application.find(scratch, on: peripheral)
        let service = CBUUID(string: "5E4D0001-1C7B-4B5E-9B0A-3F6B2C9D7A10")
        let other = try await application.makeManager()
        #expect(
            other.retrieveConnectedPeripherals(withServices: [service]).map(\.identifier) == [peripheral.identifier])
        #expect(other.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180D")]).isEmpty)
        #expect(other.retrievePeripherals(withIdentifiers: [UUID(), peripheral.identifier]).count == 1)
        // The next run of the program still knows the peripheral: the controller writes its state when it ends.
        application.controller.shutdown()
        let next = try Application(stateDirectory: directory)
        _ = next.addSensor(.counter)
        let found = try await next.makeManager().retrievePeripherals(withIdentifiers: [peripheral.identifier])
        #expect(found.map(\.address) == [peripheral.address])
    }

    @Test func `services that change are told, and can be discovered again`() async throws {
        let application = try Application()
        let sensor = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        _ = try await application.find(scratch, on: peripheral)
        // The manager asks to be told soon after the first discovery; until then the sensor says nothing.
        let isTold = { application.calls.contains { $0.hasPrefix("modified ") } }
        var nextTry = ContinuousClock.now
        try await waitFor("the change") {
            if !isTold(), ContinuousClock.now >= nextTry {
                application.radio.simulateServiceChange(of: sensor)
                nextTry = ContinuousClock.now + .seconds(2)
            }
            return isTold()
        }
        #expect(peripheral.services?.isEmpty == true)
        _ = try await application.find(scratch, on: peripheral)
    }

    @Test func `a manager hears of connections that another one makes`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let observer = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        observer.registerForConnectionEvents(options: [.peripheralUUIDs: [peripheral.identifier]])
        manager.cancelPeripheralConnection(peripheral)
        try await application.hears("event 0")
        observer.registerForConnectionEvents(options: [.serviceUUIDs: [CBUUID(string: "180D")]])
        application.forget()
        manager.connect(peripheral)
        try await application.hears("connected")
        _ = try await application.find(scratch, on: peripheral)
        #expect(!application.calls.contains { $0.hasPrefix("event") })
        observer.registerForConnectionEvents(options: [
            .serviceUUIDs: [CBUUID(string: "5E4D0001-1C7B-4B5E-9B0A-3F6B2C9D7A10")]
        ])
        manager.cancelPeripheralConnection(peripheral)
        try await application.hears("event 0")
    }

    @Test func `the name of the GAP service is read once connected`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        try await waitFor("the name") { peripheral.name == "Sensor 1" }
    }
}
