// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// Connects to the generator's sensors, subscribes, and counts every value, as an application of Core Bluetooth does.
final class Notifications: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private let links: Int
    private var counted = SequenceCount()
    private var expected: [UUID: UInt32] = [:]
    private var peripherals: [UUID: CBPeripheral] = [:]
    private var wasOn = false

    private static let service = CBUUID(string: "181A")
    private static let temperature = CBUUID(string: "2A6E")

    init(links: Int) { self.links = links }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn {
            wasOn = true
            central.scanForPeripherals(withServices: nil)
        } else if wasOn {
            finish(counted)
        }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard peripherals.count < links, peripherals[peripheral.identifier] == nil,
            peripheral.address.hasPrefix("C0:5E:50:")
        else { return }
        peripherals[peripheral.identifier] = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
        if peripherals.count == links { central.stopScan() }
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([Self.service])
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        fail("could not connect to \(peripheral): \(String(describing: error))")
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let service = peripheral.services?.first else {
            fail("no service: \(String(describing: error))")
        }
        peripheral.discoverCharacteristics([Self.temperature], for: service)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        guard let characteristic = service.characteristics?.first else {
            fail("no characteristic: \(String(describing: error))")
        }
        peripheral.setNotifyValue(true, for: characteristic)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        if let error { fail("could not subscribe: \(error)") }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let sequence = characteristic.value?.sequenceNumber(at: 0) else { return }
        counted.count(sequence, expected: &expected[peripheral.identifier, default: 0])
    }
}
