// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Synchronization
import Testing
import TestSupport
import VirtualRadio

/// An application on its own virtual radio. It keeps its delegates' calls as text, in order.
final class Application: NSObject, Sendable {
    private struct Told {
        var calls: [String] = []
        var discovered: [(peripheral: CBPeripheral, name: String?, rssi: Int)] = []
        var values: [Data] = []
    }

    let radio: VirtualRadio
    private let ownsRadio: Bool
    let controller: CBController
    let queue = DispatchQueue(label: "application")
    private let told = Mutex(Told())

    static let address = DeviceAddress(kind: .public, value: 0xA0_0000_0001)

    init(
        on radio: VirtualRadio? = nil, stateDirectory: String? = nil,
        settings: ControllerSettings = ControllerSettings(), capture: String? = nil,
        privacy: CBPrivacy = .whenAdvertising
    ) throws {
        self.radio = radio ?? VirtualRadio(seed: 5)
        ownsRadio = radio == nil
        // A second application on the same radio is another device.
        let address = radio == nil ? Self.address : DeviceAddress(kind: .public, value: Self.address.value + 1)
        controller = CBController(
            transport: .descriptor(try self.radio.makeController(address: address, settings: settings)),
            stateDirectory: stateDirectory, privacy: privacy, capture: capture)
    }

    deinit {
        controller.shutdown()
        if ownsRadio { radio.stop() }
    }

    func addSensor(_ kind: VirtualSensor.Kind, number: UInt64 = 1, rate: Double = 20) -> AirNodeID {
        radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: 0xC000_0000_0000 | number), name: "Sensor \(number)",
                kind: kind, rate: rate))
    }

    /// A manager in the state poweredOn.
    func makeManager() async throws -> CBCentralManager {
        let manager = CBCentralManager(
            delegate: self, queue: queue, options: [CBCentralManagerOptionControllerKey: controller])
        try await waitFor("power") { manager.state == .poweredOn }
        return manager
    }

    /// The first sensor that a scan of its own discovers.
    func discover(with manager: CBCentralManager) async throws -> CBPeripheral {
        manager.scanForPeripherals(withServices: nil)
        try await waitFor("a discovery") { !self.discovered.isEmpty }
        manager.stopScan()
        return try #require(discovered.first?.peripheral)
    }

    /// The first discovered sensor, connected.
    func connect(with manager: CBCentralManager, options: [String: Any]? = nil) async throws -> CBPeripheral {
        let peripheral = try await discover(with: manager)
        peripheral.delegate = self
        manager.connect(peripheral, options: options)
        try await waitFor("a connection") { self.calls.contains("connected") }
        return peripheral
    }

    /// A characteristic of a connected peripheral.
    func find(_ uuid: CBUUID, on peripheral: CBPeripheral) async throws -> CBCharacteristic {
        peripheral.discoverServices(nil)
        // Without a link the services do not come: the wait ends at once, and names all calls.
        try await waitFor("services \(calls)") {
            peripheral.services?.isEmpty == false || peripheral.state != .connected
                || calls.contains { $0.hasPrefix("services ") }
        }
        try #require(peripheral.services?.isEmpty == false, "no services: \(calls)")
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
        func found() -> CBCharacteristic? {
            (peripheral.services ?? []).flatMap { $0.characteristics ?? [] }.first { $0.uuid == uuid }
        }
        try await waitFor("the characteristic \(uuid)") { found() != nil }
        return try #require(found())
    }

    /// Waits until the requests at the beginning of the link are over. The peer answers in order, so this function waits for more answers
    /// than the beginning has requests. A wait for a call that must not come would end only by its limit.
    func passBeginning(of peripheral: CBPeripheral, reading characteristic: CBCharacteristic) async throws {
        for _ in 0..<20 {
            let before = calls.count { $0.hasPrefix("value") }
            peripheral.readValue(for: characteristic)
            try await waitFor("an answer") { calls.count { $0.hasPrefix("value") } > before }
        }
        forget()
    }

    var calls: [String] { told.withLock { $0.calls } }
    var discovered: [(peripheral: CBPeripheral, name: String?, rssi: Int)] { told.withLock { $0.discovered } }
    var values: [Data] { told.withLock { $0.values } }

    func forget() { told.withLock { ($0.calls, $0.values) = ([], []) } }

    /// Waits for a past or future call.
    func hears(_ call: String) async throws { try await waitFor(call) { self.calls.contains(call) } }

    private func record(_ call: String) { told.withLock { $0.calls.append(call) } }
    private func text(_ error: (any Error)?) -> String {
        error.map { " \(($0 as NSError).domain) \(($0 as NSError).code)" } ?? ""
    }
}

extension Application: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) { record("state \(central.state.rawValue)") }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String
        told.withLock { $0.discovered.append((peripheral, name, RSSI.intValue)) }
    }

    func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
    ) { record("event \(event.rawValue)") }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { record("connected") }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        record("failed" + text(error))
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?
    ) {
        record("disconnected" + (isReconnecting ? " reconnecting" : "") + text(error))
    }
}

extension Application: CBPeripheralDelegate {
    func peripheralDidUpdateName(_ peripheral: CBPeripheral) { record("name \(peripheral.name ?? "-")") }
    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        record("modified \(invalidatedServices.count)")
    }
    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        record("rssi" + (RSSI.intValue < 0 ? " negative" : "") + text(error))
    }
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        record("services" + text(error))
    }
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
    ) { record("included \(service.includedServices?.count ?? -1)" + text(error)) }
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) { record("descriptors" + text(error)) }
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if error == nil, let value = characteristic.value { told.withLock { $0.values.append(value) } }
        record("value" + text(error))
    }
    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) { record("written" + text(error)) }
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) { record("notifying \(characteristic.isNotifying)" + text(error)) }
    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        record("descriptor \(descriptor.uuid) \(descriptor.value ?? "-")" + text(error))
    }
    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
        record("descriptor written" + text(error))
    }
    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { record("ready") }
}
