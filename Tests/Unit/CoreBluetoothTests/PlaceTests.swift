// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Logging
import Synchronization
import Testing
import TestSupport
import VirtualRadio

@testable import CoreBluetooth

/// Managers for which a controller has no place, or no time any more.
@Suite(.timeLimit(.minutes(10)))
struct PlaceTests {
    /// Counts the errors in the log.
    private struct Errors: LogHandler {
        let count: Counter
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.error
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) { count.value.withLock { $0 += 1 } }
    }

    private final class Counter: Sendable { let value = Mutex(0) }

    private func makeController(_ radio: VirtualRadio, _ errors: Counter = Counter()) throws -> CBController {
        let address = DeviceAddress(kind: .public, value: 0xA0_0000_0003)
        return CBController(
            transport: .descriptor(try radio.makeController(address: address)), stateDirectory: nil,
            logger: Logger(label: "test") { _ in Errors(count: errors) })
    }

    private func code(_ body: () async throws -> Void) async -> CBError.Code? {
        do { try await body() } catch { return (error as? CBError)?.code }
        return nil
    }

    @Test func `a controller that has ended is freed, though it was asked for more`() async throws {
        let radio = VirtualRadio(seed: 5)
        defer { radio.stop() }
        weak var host: AnyObject?
        do {
            let controller = try makeController(radio)
            let manager = CBCentralManager(
                delegate: nil, queue: DispatchQueue(label: "ended"),
                options: [CBCentralManagerOptionControllerKey: controller])
            try await manager.waitUntilPoweredOn()
            host = controller.host
            controller.shutdown()
            for _ in 0..<100 { controller.onRadioThread {} }
            manager.scanForPeripherals(withServices: nil)
        }
        try await waitFor("the end of the radio thread") { host == nil }
    }

    @Test func `a manager for which there is no place says so, and its calls fail`() async throws {
        let radio = VirtualRadio(seed: 3)
        defer { radio.stop() }
        let errors = Counter()
        let controller = try makeController(radio, errors)
        defer { controller.shutdown() }
        let options = [CBCentralManagerOptionControllerKey: controller]
        let queue = DispatchQueue(label: "places")
        var managers = (0..<64).map { _ in CBCentralManager(delegate: nil, queue: queue, options: options) }
        try await managers[63].waitUntilPoweredOn()
        let peripheral = PeripheralUpdates()
        let late = CBCentralManager(delegate: nil, queue: queue, options: options)
        let server = CBPeripheralManager(
            delegate: peripheral, queue: queue, options: [CBPeripheralManagerOptionControllerKey: controller])
        #expect(await code { try await late.waitUntilPoweredOn() } == .operationNotSupported)
        try await waitFor("the update") { peripheral.states.withLock { $0 } == [.unsupported] }
        #expect(late.state == .unsupported && server.state == .unsupported)
        #expect(late.stateReason.hasPrefix("64 managers") && server.stateReason == late.stateReason)
        #expect(managers[63].stateReason == "powered on")
        #expect(errors.value.withLock { $0 } == 2)
        // A released manager's place is free.
        managers.removeLast()
        try await waitFor("a place") {
            CBCentralManager(delegate: nil, queue: queue, options: options).stateReason == "powered on"
        }
    }

    @Test func `nothing waits for a controller that was shut down`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        application.controller.shutdown()
        #expect(await code { _ = try await peripheral.rssi() } == .notConnected)
        try await waitFor("the end") { peripheral.state == .disconnected }
        #expect(await code { try await peripheral.connect() } == .operationNotSupported)
        #expect(peripheral.state == .disconnected)
        let late = CBCentralManager(
            delegate: nil, queue: application.queue,
            options: [CBCentralManagerOptionControllerKey: application.controller])
        #expect(await code { try await late.waitUntilPoweredOn() } == .operationNotSupported)
        #expect(late.stateReason.contains("shut down"))
    }

    private final class PeripheralUpdates: NSObject, CBPeripheralManagerDelegate, Sendable {
        let states = Mutex<[CBManagerState]>([])
        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            let state = peripheral.state
            states.withLock { $0.append(state) }
        }
    }
}
