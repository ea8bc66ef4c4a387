// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import BluetoothHost
import Foundation
import GATT
import Logging
import Testing
import TestSupport
import VirtualRadio

@testable import CoreBluetooth
@testable import CoreBluetoothPrograms

/// Two machines in the same air: the next program runs on the machine that became the default last.
@MainActor
private final class PairedStage {
    let radio = VirtualRadio(seed: 12)
    let peripheral: CBController
    let central: CBController
    /// The log of the peripheral's controller.
    let lines = LineCollector()

    init() throws {
        let lines = lines
        peripheral = try Self.makeController(
            0xC0_0001, in: radio, Logger(label: "peripheral") { _ in CollectingHandler(lines: lines, isWhole: true) })
        central = try Self.makeController(
            0xC0_0002, in: radio, Logger(label: "central") { _ in SwiftLogNoOpLogHandler() })
    }

    private static func makeController(_ value: UInt64, in radio: VirtualRadio, _ logger: Logger) throws -> CBController
    {
        let address = DeviceAddress(kind: .public, value: value)
        return CBController(
            transport: .descriptor(try radio.makeController(address: address)), stateDirectory: nil, logger: logger)
    }

    deinit {
        central.shutdown()
        peripheral.shutdown()
        radio.stop()
    }

    /// Starts a program on the peripheral's machine.
    func peripheral<Program>(_ start: () -> Program) -> Program {
        CBController.default = peripheral
        return start()
    }

    func central<Program>(_ start: () -> Program) -> Program {
        CBController.default = central
        return start()
    }

    var violations: [String] { radio.controllerStates().flatMap(\.violations) }
}

