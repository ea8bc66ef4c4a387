// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import HCI
import Testing
import TestSupport
import VirtualRadio

@testable import CoreBluetoothPrograms

/// A virtual radio with a controller that is the default for the next programs.
@MainActor
private final class Stage {
    let radio = VirtualRadio(seed: 11)
    let controller: CBController

    init() throws {
        controller = CBController(
            transport: .descriptor(try radio.makeController(address: DeviceAddress(kind: .public, value: 0x99))),
            stateDirectory: nil)
        makeDefault()
    }

    deinit {
        controller.shutdown()
        radio.stop()
    }

    func makeDefault() { CBController.default = controller }

    func addSensor(
        _ kind: VirtualSensor.Kind, number: UInt64 = 1, rate: Double = 20, strength: Int8 = -60,
        serviceData: [UInt8] = []
    ) -> AirNodeID {
        radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: 0xC000_0000_0000 | number), name: "Sensor \(number)",
                kind: kind, rate: rate, signalStrength: strength, serviceData: serviceData))
    }

    /// The values from the sensor's stack for a characteristic, as far as they reached our controller.
    func delivered(by sensor: AirNodeID, _ uuid: UInt16) -> [Data] {
        (radio.ledger(of: sensor)?.entries ?? [])
            .filter { $0.isDelivered && $0.characteristic == BluetoothUUID(uuid) }.map { Data($0.value) }
    }
}

