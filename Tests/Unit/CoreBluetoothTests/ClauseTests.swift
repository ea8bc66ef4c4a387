// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation
import HCI
import Logging
import Synchronization
import Testing
import TestSupport
import VirtualRadio

@testable import CoreBluetooth

/// Clauses of docs/core-bluetooth.md without a test elsewhere.
@Suite(.timeLimit(.minutes(10)))
struct ClauseTests {
    // MARK: Managers

    static let states: [(HostState, CBManagerState, CBManagerAuthorization)] = [
        (.unknown, .unknown, .notDetermined), (.resetting, .resetting, .allowedAlways),
        (.unsupported, .unsupported, .allowedAlways), (.unauthorized, .unauthorized, .denied),
        (.unreachable, .poweredOff, .allowedAlways), (.ready, .poweredOn, .allowedAlways),
    ]

    @Test(arguments: states) func `each state of the controller has its state and authorization`(
        host: HostState, state: CBManagerState, authorization: CBManagerAuthorization
    ) {
        #expect(CBManagerState(host) == state)
        #expect(CBManagerAuthorization(state) == authorization)
    }

    private final class Told: CBCentralManager, @unchecked Sendable {
        override var state: CBManagerState { .unauthorized }
    }

    @Test func `a manager's authorization is that of its state`() throws {
        let application = try Application()
        let manager = Told(
            delegate: nil, queue: application.queue,
            options: [CBCentralManagerOptionControllerKey: application.controller])
        #expect(manager.authorization == .denied)
    }

    @Test func `a program that chooses nothing has hci0, and its state in the folder for it`() {
        #expect(CBController.systemTransport == .hci(0))
        func folder(_ environment: [String: String]) -> String {
            CBController.systemStateDirectory(environment, home: "/home/ada", program: "thermometers")
        }
        #expect(folder(["STATE_DIRECTORY": "/var/lib/a:/var/lib/b", "XDG_STATE_HOME": "/x"]) == "/var/lib/a")
        #expect(folder(["XDG_STATE_HOME": "/x"]) == "/x/CoreBluetooth/thermometers")
        // A relative path is none. XDG Base Directory Specification.
        for environment in [[:], ["XDG_STATE_HOME": "x"]] {
            #expect(folder(environment) == "/home/ada/.local/state/CoreBluetooth/thermometers")
        }
    }

    static let transports: [(String, CBController.Transport?)] = [
        ("hci1", .hci(1)), ("unix:/run/h4", .unix("/run/h4")), ("tcp:pi:9000", .tcp(host: "pi", port: 9000)),
        ("serial:/dev/ttyS0,115200", .serial(device: "/dev/ttyS0", baud: 115_200)), ("bluetooth", nil), ("", nil),
    ]

    @Test(arguments: transports) func `a text names a transport`(text: String, transport: CBController.Transport?) {
        #expect(CBController.Transport(text) == transport)
    }

    @Test func `a restored subscriber has thirty seconds to come back`() async throws {
        let central = try Application()
        let manager = try await PeripheralApplication(on: central.radio).makeManager()
        #expect(manager.changing.withLock { $0.absenceLimit } == 30)
    }

    // MARK: Discoveries

    @Test func `an advertisement has the keys of its facts, and none for hidden services`() {
        var dictionary = AdvertisementDictionary()
        var facts = AdvertisingFacts()
        (facts.secondaryPHY, facts.setID, facts.periodicInterval) = (.le2M, 9, 80)
        // A structure of each type. UUIDs of 16 octets fit all lists but those of 4 octets.
        var keys: Set<String> = []
        for type in UInt8.min...UInt8.max {
            let octets = [17, type] + [UInt8](repeating: 0x41, count: 16)
            _ = dictionary.update(octets.span.bytes, isConnectable: true, facts: facts, timestamp: 1)
            keys.formUnion(dictionary.values.keys)
        }
        let values = dictionary.values
        #expect((values[CBAdvertisementDataSecondaryPHYKey] as? NSNumber)?.intValue == CBPHY.le2M.rawValue)
        #expect((values[CBAdvertisementDataSetIDKey] as? NSNumber)?.intValue == 9)
        #expect((values[CBAdvertisementDataPeriodicIntervalKey] as? NSNumber)?.doubleValue == 0.1)
        #expect(keys.contains(CBAdvertisementDataServiceUUIDsKey))
        #expect(!keys.contains(CBAdvertisementDataOverflowServiceUUIDsKey))
        // A legacy advertisement has none of the three.
        let (legacy, _) = dictionary.update(
            [2, 1, 6].span.bytes, isConnectable: true, facts: AdvertisingFacts(), timestamp: 2)
        let three = [
            CBAdvertisementDataSecondaryPHYKey, CBAdvertisementDataSetIDKey, CBAdvertisementDataPeriodicIntervalKey,
        ]
        #expect(three.allSatisfy { legacy[$0] == nil })
    }

    @Test func `services for keyboards and notification centres are found as all others are`() async throws {
        let central = try Application()
        let peripheral = try PeripheralApplication(on: central.radio)
        let uuids = ["1812", "7905F431-B5CE-4E99-A40F-4B1E122D00D0"].map { CBUUID(string: $0) }
        let manager = try await peripheral.makeManager()
        for uuid in uuids { try await peripheral.publish(CBMutableService(type: uuid, primary: true), with: manager) }
        manager.startAdvertising(nil)
        try await peripheral.hears("advertising")
        let centralManager = try await central.makeManager()
        let remote = try await central.connect(with: centralManager)
        #expect(Set(try await remote.services().map(\.uuid)) == Set(uuids))
    }

