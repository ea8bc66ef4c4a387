// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Logging
import Synchronization
import Testing
import TestSupport
import VirtualRadio

@testable import CoreBluetooth

/// The state of a manager with a restore identifier, and its use by the next run.
@Suite(.timeLimit(.minutes(10)))
struct RestorationTests {
    private static let counterService = CBUUID(string: "5E4D0001-1C7B-4B5E-9B0A-3F6B2C9D7A10")
    private static let counterValue = CBUUID(string: "5E4D0002-1C7B-4B5E-9B0A-3F6B2C9D7A10")

    private let radio = VirtualRadio(seed: 21)

    private func addSensor(_ kind: VirtualSensor.Kind, _ number: UInt64) -> AirNodeID {
        radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: 0xC000_0000_0000 | number), name: "Sensor \(number)",
                kind: kind, rate: 20))
    }

    private func discover(
        _ application: RestorationApplication, with manager: CBCentralManager
    ) async throws -> CBPeripheral {
        manager.scanForPeripherals(withServices: [Self.counterService])
        try await waitFor("a discovery") { !application.discovered.isEmpty }
        let peripheral = try #require(application.discovered.first)
        peripheral.delegate = application
        return peripheral
    }

    // MARK: Centrals

    @Test func `a central goes on where it was`() async throws {
        let sensor = addSensor(.counter, 1)
        let first = try RestorationApplication(on: radio, StateDirectory())
        let manager = try await first.makeCentral()
        let peripheral = try await discover(first, with: manager)
        manager.scanForPeripherals(
            withServices: [CBUUID(string: "180D")], options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        try await peripheral.connect()
        let value = try await peripheral.characteristic(Self.counterValue, in: Self.counterService)
        peripheral.setNotifyValue(true, for: value)
        try await waitFor("values") { first.values.count > 3 }
        try await waitFor("what is kept") {
            let kept = first.directory.central
            return kept?.scan?.allowsDuplicates == true && kept?.peripherals.first?.subscriptions.count == 1
                && first.directory.knows([peripheral.identifier])
        }
        #expect(!first.calls.contains { $0.hasPrefix("restores") })

        let second = try RestorationApplication(on: radio, try first.crash())
        let restored = try await second.makeCentral()
        #expect(
            second.firstCalls == ["restores [\"connecting\"], scan [\"180D\"] duplicates true", "state 5"])
        #expect(restored.isScanning)
        try await second.hears("connected")
        let again = try #require(second.peripherals.first)
        #expect(again.identifier == peripheral.identifier && again.name == "Sensor 1")
        // Without a new subscription there are values: new values, and none from before.
        try await waitFor("values") { second.values.count > 3 }
        #expect(Set(second.values).isDisjoint(with: Set(first.values)))
        _ = addSensor(.heartRate, 2)
        try await waitFor("a discovery by the restored scan") { second.discovered.contains { $0.name == "Sensor 2" } }
        #expect(radio.violations(of: sensor).isEmpty)

        // A third run finds the same state.
        try await waitFor("what is kept") { second.directory.central?.peripherals.first?.subscriptions.count == 1 }
        let third = try RestorationApplication(on: radio, try second.crash())
        let last = try await third.makeCentral()
        try await waitFor("values") { third.values.count > 3 }
        withExtendedLifetime((manager, restored, last)) {}
    }

    @Test(arguments: [true, false])
    func `a restored peripheral reconnects by itself if that was wanted, and only then`(reconnects: Bool) async throws {
        let sensor = addSensor(.counter, 1)
        let first = try RestorationApplication(on: radio, StateDirectory())
        let manager = try await first.makeCentral()
        let peripheral = try await discover(first, with: manager)
        manager.stopScan()
        manager.connect(peripheral, options: [CBConnectPeripheralOptionEnableAutoReconnect: reconnects as NSNumber])
        try await first.hears("connected")
        let value = try await peripheral.characteristic(Self.counterValue, in: Self.counterService)
        peripheral.setNotifyValue(true, for: value)
        try await waitFor("what is kept") {
            first.directory.central?.peripherals.first?.subscriptions.count == 1
                && first.directory.knows([peripheral.identifier])
        }
        #expect(first.directory.central?.peripherals.first?.reconnects == reconnects)

        let second = try RestorationApplication(on: radio, try first.crash())
        let restored = try await second.makeCentral()
        try await waitFor("values") { second.values.count > 3 }
        let again = try #require(second.peripherals.first)
        radio.simulateDisconnection(of: sensor)
        try await second.hears("disconnected")
        if reconnects {
            try #require(again.state != .disconnected)
            try await waitFor("another connection") { second.calls.count { $0 == "connected" } == 2 }
            let before = second.values.count
            try await waitFor("values without a call") { second.values.count > before + 3 }
        } else {
            #expect(again.state == .disconnected)
            // The peripheral's state is off the disk when no client wants the peripheral.
            try await waitFor("nothing to keep") { second.directory.central?.peripherals.isEmpty == true }
            #expect(second.calls.count { $0 == "connected" } == 1)
        }
        withExtendedLifetime((manager, restored)) {}
    }

    @Test func `a scan comes back with all its options`() async throws {
        let first = try RestorationApplication(on: radio, StateDirectory())
        let manager = try await first.makeCentral()
        manager.scanForPeripherals(
            withServices: [CBUUID(string: "180D"), Self.counterService],
            options: [
                CBCentralManagerScanOptionSolicitedServiceUUIDsKey: [CBUUID(string: "1805"), Self.counterValue],
                CBCentralManagerScanOptionBackgroundKey: true,
            ])
        try await waitFor("what is kept") { first.directory.central?.scan != nil }
        let kept = try #require(first.directory.central?.scan)
        #expect(
            kept.services == ["180D", Self.counterService.uuidString] && !kept.allowsDuplicates && kept.isBackground)
        #expect(Set(kept.solicitedServices) == ["1805", Self.counterValue.uuidString])
        let directory = try first.crash()
        let second = try RestorationApplication(on: radio, directory)
        let restored = try await second.makeCentral()
        // The manager keeps the parameters of its scan.
        #expect(restored.isScanning && restored.changing.withLock { $0.scan } == kept)
        // A second scan replaces the first.
        restored.scanForPeripherals(withServices: nil)
        try await waitFor("the other scan") {
            second.directory.central?.scan.map {
                $0.services == nil && !$0.isBackground && $0.solicitedServices.isEmpty
            }
                == true
        }
        withExtendedLifetime((manager, restored)) {}
    }

    @Test func `a subscription to Service Changed that was asked for by name comes back`() async throws {
        _ = addSensor(.counter, 1)
        let first = try RestorationApplication(on: radio, StateDirectory())
        let manager = try await first.makeCentral()
        let peripheral = try await discover(first, with: manager)
        try await peripheral.connect()
        let changed = try await peripheral.characteristic(CBUUID(string: "2A05"), in: CBUUID(string: "1801"))
        peripheral.setNotifyValue(true, for: changed)
        try await waitFor("what is kept") {
            first.directory.central?.peripherals.first?.subscriptions.count == 1
                && first.directory.knows([peripheral.identifier])
        }
        let second = try RestorationApplication(on: radio, try first.crash())
        let restored = try await second.makeCentral()
        try await second.hears("connected")
        let again = try #require(second.peripherals.first)
        try await waitFor("the subscription") {
            again.services?.flatMap { $0.characteristics ?? [] }.contains { $0.isNotifying } == true
        }
        let found = again.services?.map(\.uuid.uuidString) ?? []
        #expect(found.contains("1801") && !found.contains("1800"))
        withExtendedLifetime((manager, restored)) {}
    }

    @Test func `a peripheral that was never reached is still waited for`() async throws {
        let sensor = addSensor(.counter, 1)
        let first = try RestorationApplication(on: radio, StateDirectory())
        let manager = try await first.makeCentral()
        let peripheral = try await discover(first, with: manager)
        manager.stopScan()
        radio.simulateOutOfRange(sensor)
        manager.connect(peripheral)
        try await waitFor("what is kept") {
            first.directory.central?.peripherals.count == 1 && first.directory.knows([peripheral.identifier])
        }
        let second = try RestorationApplication(on: radio, try first.crash())
        let restored = try await second.makeCentral()
        #expect(second.peripherals.map(\.identifier) == [peripheral.identifier])
        #expect(!restored.isScanning)
        radio.simulateInRange(sensor)
        try await second.hears("connected")
        withExtendedLifetime(manager) {}
    }

    @Test func `what a central has ended does not come back`() async throws {
        _ = addSensor(.counter, 1)
        let first = try RestorationApplication(on: radio, StateDirectory())
        let manager = try await first.makeCentral()
        let peripheral = try await discover(first, with: manager)
        try await peripheral.connect()
        try await waitFor("what is kept") { first.directory.central?.peripherals.count == 1 }
        manager.cancelPeripheralConnection(peripheral)
        manager.stopScan()
        try await waitFor("nothing to keep") { first.directory.central?.isEmpty == true }
        let second = try RestorationApplication(on: radio, try first.crash())
        let restored = try await second.makeCentral()
        #expect(second.firstCalls == ["state 5"] && !restored.isScanning)
    }

    @Test func `a peripheral that the application does not take is let go of`() async throws {
        let sensor = addSensor(.counter, 1)
        let first = try RestorationApplication(on: radio, StateDirectory())
        let manager = try await first.makeCentral()
        let peripheral = try await discover(first, with: manager)
        try await peripheral.connect()
        try await waitFor("what is kept") {
            first.directory.central?.peripherals.count == 1 && first.directory.knows([peripheral.identifier])
        }
        let directory = try first.crash()
        let controller = CBController(
            transport: .descriptor(try radio.makeController(address: RestorationApplication.address)),
            stateDirectory: directory.path)
        defer { controller.shutdown() }
        let second = CBCentralManager(
            delegate: nil, queue: nil,
            options: [
                CBCentralManagerOptionControllerKey: controller, CBCentralManagerOptionRestoreIdentifierKey: "test",
            ])
        try await second.waitUntilPoweredOn()
        try await waitFor("nothing to keep") { directory.central?.peripherals.isEmpty == true }
        #expect(radio.sensorStates().first { $0.id == sensor }?.isConnected == false)
        withExtendedLifetime(manager) {}
    }

    // MARK: The end on purpose

    @Test(arguments: ["central", "peripheral"])
    func `a program that ends on purpose leaves nothing, unless it says so`(role: String) async throws {
        func run(_ directory: StateDirectory, _ end: (RestorationApplication) -> Void) async throws {
            let application = try RestorationApplication(on: radio, directory)
            var manager: CBManager? = role == "central" ? try await application.makeCentral() : nil
            if role == "central" {
                (manager as? CBCentralManager)?.scanForPeripherals(withServices: nil)
            } else {
                let own = try await application.makePeripheral()
                own.startAdvertising([CBAdvertisementDataLocalNameKey: "Test"])
                manager = own
            }
            try await waitFor("what is kept") {
                directory.central?.scan != nil || directory.peripheral?.advertisement != nil
            }
            end(application)
            withExtendedLifetime(manager) {}
        }
        let released = try StateDirectory()
        try await run(released) { _ in }
        try await waitFor("the end of the file") { !released.has(role) }
        let ended = try StateDirectory()
        try await run(ended) { $0.controller.shutdown() }
        #expect(!ended.has(role))
        let preserved = try StateDirectory()
        try await run(preserved) { $0.controller.shutdown(preservingState: true) }
        #expect(preserved.has(role))
        // The manager has gone since.
        let next = try RestorationApplication(on: radio, preserved)
        let manager: CBManager = role == "central" ? try await next.makeCentral() : try await next.makePeripheral()
        #expect(next.calls.first?.hasPrefix("restores") == true)
        withExtendedLifetime(manager) {}
    }

    // MARK: Malformed files

    static let damages: [(role: String, text: String)] = [
        ("central", ""), ("central", "{"), ("central", "[]"), ("central", "\u{0}\u{0}\u{0}\u{0}"),
        ("central", #"{"version":1,"peripherals":[{"identifier":"x","reconnects":true,"subscriptions":[]}]}"#),
        ("central", #"{"version":1,"peripherals":7}"#), ("peripheral", ""), ("peripheral", "{\"version\":1}"),
        ("peripheral", #"{"version":1,"services":[{"uuid":"180D","start":-1}]}"#),
    ]

    @Test(arguments: damages)
    func `a damaged file is one line in the log, and the manager begins anew`(role: String, text: String) async throws {
        let directory = try StateDirectory()
        try directory.write(Data(text.utf8), for: role)
        let lines = LineCollector()
        let application = try RestorationApplication(
            on: radio, directory, logger: Logger(label: "test") { _ in CollectingHandler(lines: lines) })
        let manager: CBManager =
            role == "central" ? try await application.makeCentral() : try await application.makePeripheral()
        #expect(application.firstCalls == ["state 5"])
        #expect(lines.all == ["preserved state cannot be read; it begins anew"])
        if let central = manager as? CBCentralManager { central.scanForPeripherals(withServices: nil) }
        (manager as? CBPeripheralManager)?.startAdvertising([CBAdvertisementDataLocalNameKey: "Test"])
        try await waitFor("a file that makes sense") {
            role == "central" ? directory.central?.scan != nil : directory.peripheral?.advertisement != nil
        }
        withExtendedLifetime(manager) {}
    }

    /// Readable files with impossible content.
    static let lies: [String] = [
        #"{"advertisement":{"localName":"x","serviceUUIDs":["zz","180D"]},"services":[],"version":1}"#,
        #"{"services":[{"characteristics":[],"included":[9],"isPrimary":true,"start":0,"uuid":"180D"}],"version":1}"#,
        #"{"services":[{"characteristics":[],"included":[],"isPrimary":true,"start":65535,"uuid":"zz"}],"version":1}"#,
        #"{"services":[{"characteristics":[],"included":[],"isPrimary":true,"start":65535,"uuid":"180D"}],"version":1}"#,
        #"{"services":[{"characteristics":[{"descriptors":[],"permissions":18446744073709551615,"properties":18446744073709551615,"subscribers":["00000000-0000-0000-0000-000000000000"],"uuid":"2A37","valueHandle":0}],"included":[],"isPrimary":true,"start":1,"uuid":"180D"}],"version":1}"#,
    ]

    @Test(arguments: lies) func `a file that says what cannot be harms nobody`(text: String) async throws {
        let directory = try StateDirectory()
        try directory.write(Data(text.utf8), for: "peripheral")
        let application = try RestorationApplication(on: radio, directory)
        let manager = try await application.makePeripheral()
        #expect(application.calls.first?.hasPrefix("restores") == true)
        let service = CBMutableService(type: CBUUID(string: "1234"), primary: true)
        manager.add(service)
        try await application.hears("added 1234")
    }
}
