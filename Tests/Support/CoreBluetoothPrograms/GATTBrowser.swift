// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// Discovers all attributes of a peripheral, reads every readable value, and writes a tree of them.
final class GATTBrowser: NSObject {
    private(set) var tree: String?
    private(set) var errors: [String] = []

    private var central: CBCentralManager?
    private var subject: CBPeripheral?
    /// Requests whose answers are still to come.
    private var open = 0 {
        didSet { if open == 0, let subject = subject { finish(subject) } }
    }

    func browse() { central = CBCentralManager(delegate: self, queue: nil) }

    private func finish(_ peripheral: CBPeripheral) {
        var lines = [peripheral.name ?? "Unnamed"]
        for service in peripheral.services ?? [] {
            lines.append("- service \(service.uuid.uuidString)\(service.isPrimary ? "" : " (secondary)")")
            for included in service.includedServices ?? [] { lines.append("  - includes \(included.uuid.uuidString)") }
            for characteristic in service.characteristics ?? [] {
                let names = Self.names(characteristic.properties).joined(separator: " ")
                lines.append("  - \(characteristic.uuid.uuidString) [\(names)]" + Self.text(characteristic.value))
                for descriptor in characteristic.descriptors ?? [] {
                    lines.append("    - \(descriptor.uuid.uuidString)" + Self.text(descriptor.value))
                }
            }
        }
        tree = lines.joined(separator: "\n")
        central?.cancelPeripheralConnection(peripheral)
    }

    private static func names(_ properties: CBCharacteristicProperties) -> [String] {
        let all: [(CBCharacteristicProperties, String)] = [
            (.broadcast, "broadcast"), (.read, "read"), (.writeWithoutResponse, "writeWithoutResponse"),
            (.write, "write"), (.notify, "notify"), (.indicate, "indicate"),
        ]
        return all.filter { properties.contains($0.0) }.map { $0.1 }
    }

    private static func text(_ value: Any?) -> String {
        switch value {
        case let data as Data where !data.isEmpty && data.allSatisfy { (0x20..<0x7F).contains($0) }:
            return " \"\(String(decoding: data, as: UTF8.self))\""
        case let data as Data: return " " + data.map { String(format: "%02x", $0) }.joined()
        case let number as NSNumber: return " \(number)"
        case let string as String: return " \"\(string)\""
        default: return ""
        }
    }

    private func answered(_ error: Error?) {
        if let error = error { errors.append(error.localizedDescription) }
        open -= 1
    }
}

extension GATTBrowser: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard subject == nil, advertisementData[CBAdvertisementDataIsConnectable] as? Bool == true else { return }
        subject = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        open += 1
        peripheral.discoverServices(nil)
    }
}

extension GATTBrowser: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        for service in peripheral.services ?? [] {
            open += 2
            peripheral.discoverIncludedServices(nil, for: service)
            peripheral.discoverCharacteristics(nil, for: service)
        }
        answered(error)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: Error?) {
        answered(error)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        for characteristic in service.characteristics ?? [] {
            open += 1
            peripheral.discoverDescriptors(for: characteristic)
            guard characteristic.properties.contains(.read) else { continue }
            open += 1
            peripheral.readValue(for: characteristic)
        }
        answered(error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: Error?
    ) {
        for descriptor in characteristic.descriptors ?? [] {
            open += 1
            peripheral.readValue(for: descriptor)
        }
        answered(error)
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        answered(error)
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: Error?) {
        answered(error)
    }
}