    // MARK: Values

    static let descriptors: [(UInt16, [UInt8])] = [
        (0x2900, [3, 0]), (0x2901, Array("Kühl".utf8)), (0x2902, [1, 0]), (0x2903, [1, 0]), (0x2904, [6, 0]),
        (0x2905, [1, 0]), (0x2906, [1, 0]), (0x2999, [1, 0]),
    ]

    @Test(arguments: descriptors) func `the value of each descriptor has Apple's type`(type: UInt16, octets: [UInt8]) {
        let value = CBDescriptor(
            local: CBUUID(BluetoothUUID(type)), value: .init(octets, of: BluetoothUUID(type))
        ).value
        switch type {
        case 0x2900, 0x2902, 0x2903: #expect(value as? NSNumber == NSNumber(value: octets[0]))
        case 0x2901: #expect(value as? String == "Kühl")
        default: #expect(value as? Data == Data(octets))
        }
    }

    private final class Strength: NSObject, CBPeripheralDelegate, Sendable {
        let told: AsyncStream<Int>
        private let say: AsyncStream<Int>.Continuation
        override init() { (told, say) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(8)) }
        func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
            say.yield(error == nil ? 0 : RSSI.intValue)
        }
    }

    @Test func `a signal strength that is not known is 127`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        manager.cancelPeripheralConnection(peripheral)
        try await application.hears("disconnected")
        let delegate = Strength()
        peripheral.delegate = delegate
        peripheral.readRSSI()
        #expect(await delegate.told.first { _ in true } == 127)
        #expect(SignalStrength.number(127) == 127 && SignalStrength.number(-128) == -128)
    }

    @Test func `a second answer to a request is in the log`() async throws {
        let lines = LineCollector()
        let central = try Application()
        let peripheral = try PeripheralApplication(
            on: central.radio, logger: Logger(label: "test") { _ in CollectingHandler(lines: lines) })
        let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
        let value = CBMutableCharacteristic(
            type: CBUUID(string: "2A38"), properties: .read, value: nil, permissions: .readable)
        service.characteristics = [value]
        peripheral.answersTwice()
        peripheral.answersReads { request in
            request.value = Data([7])
            return .success
        }
        let manager = try await peripheral.makeManager()
        try await peripheral.publish(service, with: manager)
        manager.startAdvertising(nil)
        try await peripheral.hears("advertising")
        let centralManager = try await central.makeManager()
        let remote = try await central.connect(with: centralManager)
        let found = try await central.find(value.uuid, on: remote)
        #expect(try await remote.value(for: found) == Data([7]))
        // The delegate gives its second answer before it returns.
        peripheral.queue.sync {}
        #expect(lines.all.count { $0.hasPrefix("a request was answered a second time") } == 1, "\(lines.all)")
    }

    // MARK: The peripheral role

    private final class Silent: NSObject, CBPeripheralManagerDelegate, Sendable {
        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
    }

    @Test func `requests are refused for a delegate without the method, and for no delegate`() async throws {
        let central = try Application()
        let peripheral = try PeripheralApplication(on: central.radio)
        let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
        let value = CBMutableCharacteristic(
            type: CBUUID(string: "2A38"), properties: [.read, .write], value: nil,
            permissions: [.readable, .writeable])
        service.characteristics = [value]
        let manager = try await peripheral.makeManager()
        try await peripheral.publish(service, with: manager)
        manager.startAdvertising(nil)
        try await peripheral.hears("advertising")
        let centralManager = try await central.makeManager()
        let remote = try await central.connect(with: centralManager)
        let found = try await central.find(value.uuid, on: remote)
        let silent = Silent()
        let rows: [(Silent?, CBATTError.Code, CBATTError.Code)] = [
            (silent, .readNotPermitted, .writeNotPermitted), (nil, .unlikelyError, .unlikelyError),
        ]
        for (delegate, read, write) in rows {
            manager.delegate = delegate
            await #expect(throws: CBATTError(read)) { try await remote.value(for: found) }
            await #expect(throws: CBATTError(write)) { try await remote.write(Data([1]), for: found) }
        }
        #expect(!peripheral.calls.contains { $0.hasPrefix("read") || $0.hasPrefix("written") })
    }

    @Test func `the name of a controller is its Device Name`() async throws {
        let central = try Application()
        let address = DeviceAddress(kind: .public, value: 0xB0_0000_0007)
        let controller = CBController(
            transport: .descriptor(try central.radio.makeController(address: address)), stateDirectory: nil,
            deviceName: "Attic")
        defer { controller.shutdown() }
        let manager = CBPeripheralManager(
            delegate: nil, queue: central.queue, options: [CBPeripheralManagerOptionControllerKey: controller])
        try await waitFor("power") { manager.state == .poweredOn }
        manager.startAdvertising(nil)
        let centralManager = try await central.makeManager()
        let remote = try await central.connect(with: centralManager)
        let name = try await remote.characteristic(CBUUID(string: "2A00"), in: CBUUID(string: "1800"))
        #expect(try await remote.value(for: name) == Data("Attic".utf8))
    }
}