/// Application code with Apple's API alone, on both sides of the air.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ProgramPairTests {
    @Test func `a strap in software is an ordinary strap to a heart rate monitor`() async throws {
        let stage = try PairedStage()
        let publisher = stage.peripheral { HeartRatePublisher(name: "Strap") }
        try await waitFor("advertising") { publisher.isAdvertising }
        let model = stage.central { HeartRateViewModel() }
        CBController.default = stage.central
        model.start()
        try await waitFor("a subscription") { model.status == "subscribed" && publisher.subscribers == 1 }
        #expect(model.deviceName == "Strap")
        try await waitFor("the battery") { model.batteryLevel == 97 }

        let rates = (0..<400).map { UInt8(60 + $0 % 100) }
        publisher.beat(rates)
        #expect(publisher.hasUnsent)
        try await waitFor("all beats") { model.measurements.count == rates.count }
        #expect(model.measurements == rates.map(Int.init))
        #expect(publisher.sent == rates && publisher.waits > 0)

        model.stop()
        try await waitFor("the end") { publisher.subscribers == 0 }
        #expect(publisher.came == publisher.gone && publisher.came.count == 1 && publisher.errors.isEmpty)
        publisher.stop()
        #expect(stage.violations.isEmpty)
    }

    @Test func `texts of any length go both ways in pieces`() async throws {
        let stage = try PairedStage()
        let host = stage.peripheral { ChatPeripheral() }
        try await waitFor("advertising") { host.isReady }
        let guest = stage.central { ChatCentral() }
        let long = String(repeating: "Ein längerer Text, der in viele Stücke geht. ", count: 400)
        let questions = ["Hello?", long, "", "Bye"]
        let answers = [long, "Yes", "👋"]
        // Messages from before the other user's arrival are not lost.
        for text in questions { guest.say(text) }
        for text in answers { host.say(text) }
        try await waitFor("all texts") {
            guest.received.count == answers.count && host.received.count == questions.count
        }
        #expect(host.received == questions && guest.received == answers)
        #expect(!host.hasUnsent && !guest.hasUnsent)
        #expect(host.pieces > long.utf8.count / 512 && host.waits > 0 && guest.waits > 0)
        guest.leave()
        try await waitFor("the end") { !guest.isConnected }
        host.leave()
        #expect(stage.violations.isEmpty)
    }

    @Test func `a file goes over a channel whose number is in a characteristic`() async throws {
        let stage = try PairedStage()
        let file = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 7) })
        let server = stage.peripheral { FileServer(file: file) }
        try await waitFor("advertising") { server.isAdvertising }
        let psm = try #require(server.psm)
        #expect((0x80...0xFF).contains(psm))
        for count in 1...2 {
            let fetcher = stage.central { FileFetcher() }
            try await waitFor("the file") { fetcher.outcome != nil }
            #expect(fetcher.outcome == .fetched(file))
            #expect(fetcher.progress == fetcher.progress.sorted() && fetcher.progress.last == 1)
            try await waitFor("the end of transfer \(count)") { server.served == count }
        }
        server.stop()
        try await waitFor("no channel any more") { server.psm == nil }
        #expect(stage.violations.isEmpty)
    }

    @Test func `settings are read and described, and one of them only to those who are paired`() async throws {
        let stage = try PairedStage()
        let device = stage.peripheral { SettingsPeripheral() }
        try await waitFor("advertising") { device.isAdvertising }
        let editor = try await SettingsEditor(on: stage.central)
        let greeting = try await editor.characteristic(SettingsPeripheral.greeting)
        let interval = try await editor.characteristic(SettingsPeripheral.interval)

        #expect(try await editor.remote.value(for: greeting) == Data("Hello".utf8))
        #expect(try await editor.remote.value(for: interval) == Data([60, 0]))
        #expect(device.log == ["read from 0", "read from 0"])
        #expect(try await editor.descriptors(of: greeting) == ["2901": Data("Greeting".utf8)])
        let description = try await editor.descriptors(of: interval)
        #expect(description == ["2901": Data("Interval".utf8), "2904": Data([6, 0, 3, 0x27, 1, 0, 0])])

        // The program is not even asked if the policy forbids pairing.
        let code = try await editor.characteristic(SettingsPeripheral.code)
        stage.peripheral.pairingPolicy = CBPairingPolicy()
        await #expect(throws: CBATTError(.insufficientAuthentication)) { try await editor.remote.value(for: code) }
        #expect(device.log.count == 2 && stage.peripheral.bonds.isEmpty)
        // With the on-demand policy the system behaves as Apple's systems: access to the value starts a pairing.
        stage.peripheral.pairingPolicy = .onDemand
        #expect(try await editor.remote.value(for: code) == Data("0000".utf8))
        #expect(device.log.count == 3 && stage.peripheral.bonds.count == 1 && stage.central.bonds.count == 1)
        #expect(stage.violations.isEmpty)
    }

    @Test(arguments: [DiaryReader.Wish.read, .follow])
    func `a protected diary is read and followed after a pairing that neither program knows of`(
        wish: DiaryReader.Wish
    ) async throws {
        let stage = try PairedStage()
        let diary = stage.peripheral { ProtectedDiary("Monday") }
        try await waitFor("advertising") { diary.isAdvertising }
        let reader = stage.central { DiaryReader(wish) }
        switch wish {
        case .read:
            try await waitFor("the entry") { reader.entries == ["Monday"] }
            #expect(diary.readers.count == 1)
        case .follow:
            try await waitFor("a follower") { reader.isFollowing && diary.followers.count == 1 }
            diary.write("Tuesday")
            try await waitFor("the entry") { reader.entries == ["Tuesday"] }
        }
        #expect(reader.complaints.isEmpty)
        let bonds = [stage.peripheral, stage.central].map {
            $0.bonds.map { [$0.isAuthenticated, $0.isSecureConnections] }
        }
        #expect(bonds == [[[false, true]], [[false, true]]])

        // These two devices need no other pairing, not even on the next connection.
        reader.stop()
        try await waitFor("the end") { stage.central.host.connected.isEmpty && diary.followers.isEmpty }
        let again = stage.central { DiaryReader(.read) }
        try await waitFor("the entry") { again.entries == [diary.text] }
        #expect(stage.peripheral.host.counters.pairingsStarted == 1 && stage.central.bonds.count == 1)
        #expect(stage.violations.isEmpty)
    }

    @Test func `a protected diary stays shut where a policy was set, and the log says what to do`() async throws {
        let stage = try PairedStage()
        stage.peripheral.pairingPolicy = CBPairingPolicy()
        let diary = stage.peripheral { ProtectedDiary("Monday") }
        try await waitFor("advertising") { diary.isAdvertising }
        let reader = stage.central { DiaryReader(.read) }
        try await waitFor("the complaint") { reader.complaints.count == 1 }
        #expect(reader.complaints == [CBATTError(.insufficientAuthentication).localizedDescription])
        #expect(reader.entries.isEmpty && diary.readers.isEmpty)
        #expect(stage.peripheral.bonds.isEmpty && stage.central.bonds.isEmpty)
        let lines = stage.lines.all.filter { $0.contains("pair") }
        #expect(lines.count == 1 && lines[0].hasPrefix("info a device may not pair"), "\(lines)")
        #expect(lines.first?.contains("CBPairingPolicy.incoming") == true)
    }

    @Test func `long settings are read in parts, and a part beyond the end is refused`() async throws {
        let stage = try PairedStage()
        let device = stage.peripheral { SettingsPeripheral() }
        try await waitFor("advertising") { device.isAdvertising }
        let editor = try await SettingsEditor(on: stage.central, payload: 64)
        let greeting = try await editor.characteristic(SettingsPeripheral.greeting)
        let long = String(repeating: "Salü ", count: 60)
        device.setGreeting(long)
        #expect(try await editor.remote.value(for: greeting) == Data(long.utf8))
        #expect(device.log == stride(from: 0, through: 360, by: 63).map { "read from \($0)" })

        // Between two parts the value becomes shorter. For the reader its value ends where the program says so.
        device.onRequest = { device.setGreeting("Salü") }
        #expect(try await editor.remote.value(for: greeting) == Data(long.utf8.prefix(63)))
        #expect(device.log.suffix(3) == ["read from 0", "read from 63", "refused"])
        #expect(stage.violations.isEmpty)
    }

    @Test(arguments: [64, 517])
    func `settings that are written together are taken together, or not at all`(payload: Int) async throws {
        let stage = try PairedStage()
        let device = stage.peripheral { SettingsPeripheral() }
        try await waitFor("advertising") { device.isAdvertising }
        let editor = try await SettingsEditor(on: stage.central, payload: payload)
        let greeting = try await editor.characteristic(SettingsPeripheral.greeting)
        let interval = try await editor.characteristic(SettingsPeripheral.interval)

        try await editor.write([(greeting, Array("Good morning".utf8)), (interval, [30, 0])])
        #expect(device.greeting == "Good morning" && device.interval == 30)
        // The second value is out of range, so the program rejects the first value too.
        await #expect(throws: CBATTError(SettingsPeripheral.outOfRange)) {
            try await editor.write([(greeting, Array("Good evening".utf8)), (interval, [0, 0])])
        }
        await #expect(throws: CBATTError(.invalidAttributeValueLength)) {
            try await editor.write([(interval, [60, 0]), (greeting, Array(repeating: 0x61, count: 401))])
        }
        #expect(device.greeting == "Good morning" && device.interval == 30)

        let long = String(repeating: "Salü ", count: 66)
        try await editor.remote.write(Data(long.utf8), for: greeting)
        #expect(device.greeting == long)
        #expect(device.log.first == "write of 2")
        #expect(stage.violations.isEmpty)
    }

    @Test func `a frugal reader asks for no more than it needs, and lets go`() async throws {
        let stage = try PairedStage()
        let publisher = stage.peripheral { HeartRatePublisher(name: "Strap") }
        try await waitFor("advertising") { publisher.isAdvertising }
        let reader = stage.central {
            FrugalReader(service: CBUUID(string: "180D"), characteristic: CBUUID(string: "2A37"), wanted: 3)
        }
        try await waitFor("a subscription") { publisher.subscribers == 1 }
        publisher.beat([61, 62, 63, 64, 65])
        try await waitFor("the end") { reader.isDone }
        #expect(reader.values == [61, 62, 63].map { Data([0, $0]) })
        #expect(reader.log == ["scans", "found", "connected", "subscribed", "unsubscribed", "let go"])
        #expect(reader.discoveredServices == 1 && reader.discoveredCharacteristics == 1)
        try await waitFor("no subscriber") { publisher.gone.count == 1 }

        // Another program of the machine is connected, and its connection serves both.
        let model = HeartRateViewModel()
        CBController.default = stage.central
        model.start()
        try await waitFor("another subscription") { model.status == "subscribed" && publisher.subscribers == 1 }
        let guest = stage.central {
            FrugalReader(service: CBUUID(string: "180D"), characteristic: CBUUID(string: "2A38"), wanted: 1)
        }
        try await waitFor("the other end") { guest.isDone }
        #expect(guest.log == ["shares a connection", "connected", "let go"] && guest.values == [Data([1])])
        publisher.beat([70])
        try await waitFor("a beat after it") { model.measurements.last == 70 }
        #expect(publisher.subscribers == 1)
        model.stop()
        try await waitFor("nobody") { publisher.subscribers == 0 }
    }

    @Test func `a frugal reader does not look for ever`() async throws {
        let stage = try PairedStage()
        let reader = stage.central {
            FrugalReader(
                service: CBUUID(string: "180D"), characteristic: CBUUID(string: "2A37"), wanted: 1,
                patience: .milliseconds(300))
        }
        try await waitFor("the end") { reader.isDone }
        #expect(reader.log.last == "found nothing")
    }
}

