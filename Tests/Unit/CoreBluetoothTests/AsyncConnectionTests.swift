// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import HCI
import Testing
import TestSupport
import VirtualRadio

/// States, connections and disconnections as asynchronous calls.
@Suite(.timeLimit(.minutes(10)))
struct AsyncConnectionTests {
    @Test func `states begin with the present one and tell of every change`() async throws {
        let application = try Application()
        let manager = CBCentralManager(
            delegate: nil, queue: application.queue,
            options: [CBCentralManagerOptionControllerKey: application.controller])
        try await manager.waitUntilPoweredOn(timeout: .seconds(20))
        var seen: [CBManagerState] = []
        for await state in manager.states {
            seen.append(state)
            if seen.count == 1 {
                application.radio.simulateHardwareError(try #require(application.radio.controllerStates().first).id)
            } else if state == .poweredOn {
                break
            }
        }
        #expect(seen == [.poweredOn, .resetting, .poweredOn])
    }

    @Test func `waiting for power ends with the timeout where there is none`() async throws {
        let manager = CBCentralManager(
            delegate: nil, queue: DispatchQueue(label: "nowhere"),
            options: [
                CBCentralManagerOptionControllerKey: CBController(
                    transport: .unix("/nonexistent/controller"), stateDirectory: nil)
            ])
        await #expect(throws: CBError(.connectionTimeout)) {
            try await manager.waitUntilPoweredOn(timeout: .milliseconds(20))
        }
    }

    @Test func `a peripheral is connected to and let go of, and the delegate hears of it`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connectAsynchronously(with: manager)
        #expect(peripheral.state == .connected)
        #expect(application.calls.contains("connected"))
        try await peripheral.connect()
        try await peripheral.disconnect()
        #expect(peripheral.state == .disconnected)
        #expect(application.calls.contains("disconnected"))
        try await peripheral.disconnect()
        await #expect(throws: CBError(.notConnected)) { try await peripheral.services() }
        await #expect(throws: CBError(.notConnected)) { try await peripheral.rssi() }
    }

    @Test func `a connect that times out or is cancelled takes its wish back`() async throws {
        let application = try Application()
        let sensor = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connectAsynchronously(with: manager)
        try await peripheral.disconnect()
        application.radio.simulateOutOfRange(sensor)
        await #expect(throws: CBError(.connectionTimeout)) { try await peripheral.connect(timeout: .milliseconds(50)) }
        let task = Task { try await peripheral.connect() }
        try await waitFor("the wish") { peripheral.state == .connecting }
        task.cancel()
        await #expect(throws: CBError(.operationCancelled)) { try await task.value }
        try await waitFor("the end of the wish") { peripheral.state == .disconnected }
        application.radio.simulateInRange(sensor)
        try await peripheral.connect(timeout: .seconds(20))
    }

    @Test func `a caller that gives up takes nobody else's wish back`() async throws {
        let application = try Application()
        let sensor = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connectAsynchronously(with: manager)
        try await peripheral.disconnect()
        application.radio.simulateOutOfRange(sensor)
        let other = Task { try await peripheral.connect() }
        try await waitFor("the wish") { peripheral.state == .connecting }
        await #expect(throws: CBError(.connectionTimeout)) { try await peripheral.connect(timeout: .milliseconds(20)) }
        #expect(peripheral.state == .connecting)
        manager.connect(peripheral)
        other.cancel()
        await #expect(throws: CBError(.operationCancelled)) { try await other.value }
        #expect(peripheral.state == .connecting)
        application.radio.simulateInRange(sensor)
        try await waitFor("the application's connection") { peripheral.state == .connected }
    }

    @Test func `updates of a connection carry the reason of its end`() async throws {
        let application = try Application()
        let sensor = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connectAsynchronously(with: manager)
        let states = Task {
            var states: [CBPeripheralState] = []
            for await state in peripheral.states {
                states.append(state)
                if state == .disconnected { break }
            }
            return states
        }
        let reason = Task {
            for await update in peripheral.connectionUpdates {
                if case .disconnected(let error, false) = update { return (error as? CBError)?.code }
            }
            return nil
        }
        // Once both listen.
        try await Task.sleep(for: .milliseconds(50))
        application.radio.simulateDisconnection(of: sensor, reason: .remoteUserTerminated)
        #expect(await states.value == [.connected, .disconnected])
        #expect(await reason.value == .peripheralDisconnected)
    }

    @Test func `reconnection takes the known one, and else another that advertises the service`() async throws {
        let application = try Application()
        let sensor = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let first = try await application.connectAsynchronously(with: manager)
        try await first.disconnect()
        let known = try await manager.peripheral(
            reconnectingTo: [UUID(), first.identifier], orAdvertising: [Counter.service], timeout: .seconds(20))
        #expect(known === first && known.state == .connected)
        try await known.disconnect()
        application.radio.simulateOutOfRange(sensor)
        _ = application.addSensor(.counter, number: 2)
        let other = try await manager.peripheral(
            reconnectingTo: [first.identifier], orAdvertising: [Counter.service], patience: .milliseconds(50),
            timeout: .seconds(30))
        #expect(other !== first && other.state == .connected)
        #expect(first.state != .connected)
        await #expect(throws: CBError(.connectionTimeout)) {
            try await manager.peripheral(
                reconnectingTo: [first.identifier], orAdvertising: [CBUUID(string: "1234")],
                patience: .milliseconds(20), timeout: .milliseconds(100))
        }
        await #expect(throws: CBError(.unknownDevice)) { try await manager.peripheral(reconnectingTo: [UUID()]) }
    }
}
