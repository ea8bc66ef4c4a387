// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// Ordinary application code for iOS, without a line for Linux.
final class HeartRateViewModel: NSObject {
    private let heartRateServiceUUID = CBUUID(string: "180D")
    private let heartRateMeasurementUUID = CBUUID(string: "2A37")

    private(set) var status = "idle"
    private(set) var deviceName: String?
    private(set) var measurements: [Int] = []
    private(set) var batteryLevel: Int?
    var onChange: (() -> Void)?

    private var centralManager: CBCentralManager!
    private var heartRatePeripheral: CBPeripheral?

    func start() {
        centralManager = CBCentralManager(delegate: self, queue: nil)
    }

    func stop() {
        if let peripheral = heartRatePeripheral {
            centralManager.cancelPeripheralConnection(peripheral)
        }
    }
}

extension HeartRateViewModel: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        switch central.state {
        case .poweredOn:
            status = "scanning"
            central.scanForPeripherals(withServices: [heartRateServiceUUID], options: nil)
        case .poweredOff: status = "off"
        case .unauthorized: status = "unauthorized"
        case .unsupported: status = "unsupported"
        case .resetting: status = "resetting"
        case .unknown: status = "unknown"
        @unknown default: status = "?"
        }
        onChange?()
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard heartRatePeripheral == nil, RSSI.intValue > -100 else { return }
        if let connectable = advertisementData[CBAdvertisementDataIsConnectable] as? Bool, !connectable { return }
        deviceName = advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name
        heartRatePeripheral = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
        status = "connecting"
        onChange?()
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        status = "connected"
        peripheral.discoverServices([heartRateServiceUUID, CBUUID(string: "180F")])
        onChange?()
    }

    func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
        if let error = error as? CBError, error.code == .connectionTimeout {
            status = "lost"
            central.connect(peripheral, options: nil)
        } else {
            status = error == nil ? "stopped" : "disconnected"
        }
        onChange?()
    }
}

extension HeartRateViewModel: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        guard let services = peripheral.services else { return }
        for service in services {
            peripheral.discoverCharacteristics(nil, for: service)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        for characteristic in service.characteristics ?? [] {
            if characteristic.properties.contains(.read) && characteristic.uuid == CBUUID(string: "2A19") {
                peripheral.readValue(for: characteristic)
            }
            if characteristic.properties.contains(.notify) && characteristic.uuid == heartRateMeasurementUUID {
                peripheral.setNotifyValue(true, for: characteristic)
            }
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
    ) {
        status = characteristic.isNotifying ? "subscribed" : "unsubscribed"
        onChange?()
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        guard error == nil, let data = characteristic.value else { return }
        switch characteristic.uuid {
        case heartRateMeasurementUUID:
            let octets = [UInt8](data)
            measurements.append(octets[0] & 1 == 0 ? Int(octets[1]) : Int(octets[1]) | Int(octets[2]) << 8)
        case CBUUID(string: "2A19"):
            batteryLevel = data.first.map(Int.init)
        default:
            break
        }
        onChange?()
    }
}
