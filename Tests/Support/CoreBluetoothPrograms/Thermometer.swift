// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// A health thermometer's readings for a fever app: the sensor sends each reading as an indication.
final class Thermometer: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    struct Reading: Equatable {
        enum Unit { case celsius, fahrenheit }
        let value: Double
        let unit: Unit

        var celsius: Double { unit == .celsius ? value : (value - 32) * 5 / 9 }
    }

    static let service = CBUUID(string: "1809")
    static let measurement = CBUUID(string: "2A1C")

    private(set) var readings: [Reading] = []
    private(set) var unreadable = 0
    private(set) var lastError: Error?
    private(set) var isReceiving = false

    private lazy var central = CBCentralManager(delegate: self, queue: .main)
    private var thermometer: CBPeripheral?

    func start() { _ = central }

    func stop() {
        guard let thermometer = thermometer else { return }
        let characteristic = thermometer.services?.first { $0.uuid == Self.service }?.characteristics?
            .first { $0.uuid == Self.measurement }
        if let characteristic = characteristic { thermometer.setNotifyValue(false, for: characteristic) }
    }

    // MARK: CBCentralManagerDelegate

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        central.scanForPeripherals(withServices: [Self.service])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any], rssi RSSI: NSNumber
    ) {
        guard thermometer == nil else { return }
        thermometer = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral, options: [CBConnectPeripheralOptionNotifyOnDisconnectionKey: true])
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([Self.service])
    }

    func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?
    ) {
        lastError = error
        thermometer = nil
    }

    // MARK: CBPeripheralDelegate

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        lastError = error
        guard let service = peripheral.services?.first(where: { $0.uuid == Self.service }) else { return }
        peripheral.discoverCharacteristics([Self.measurement], for: service)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        lastError = error
        for characteristic in service.characteristics ?? [] where characteristic.properties.contains(.indicate) {
            peripheral.setNotifyValue(true, for: characteristic)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
    ) {
        lastError = error
        isReceiving = characteristic.isNotifying
        if !characteristic.isNotifying { central.cancelPeripheralConnection(peripheral) }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        guard error == nil, let data = characteristic.value else { return }
        if let reading = Self.parse(data) { readings.append(reading) } else { unreadable += 1 }
    }

    /// Flags, then an IEEE 11073-20601 FLOAT: 24 bits of mantissa and 8 of exponent, both signed.
    static func parse(_ data: Data) -> Reading? {
        guard data.count >= 5 else { return nil }
        let octets = [UInt8](data)
        let raw = Int32(octets[1]) | Int32(octets[2]) << 8 | Int32(octets[3]) << 16
        // NaN, not at this resolution, the infinities and a reserved value.
        if [0x7F_FFFF, 0x80_0000, 0x7F_FFFE, 0x80_0002, 0x80_0001].contains(raw) { return nil }
        let mantissa = raw & 0x80_0000 == 0 ? raw : raw - 0x100_0000
        let exponent = Int8(bitPattern: octets[4])
        let value = Double(mantissa) * pow(10, Double(exponent))
        return Reading(value: value, unit: octets[0] & 1 == 0 ? .celsius : .fahrenheit)
    }
}
