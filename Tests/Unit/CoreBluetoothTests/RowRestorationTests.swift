// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Synchronization
import Testing
import TestSupport
import VirtualRadio

private let counterService = CBUUID(string: "5E4D0001-1C7B-4B5E-9B0A-3F6B2C9D7A10")

/// The rows of docs/core-bluetooth.md on state preservation.
@Suite(.timeLimit(.minutes(10)))
struct RowRestorationTests {
    let directory = NSTemporaryDirectory() + "martlet-\(UUID().uuidString)"

    private func makeCentral(_ application: Application, _ delegate: Restored) -> CBCentralManager {
        CBCentralManager(
            delegate: delegate, queue: application.queue,
            options: [
                CBCentralManagerOptionControllerKey: application.controller,
                CBCentralManagerOptionRestoreIdentifierKey: "collector",
            ])
    }

    /// A run of a program that scans, and waits for a peripheral. With `preserving`, the program's end is not its user's wish.
    private func run(preserving: Bool) async throws -> UUID {
        let application = try Application(stateDirectory: directory)
        _ = application.addSensor(.counter)
        let delegate = Restored()
        let manager = makeCentral(application, delegate)
        try await waitFor("power") { delegate.calls.last == "state 5" }
        #expect(!delegate.calls.contains("restores"))
        manager.scanForPeripherals(
            withServices: [counterService],
            options: [
                CBCentralManagerScanOptionAllowDuplicatesKey: true, CBCentralManagerScanOptionBackgroundKey: false,
            ])
        try await waitFor("a discovery") { delegate.peripherals.first != nil }
        let peripheral = try #require(delegate.peripherals.first)
        manager.connect(peripheral)
        try await waitFor("a connection") { peripheral.state == .connected }
        application.controller.shutdown(preservingState: preserving)
        return peripheral.identifier
    }

    @Test func `a central manager is given its peripherals and its scan before the first state`() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let identifier = try await run(preserving: true)
        let application = try Application(stateDirectory: directory)
        _ = application.addSensor(.counter)
        let delegate = Restored()
        let manager = makeCentral(application, delegate)
        try await waitFor("power") { manager.state == .poweredOn }
        #expect(delegate.calls.first == "restores")
        let peripheral = try #require(delegate.peripherals.first)
        #expect(peripheral.identifier == identifier)
        #expect(delegate.scanServices == [counterService])
        try await waitFor("the scan") { manager.isScanning }
        try await waitFor("a connection") { peripheral.state == .connected }
    }

    @Test func `a program that ends on purpose leaves nothing to restore`() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        _ = try await run(preserving: false)
        let application = try Application(stateDirectory: directory)
        let delegate = Restored()
        let manager = makeCentral(application, delegate)
        try await waitFor("power") { delegate.calls.last == "state 5" }
        #expect(!delegate.calls.contains("restores"))
        #expect(!manager.isScanning)
    }

    @Test func `a peripheral manager is given its services and its advertisement before the first state`() async throws
    {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let radio = VirtualRadio(seed: 6)
        defer { radio.stop() }
        for isFirst in [true, false] {
            let application = try PeripheralApplication(on: radio, stateDirectory: directory)
            let manager = CBPeripheralManager(
                delegate: application, queue: application.queue,
                options: [
                    CBPeripheralManagerOptionControllerKey: application.controller,
                    CBPeripheralManagerOptionRestoreIdentifierKey: "publisher",
                ])
            try await waitFor("power") { manager.state == .poweredOn }
            if isFirst {
                let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
                try await application.publish(service, with: manager)
                manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Gateway"])
                try await application.hears("advertising")
            } else {
                #expect(application.calls.first == "restores kCBRestoredAdvertisement kCBRestoredServices")
            }
            try await waitFor("advertising") { manager.isAdvertising }
            application.controller.shutdown(preservingState: true)
        }
    }
}

/// The calls to a central application at its start.
private final class Restored: NSObject, CBCentralManagerDelegate, Sendable {
    private struct State {
        var calls: [String] = []
        var peripherals: [CBPeripheral] = []
        var scanServices: [CBUUID]?
    }

    private let state = Mutex(State())
    var calls: [String] { state.withLock { $0.calls } }
    var peripherals: [CBPeripheral] { state.withLock { $0.peripherals } }
    var scanServices: [CBUUID]? { state.withLock { $0.scanServices } }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        state.withLock { $0.calls.append("state \(central.state.rawValue)") }
    }

    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        let peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
        let services = dict[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID]
        state.withLock { state in
            state.calls.append("restores")
            state.peripherals += peripherals
            state.scanServices = services
        }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        state.withLock { $0.peripherals.append(peripheral) }
    }
}
