// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Synchronization
import Testing
import TestSupport
import VirtualRadio

@testable import BluetoothHost
@testable import CoreBluetooth

private let serviceUUID = CBUUID(string: "7A1C0001-6F0E-4C55-9C7D-2B0F3E8D4A31")
private let commandUUID = CBUUID(string: "7A1C0002-6F0E-4C55-9C7D-2B0F3E8D4A31")

/// A peripheral manager whose delegate never returns. Its controller also serves a central that collects values.
@Suite(.timeLimit(.minutes(10)))
struct BlockedDelegateTests {
    /// Opens once, and for good.
    private final class Gate: Sendable {
        private let isOpen = Mutex(false)
        private let bell = DispatchSemaphore(value: 0)

        func pass() {
            guard !isOpen.withLock({ $0 }) else { return }
            bell.wait()
            bell.signal()
        }

        func open() {
            isOpen.withLock { $0 = true }
            bell.signal()
        }
    }

    @Test func `a delegate that never returns stops nobody else's values, is cut off, and begins anew`() async throws {
        let gate = Gate()
        // The gateway: a central and a peripheral manager on one controller.
        let collector = try Application()
        let gateway = collector.controller
        _ = collector.addSensor(.heartRate, rate: 50)
        let collecting = try await collector.makeManager()
        let sensor = try await collector.connect(with: collecting)
        let measurement = try await collector.find(CBUUID(string: "2A37"), on: sensor)
        sensor.setNotifyValue(true, for: measurement)
        try await waitFor("values") { collector.controller.statistics.notifications > 5 }

        let service = BlockedService(gate)
        let serving = CBPeripheralManager(
            delegate: service, queue: service.queue, options: [CBPeripheralManagerOptionControllerKey: gateway])
        try await waitFor("advertising") { service.calls.contains("advertising") }
        let client = try #require(serving.client)

        // A phone that writes without waiting.
        let phone = try Application(on: collector.radio)
        let calling = try await phone.makeManager()
        calling.scanForPeripherals(withServices: [serviceUUID])
        try await waitFor("the gateway") { !phone.discovered.isEmpty }
        calling.stopScan()
        let remote = try #require(phone.discovered.first?.peripheral)
        remote.delegate = phone
        calling.connect(remote)
        try await phone.hears("connected")
        let command = try await phone.find(commandUUID, on: remote)
        while gateway.statistics.managersCutOff == 0 {
            if remote.state == .connected { remote.writeValue(Data([1]), for: command, type: .withoutResponse) }
            // Pauses make several batches.
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(gateway.host.unhandled(by: client) <= ClientDeliveries.limit + 1)
        let before = gateway.statistics.notifications
        try await waitFor("values") { gateway.statistics.notifications > before + 100 }
        #expect(sensor.state == .connected && gateway.statistics.managersCutOff == 1)
        #expect(gateway.host.unhandled(by: client) <= ClientDeliveries.limit + 1)
        // The phone does not wait for the blocked delegate.
        try await waitFor("the end of the advertising") {
            collecting.state == .poweredOn && !service.calls.contains("state 1")
        }

        gate.open()
        try await waitFor("a new beginning") { service.calls.suffix(3) == ["state 1", "state 5", "advertising"] }
        #expect(gateway.statistics.managersCutOff == 1)
        let after = gateway.statistics.notifications
        try await waitFor("values") { gateway.statistics.notifications > after + 10 }
    }

    private final class BlockedService: NSObject, CBPeripheralManagerDelegate, Sendable {
        let queue = DispatchQueue(label: "blocked service")
        private let gate: Gate
        private let told = Mutex<[String]>([])

        init(_ gate: Gate) { self.gate = gate }

        var calls: [String] { told.withLock { $0 } }
        private func record(_ call: String) { told.withLock { $0.append(call) } }

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            record("state \(peripheral.state.rawValue)")
            guard peripheral.state == .poweredOn else { return }
            let service = CBMutableService(type: serviceUUID, primary: true)
            service.characteristics = [
                CBMutableCharacteristic(
                    type: commandUUID, properties: .writeWithoutResponse, value: nil, permissions: .writeable)
            ]
            peripheral.add(service)
            peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [serviceUUID]])
        }

        func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
            record("advertising")
        }

        func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
            record("write")
            gate.pass()
        }
    }
}