/// A user who edits settings beyond Apple's API: reads at an offset, and writes of several values at once.
@MainActor
private final class SettingsEditor {
    let manager: CBCentralManager
    let remote: CBPeripheral

    /// `payload`: the ATT_MTU to agree on.
    init(on controller: CBController, payload: Int = 517) async throws {
        controller.host.perform { host in host.withMachine { machine, _ in machine.offeredMTU = payload } }
        let manager = CBCentralManager(
            delegate: nil, queue: nil, options: [CBCentralManagerOptionControllerKey: controller])
        self.manager = manager
        try await manager.waitUntilPoweredOn()
        var found: CBPeripheral?
        for await advertisement in manager.advertisements(withServices: [SettingsPeripheral.service]) {
            found = advertisement.peripheral
            break
        }
        remote = try #require(found)
        try await remote.connect()
    }

    func characteristic(_ uuid: CBUUID) async throws -> CBCharacteristic {
        try await remote.characteristic(uuid, in: SettingsPeripheral.service)
    }

    func descriptors(of characteristic: CBCharacteristic) async throws -> [String: Data] {
        var values: [String: Data] = [:]
        for descriptor in try await remote.descriptors(of: characteristic) {
            values[descriptor.uuid.uuidString] = try await remote.value(for: descriptor)
        }
        return values
    }

    /// Prepares all of them, and then has them written.
    func write(_ items: [(CBCharacteristic, [UInt8])]) async throws {
        let values = items.map { ATTPDU.AttributeValue(handle: $0.valueHandle, value: $1) }
        try await remote.ask(.write(items[0].0), .gatt(.reliableWrite(values)), timeout: nil) { _ in }
    }
}