/// Application code with Apple's API alone, run unchanged.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ProgramTests {
    private let counterService = CBUUID(string: "5E4D0001-1C7B-4B5E-9B0A-3F6B2C9D7A10")
    private let counterValue = CBUUID(string: "5E4D0002-1C7B-4B5E-9B0A-3F6B2C9D7A10")
    private let scratch = CBUUID(string: "5E4D0003-1C7B-4B5E-9B0A-3F6B2C9D7A10")

    @Test func `a thermometer's readings are what the sensor indicated`() async throws {
        let stage = try Stage()
        let sensor = stage.addSensor(.thermometer, rate: 50)
        let thermometer = Thermometer()
        thermometer.start()
        try await waitFor("readings") { thermometer.readings.count >= 20 }
        thermometer.stop()
        try await waitFor("the end") { !thermometer.isReceiving }
        #expect(thermometer.unreadable == 0 && thermometer.lastError == nil)
        let sent = stage.delivered(by: sensor, 0x2A1C)
        #expect(thermometer.readings == sent.prefix(thermometer.readings.count).compactMap(Thermometer.parse))
        // The first reading is 36.50 °C, and each further reading a hundredth more, until the series starts again.
        for (index, reading) in thermometer.readings.prefix(20).enumerated() {
            #expect(abs(reading.celsius - 36.5 - Double(index) / 100) < 1e-9)
        }
        #expect(stage.radio.violations(of: sensor).isEmpty)
    }

    @Test(
        arguments: [
            ([0, 0x6C, 0x01, 0, 0xFF], 36.4), ([0, 0xF6, 0xFF, 0xFF, 0], -10), ([1, 0xD4, 0x26, 0, 0xFE], 37.44444),
            ([0, 0xFF, 0xFF, 0x7F, 0], nil), ([0, 1, 2], nil),
        ] as [([UInt8], Double?)])
    func `medical floats are read`(octets: [UInt8], celsius: Double?) {
        let reading = Thermometer.parse(Data(octets))
        #expect((reading == nil) == (celsius == nil))
        if let reading, let celsius { #expect(abs(reading.celsius - celsius) < 0.001) }
    }

    @Test func `a scanner sorts by strength, sees service data, and forgets who is gone`() async throws {
        let stage = try Stage()
        _ = stage.addSensor(.counter, number: 1, strength: -80)
        let near = stage.addSensor(.heartRate, number: 2, strength: -40, serviceData: [0x0F, 0x18, 77])
        _ = stage.addSensor(.thermometer, number: 3, strength: -60)
        let scanner = NearbyScanner(staleAfter: 1.5)
        scanner.start()
        try await waitFor("three devices, many times") {
            scanner.devices.count == 3 && scanner.devices.allSatisfy { $0.count > 5 && $0.name != "Unnamed" }
        }
        #expect(scanner.devices.map(\.name) == ["Sensor 2", "Sensor 3", "Sensor 1"])
        #expect(scanner.devices.allSatisfy { $0.isConnectable })
        #expect(scanner.devices.first?.services == [CBUUID(string: "180D")])
        #expect(scanner.devices.first?.serviceData == [CBUUID(string: "180F"): Data([77])])
        stage.radio.simulateOutOfRange(near)
        try await waitFor("the nearest one to be forgotten") { scanner.removed == ["Sensor 2"] }
        #expect(scanner.devices.map(\.name) == ["Sensor 3", "Sensor 1"])
        scanner.stop()
    }

    @Test func `a console gets back every line, however fast it sends`() async throws {
        let stage = try Stage()
        let board = stage.addSensor(.uart)
        let console = UARTConsole()
        console.open()
        let lines = (0..<300).map { "line \($0) " + String(repeating: "x", count: $0 % 97) }
        for line in lines { console.send(line) }
        try await waitFor("all lines") { console.lines.count >= lines.count }
        #expect(console.lines == lines)
        #expect(console.bytesToSend == 0 && console.waits > 0)
        #expect(stage.controller.statistics.writeCommandsDropped == 0)
        #expect(stage.radio.violations(of: board).isEmpty)
        console.close()
        try await waitFor("the end") { !console.isReady }
    }

    @Test func `a battery is found by its identifier, among the connected, or by a scan`() async throws {
        let stage = try Stage()
        let sensor = stage.addSensor(.heartRate)
        let first = BatteryPoller(
            storedIdentifier: nil, advertising: CBUUID(string: "180D"), every: .milliseconds(10))
        try await waitFor("levels") { first.levels.count >= 3 }
        #expect(first.ways == [.scanned] && first.levels.allSatisfy { $0 == 97 })
        let stored = try #require(first.storedIdentifier)

        // While the first program holds the connection, another program without a stored identifier shares it.
        stage.makeDefault()
        let second = BatteryPoller(
            storedIdentifier: UUID(), advertising: CBUUID(string: "180D"), every: .milliseconds(10))
        try await waitFor("levels over the same connection") { second.levels.count >= 2 }
        #expect(second.ways == [.connected] && second.storedIdentifier == stored)
        #expect(stage.controller.statistics.connections == 1)

        stage.radio.simulateDisconnection(of: sensor)
        let levels = first.levels.count
        try await waitFor("levels after a drop") { first.levels.count > levels + 2 }
        #expect(first.ways == [.scanned, .known])
        first.stop()
        second.stop()
    }

    @Test func `a known sensor that is gone for good is replaced by another one`() async throws {
        let stage = try Stage()
        let sensor = stage.addSensor(.heartRate, number: 1)
        let first = BatteryPoller(
            storedIdentifier: nil, advertising: CBUUID(string: "180D"), every: .milliseconds(10))
        try await waitFor("a level") { !first.levels.isEmpty }
        first.stop()
        stage.radio.removeSensor(sensor)
        _ = stage.addSensor(.heartRate, number: 2)
        stage.makeDefault()
        let next = BatteryPoller(
            storedIdentifier: first.storedIdentifier, advertising: CBUUID(string: "180D"), every: .milliseconds(10),
            patience: .milliseconds(300))
        try await waitFor("a level of the other") { !next.levels.isEmpty }
        #expect(next.ways == [.known, .scanned] && next.storedIdentifier != first.storedIdentifier)
        next.stop()
    }

    @Test func `a browser writes down everything that a peripheral has`() async throws {
        let stage = try Stage()
        let sensor = stage.addSensor(.uart)
        let browser = GATTBrowser()
        browser.browse()
        try await waitFor("the tree") { browser.tree != nil }
        #expect(browser.errors.isEmpty)
        #expect(
            browser.tree == """
                Sensor 1
                - service 6E400001-B5A3-F393-E0A9-E50E24DCCA9E
                  - 6E400002-B5A3-F393-E0A9-E50E24DCCA9E [writeWithoutResponse write]
                  - 6E400003-B5A3-F393-E0A9-E50E24DCCA9E [notify]
                    - 2902 0
                - service 180F
                  - 2A19 [read notify] "a"
                    - 2902 0
                - service 180A
                  - 2A29 [read] "Martlet"
                  - 2A24 [read] "uart"
                """)
        #expect(stage.radio.violations(of: sensor).isEmpty)
    }

    @Test func `a logger follows its sensor through drops, because the system reconnects`() async throws {
        let stage = try Stage()
        let sensor = stage.addSensor(.counter, rate: 100)
        let logger = ReconnectingLogger(service: counterService, characteristic: counterValue)
        for drop in 1...3 {
            let count = logger.entries.count
            try await waitFor("entries") { logger.entries.count > count + 10 }
            stage.radio.simulateDisconnection(of: sensor)
            try await waitFor("the drop") { logger.drops.count == drop }
        }
        try await waitFor("the last connection") { logger.connections == 4 }
        #expect(logger.drops == Array(repeating: .init(code: .connectionTimeout, isReconnecting: true), count: 3))
        logger.stop()
        try await waitFor("the end") { logger.drops.count == 4 }
        #expect(logger.drops.last == .init(code: nil, isReconnecting: false))
        let known = Set(stage.radio.ledger(of: sensor)?.entries.map { Data($0.value) } ?? [])
        #expect(Set(logger.entries).isSubset(of: known) && Set(logger.entries).count == logger.entries.count)
    }

    @Test func `the shorter form of the disconnection is called where it is the only one`() async throws {
        let stage = try Stage()
        let sensor = stage.addSensor(.counter)
        let logger = ClassicReconnectingLogger(service: counterService)
        try await waitFor("a connection") { logger.log == ["connected"] }
        stage.radio.simulateDisconnection(of: sensor, reason: .remoteUserTerminated)
        try await waitFor("another one") { logger.log.count == 3 }
        logger.stop()
        try await waitFor("the end") { logger.log.count == 4 }
        #expect(logger.log == ["connected", "lost CBErrorDomain 7", "connected", "ended"])
    }

    @Test func `firmware is written in pages that are read back`() async throws {
        let stage = try Stage()
        let board = stage.addSensor(.counter)
        let image = Data((0..<2000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        let uploader = FirmwareUploader(image: image, to: scratch, of: counterService, mode: .verifiedPages)
        try await waitFor("the upload") { uploader.outcome != nil }
        #expect(uploader.outcome == .done)
        #expect(uploader.packetSize == 512 && uploader.progress.count == 4 && uploader.progress.last == 1)
        #expect(stage.radio.violations(of: board).isEmpty)
    }

    @Test func `firmware is streamed as fast as the link takes it, and no faster`() async throws {
        let stage = try Stage()
        let board = stage.addSensor(.counter)
        let image = Data((0..<30_000).map { UInt8(truncatingIfNeeded: $0 &* 13) })
        let uploader = FirmwareUploader(image: image, to: scratch, of: counterService, mode: .stream)
        try await waitFor("the upload") { uploader.outcome != nil }
        #expect(uploader.outcome == .done)
        #expect(uploader.pauses > 0 && uploader.progress.last == 1)
        #expect(stage.controller.statistics.writeCommandsDropped == 0)
        #expect(stage.radio.violations(of: board).isEmpty)
    }
}
