// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Platform
import Synchronization
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench
@testable import Platform

/// The collector's window is open for sensors that ask for security. A phone with a connection to the gateway is no sensor.
@Suite(.timeLimit(.minutes(10)))
struct PhoneAtTheCollectorTests {
    /// A phone at the sensor's address, so that it looks like the sensor.
    private final class Phone: NSObject, CBCentralManagerDelegate, Sendable {
        let controller: CBController
        private let queue = DispatchQueue(label: "phone")
        private let state = Mutex<(manager: CBCentralManager?, gateway: CBPeripheral?)>((nil, nil))

        init(on radio: VirtualRadio) throws {
            controller = CBController(
                transport: .descriptor(try radio.makeController(address: PairingSensor.address)), stateDirectory: nil)
            super.init()
            let manager = CBCentralManager(
                delegate: self, queue: queue, options: [CBCentralManagerOptionControllerKey: controller])
            let box = Box(manager)
            state.withLock { $0.manager = box.value }
        }

        deinit { controller.shutdown() }

        var gateway: CBPeripheral? {
            state.withLock { Box($0.gateway?.state == .connected ? $0.gateway : nil) }.value
        }

        func centralManagerDidUpdateState(_ central: CBCentralManager) {
            if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
        }

        func centralManager(
            _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
            rssi RSSI: NSNumber
        ) {
            let box = Box(peripheral)
            state.withLock { $0.gateway = box.value }
            central.stopScan()
            central.connect(peripheral)
        }
    }

    /// Makes the gateway's controller connectable, as a configuration service would.
    private final class Service: NSObject, CBPeripheralManagerDelegate, Sendable {
        private let queue = DispatchQueue(label: "service")
        private let manager = Mutex<CBPeripheralManager?>(nil)

        init(on controller: CBController) {
            super.init()
            let box = Box(
                CBPeripheralManager(
                    delegate: self, queue: queue, options: [CBPeripheralManagerOptionControllerKey: controller]))
            manager.withLock { $0 = box.value }
        }

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            if peripheral.state == .poweredOn { peripheral.startAdvertising([:]) }
        }
    }

    /// Takes an object into and out of a lock. Sound, because all uses are on one queue.
    private struct Box<Value>: @unchecked Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    @Test(arguments: [false, true])
    func `the collector's window lets no phone in, not even at a sensor's address`(isStopped: Bool) async throws {
        let radio = VirtualRadio(seed: 9)
        defer { radio.stop() }
        let controller = CBController(
            transport: .descriptor(try radio.makeController(address: DeviceAddress(kind: .public, value: 2))),
            stateDirectory: nil)
        defer { controller.shutdown() }
        let outlet = CollectorOutlet(
            append: { _ in }, appendWhenDurable: { _, done in done(true) }, countGap: { _, _ in },
            setAvailability: { _, _ in }, identifier: { _ in nil }, keep: { _, _ in }, whenKnown: { $0() })
        var rule = SensorRule()
        (rule.id, rule.address, rule.pair) = ("thermo", PairingSensor.address.value, true)
        let collector = Collector(
            controller: controller, rules: [rule], clock: SystemClock(requireSynchronization: false),
            time: DispatchTime.now, randomness: .system, outlet: outlet,
            logger: LogLines().logger)
        collector.start()
        let service = Service(on: controller)
        defer { withExtendedLifetime(service) {} }
        let isOpen = await eventually { controller.pairingPolicy.incoming == .open }
        #expect(isOpen)
        if isStopped { collector.stop(timeout: .seconds(2)) }
        defer { if !isStopped { collector.stop(timeout: .seconds(2)) } }

        let phone = try Phone(on: radio)
        let isConnected = await eventually { phone.gateway != nil }
        #expect(isConnected)
        let gateway = try #require(phone.gateway)
        let refusal = await #expect(throws: CBPairingError.self) {
            try await phone.controller.pair(gateway, timeout: .seconds(30))
        }
        #expect(refusal?.code == .notSupported)
        #expect(controller.bonds.isEmpty && phone.controller.bonds.isEmpty)
    }
}
