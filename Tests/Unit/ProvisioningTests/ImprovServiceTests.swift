// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Logging
import NetworkControl
import Synchronization
import Testing
import TestSupport
import VirtualRadio

@testable import Provisioning

/// The window, opened and closed by the test.
private final class ImprovWindow: PairingWindow {
    private struct Watch {
        var state = WindowState()
        var observers: [Int: @Sendable (WindowState) -> Void] = [:]
        var last = 0
    }

    private let watch = Mutex(Watch())

    var state: WindowState { watch.withLock { $0.state } }

    func set(_ state: WindowState) {
        let observers = watch.withLock { watch in
            watch.state = state
            return Array(watch.observers.values)
        }
        for observer in observers { observer(state) }
    }

    func open(by opener: WindowState.Opener) {
        set(WindowState(opener: opener, end: .now + .seconds(600), passkey: .fresh("019655")))
    }

    func close() { set(WindowState()) }
    func setProvisioned(_ isProvisioned: Bool) {}

    func observe(_ observer: @escaping @Sendable (WindowState) -> Void) -> WindowObservation {
        let (number, state) = watch.withLock { watch in
            watch.last += 1
            watch.observers[watch.last] = observer
            return (watch.last, watch.state)
        }
        observer(state)
        return WindowObservation { [weak self] in _ = self?.watch.withLock { $0.observers.removeValue(forKey: number) }
        }
    }
}

/// The requests to the gateway.
private final class Asked: Sendable {
    let joined = Mutex<[WirelessSettings]>([])
    let identified = Atomic(0)
}

/// A gateway with the service, and a phone of Core Bluetooth in the same air.
private final class ImprovScene {
    let radio = VirtualRadio(seed: 5)
    let window = ImprovWindow()
    let asked = Asked()
    private(set) var service: ImprovService?
    private let gateway: CBController
    private let phone: CBController
    private let manager: CBCentralManager
    private(set) var peripheral: CBPeripheral?

    init() throws {
        let radio = radio
        func controller(_ number: UInt64) throws -> CBController {
            CBController(
                transport: .descriptor(
                    try radio.makeController(address: DeviceAddress(kind: .public, value: 0xC0_0000_0000 + number))),
                stateDirectory: nil)
        }
        gateway = try controller(1)
        phone = try controller(2)
        manager = CBCentralManager(
            delegate: nil, queue: DispatchQueue(label: "phone"),
            options: [CBCentralManagerOptionControllerKey: phone])
        let actions = ImprovActions(
            join: { [asked] settings in
                asked.joined.withLock { $0.append(settings) }
                if settings.password != "mysecurepassword" { throw NetworkFailure.wrongPassword }
            },
            scan: {
                [
                    WirelessNetwork(ssid: "Attic", strength: 80, security: .wpa2, frequency: 2_412, isJoined: false),
                    WirelessNetwork(ssid: "Café", strength: 21, security: .open, frequency: 5_180, isJoined: false),
                ]
            }, identify: { [asked] in asked.identified.add(1, ordering: .relaxed) },
            hardware: { "Raspberry Pi 4 Model B" }, name: { "Attic gateway" }, rename: { _ in })
        service = ImprovService(
            controller: gateway, window: window, actions: actions, logger: Logger(label: "improv"))
        service?.start()
    }

    deinit {
        service?.stop()
        phone.shutdown()
        gateway.shutdown()
        radio.stop()
    }

    /// The next service data that differ from `other`.
    func advertisement(not other: Data? = nil) async throws -> (data: Data, peripheral: CBPeripheral, name: String?) {
        try await manager.waitUntilPoweredOn()
        let uuid = CBUUID(string: "00467768-6228-2272-4663-277478268000")
        let options = [CBCentralManagerScanOptionAllowDuplicatesKey: true]
        for await advertisement in manager.advertisements(withServices: [uuid], options: options) {
            let data = try #require(advertisement.serviceData[CBUUID(string: "4677")])
            // The name is in the scan response.
            if data != other, let name = advertisement.localName { return (data, advertisement.peripheral, name) }
        }
        throw CancellationError()
    }

    func connect() async throws -> [Improv.Item: CBCharacteristic] {
        let found = try await advertisement().peripheral
        peripheral = found
        try await found.connect()
        let service = try #require(
            try await found.services(withUUIDs: [CBUUID(string: "00467768-6228-2272-4663-277478268000")]).first)
        var characteristics: [Improv.Item: CBCharacteristic] = [:]
        for characteristic in try await found.characteristics(in: service) {
            let item = Improv.Item.allCases.first { CBUUID(string: "\($0.uuid)") == characteristic.uuid }
            characteristics[try #require(item)] = characteristic
        }
        #expect(characteristics.count == 5)
        return characteristics
    }
}

/// Notified values, in order.
private final class Told: Sendable {
    private let values = Mutex<[[UInt8]]>([])
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(_ peripheral: CBPeripheral, _ characteristic: CBCharacteristic) async throws {
        let stream = peripheral.notifications(for: characteristic)
        task.withLock {
            $0 = Task { [self] in
                do {
                    for try await value in stream { values.withLock { $0.append([UInt8](value)) } }
                } catch {}
            }
        }
        try await waitFor("the subscription") { characteristic.isNotifying }
    }

