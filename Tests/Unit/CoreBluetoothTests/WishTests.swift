// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Synchronization
import Testing
import TestSupport
import VirtualRadio

/// Wishes for connections at awkward moments.
@Suite(.timeLimit(.minutes(10)))
struct WishTests {
    private let counterValue = CBUUID(string: "5E4D0002-1C7B-4B5E-9B0A-3F6B2C9D7A10")

    private func discover(_ application: Application) async throws -> (CBCentralManager, CBPeripheral) {
        let manager = try await application.makeManager()
        return (manager, try await application.discover(with: manager))
    }

    @Test func `a delayed connection that is cancelled in time ends at once`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let (manager, peripheral) = try await discover(application)
        manager.connect(peripheral, options: [CBConnectPeripheralOptionStartDelayKey: 3_600 as NSNumber])
        #expect(peripheral.state == .connecting)
        manager.cancelPeripheralConnection(peripheral)
        try await application.hears("disconnected")
        #expect(peripheral.state == .disconnected)
        manager.connect(peripheral)
        try await application.hears("connected")
    }

    @Test func `a connection that is to begin later does not begin with the return of the controller`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let (manager, peripheral) = try await discover(application)
        manager.connect(
            peripheral,
            options: [
                CBConnectPeripheralOptionStartDelayKey: 3_600 as NSNumber,
                CBConnectPeripheralOptionEnableAutoReconnect: true as NSNumber,
            ])
        application.forget()
        application.radio.simulateHardwareError(try #require(application.radio.controllerStates().first).id)
        try await application.hears("state 5")
        // The sensor advertises, so a connection would stand soon.
        let known = application.discovered.count
        manager.scanForPeripherals(withServices: nil)
        try await waitFor("a discovery, or a wrong connection") {
            application.discovered.count > known || application.calls.contains { $0.hasPrefix("connected") }
        }
        let calls = await settled { application.calls }
        #expect(!calls.contains { $0.hasPrefix("connected") }, "\(calls)")
    }

    @Test func `a peripheral that is wanted again while its connection ends comes back`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let (manager, peripheral) = try await discover(application)
        manager.connect(peripheral)
        try await application.hears("connected")
        application.forget()
        manager.cancelPeripheralConnection(peripheral)
        manager.connect(peripheral)
        try await application.hears("connected")
        #expect(application.calls == ["disconnected", "connected"])
        #expect(peripheral.state == .connected)
    }

    @Test func `the end of a connection is not the end of the next wish for it`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let (manager, peripheral) = try await discover(application)
        manager.connect(peripheral)
        try await application.hears("connected")
        let seen = Mutex<[CBPeripheralState]>([])
        let states = peripheral.states
        let listening = Task { for await state in states { seen.withLock { $0.append(state) } } }
        defer { listening.cancel() }
        application.forget()
        application.queue.sync {
            manager.cancelPeripheralConnection(peripheral)
            manager.connect(peripheral)
        }
        try await application.hears("connected")
        let all = await settled { seen.withLock { $0 } }
        #expect(all.last == .connected && !all.contains(.disconnected), "\(all)")
    }

    @Test func `automatic reconnection outlives a reset of the controller`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(
            with: manager, options: [CBConnectPeripheralOptionEnableAutoReconnect: true as NSNumber])
        let value = try await application.find(counterValue, on: peripheral)
        peripheral.setNotifyValue(true, for: value)
        try await waitFor("a value") { !application.values.isEmpty }
        application.forget()
        application.radio.simulateHardwareError(try #require(application.radio.controllerStates().first).id)
        try await application.hears("connected")
        #expect(peripheral.state == .connected)
        #expect(application.calls.contains { $0.hasPrefix("disconnected reconnecting") })
        application.forget()
        try await waitFor("values without a call") { application.values.count > 3 }
    }

    @Test func `a cancelled connection leaves no subscription for the next one`() async throws {
        let application = try Application()
        let sensor = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(
            with: manager, options: [CBConnectPeripheralOptionEnableAutoReconnect: true as NSNumber])
        peripheral.setNotifyValue(true, for: try await application.find(counterValue, on: peripheral))
        try await waitFor("a value") { !application.values.isEmpty }
        application.radio.simulateOutOfRange(sensor)
        application.radio.simulateDisconnection(of: sensor)
        try await waitFor("a lost link") { application.calls.contains { $0.hasPrefix("disconnected reconnecting") } }
        manager.cancelPeripheralConnection(peripheral)
        try await waitFor("the end") { peripheral.state == .disconnected }
        application.radio.simulateInRange(sensor)
        application.forget()
        manager.connect(peripheral)
        try await application.hears("connected")
        let value = try await application.find(counterValue, on: peripheral)
        try await application.passBeginning(of: peripheral, reading: value)
        #expect(!value.isNotifying)
    }
}