    deinit { task.withLock { $0?.cancel() } }

    func next(_ count: Int) async throws -> [[UInt8]] {
        try await waitFor("\(count) values") { values.withLock { $0.count >= count } }
        return values.withLock { values in
            defer { values.removeFirst(count) }
            return Array(values.prefix(count))
        }
    }
}

@Suite("The Improv service", .timeLimit(.minutes(5))) struct ImprovServiceTests {
    @Test("a client finds the service, waits for consent, mistypes, and joins") func joins() async throws {
        let scene = try ImprovScene()
        scene.window.open(by: .unprovisioned)
        let items = try await scene.connect()
        let peripheral = try #require(scene.peripheral)
        func characteristic(_ item: Improv.Item) throws -> CBCharacteristic { try #require(items[item]) }
        let states = try await Told(peripheral, characteristic(.currentState))
        let errors = try await Told(peripheral, characteristic(.error))
        let results = try await Told(peripheral, characteristic(.result))
        func write(_ octets: [UInt8]) async throws {
            try await peripheral.write(Data(octets), for: characteristic(.command))
        }
        #expect(try await peripheral.value(for: characteristic(.capabilities)) == Data([7]))
        #expect(try await peripheral.value(for: characteristic(.currentState)) == Data([1]))

        // Unprovisioned alone is no consent.
        try await write(ImprovVector.join)
        #expect(try await errors.next(1) == [[4]])
        try await write(ImprovVector.identify)
        #expect(try await errors.next(1) == [[0]])
        #expect(scene.asked.identified.load(ordering: .relaxed) == 1)
        try await write(ImprovVector.information)
        let hardware = ["Martlet", "0.1.0", "Raspberry Pi 4 Model B", "Attic gateway"]
        #expect(try await results.next(1) == [Improv.result(.deviceInformation, hardware)])

        scene.window.open(by: .button)
        #expect(try await states.next(1) == [[2]])
        try await write(ImprovVector.scan)
        let networks = ["Attic", "-60", "WPA2", "Café", "-90", "NO"]
        #expect(try await results.next(1) == [Improv.result(.scan, networks)])
        try await write(Improv.packet(1, [5] + Array("Attic".utf8) + [8] + Array("mistaken".utf8)))
        #expect(try await states.next(2) == [[3], [2]])
        #expect(try await errors.next(1) == [[3]])
        for piece in [ImprovVector.join.prefix(20), ImprovVector.join.dropFirst(20)] { try await write(Array(piece)) }
        #expect(try await states.next(2) == [[3], [4]])
        #expect(try await errors.next(1) == [[0]])
        #expect(try await results.next(1) == [[1, 0, 1]])
        #expect(try await peripheral.value(for: characteristic(.result)) == Data([1, 0, 1]))
        let expected = [
            WirelessSettings(ssid: "Attic", password: "mistaken"),
            WirelessSettings(ssid: "MyWirelessAP", password: "mysecurepassword"),
        ]
        #expect(scene.asked.joined.withLock { $0 } == expected)
    }

    @Test("the advertisement follows the state, and ends with the window") func advertised() async throws {
        let scene = try ImprovScene()
        scene.window.open(by: .unprovisioned)
        let first = try await scene.advertisement()
        #expect(first.data == Data([1, 7, 0, 0, 0, 0]))
        #expect(first.name == "Attic gate")  // ten octets of the scan response are for a name
        scene.window.open(by: .command)
        #expect(try await scene.advertisement(not: first.data).data == Data([2, 7, 0, 0, 0, 0]))
    }

    @Test("outside the window the service refuses clients with an old connection") func closed() async throws {
        let scene = try ImprovScene()
        scene.window.open(by: .button)
        let items = try await scene.connect()
        let peripheral = try #require(scene.peripheral)
        let (command, state) = (try #require(items[.command]), try #require(items[.currentState]))
        let states = try await Told(peripheral, state)
        let errors = try await Told(peripheral, try #require(items[.error]))
        scene.window.close()
        #expect(try await states.next(1) == [[1]])
        for (count, packet) in [ImprovVector.join, ImprovVector.identify, ImprovVector.scan].enumerated() {
            try await peripheral.write(Data(packet), for: command)
            #expect(try await errors.next(1) == [[4]], "command \(count)")
        }
        #expect(scene.asked.joined.withLock { $0.isEmpty })
        #expect(scene.asked.identified.load(ordering: .relaxed) == 0)
    }

    @Test("a list of networks is cut to one notification, to whole networks and at least one")
    func longList() {
        let networks = (1...40).map {
            WirelessNetwork(
                ssid: "Network \($0)", strength: 90 - $0, security: .wpa3, frequency: 2_412, isJoined: false)
        }
        for (limit, count) in [(20, 1), (64, 3), (514, 13)] {
            let strings = ImprovActions.networks(networks, limit: limit)
            #expect(strings.count == 3 * count)
            #expect(Improv.result(.scan, strings).count <= max(limit, 24))
        }
    }
}
