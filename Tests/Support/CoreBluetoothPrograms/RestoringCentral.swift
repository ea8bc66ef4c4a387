// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// Follows one sensor, even after the system has ended the application and started it again.
final class RestoringCentral: NSObject {
    private(set) var log: [String] = []
    private(set) var values: [Data] = []
    /// The number of subscriptions by the application itself.
    private(set) var subscriptions = 0
    private(set) var sensor: CBPeripheral?

    private let service: CBUUID
    private let characteristic: CBUUID
    private var manager: CBCentralManager!

    init(restoreIdentifier: String, service: CBUUID, characteristic: CBUUID) {
        self.service = service
        self.characteristic = characteristic
        super.init()
        manager = CBCentralManager(
            delegate: self, queue: nil, options: [CBCentralManagerOptionRestoreIdentifierKey: restoreIdentifier])
    }

    /// The user is done with the sensor.
    func stop() {
        if let sensor = sensor { manager.cancelPeripheralConnection(sensor) }
    }
}

extension RestoringCentral: CBCentralManagerDelegate {
    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        let peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
        let services = dict[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID]
        log.append("restores \(peripherals.count), scans \(services?.map(\.uuidString) ?? [])")
        // A connection lasts only while the application holds its peripheral.
        sensor = peripherals.first
        sensor?.delegate = self
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        log.append("state \(central.state.rawValue)")
        guard central.state == .poweredOn else { return }
        guard let sensor = sensor else {
            if !central.isScanning { central.scanForPeripherals(withServices: [service]) }
            return
        }
        switch sensor.state {
        case .connected, .connecting: follow(sensor)
        case .disconnected: central.connect(sensor)
        default: break
        }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard sensor == nil else { return }
        central.stopScan()
        sensor = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        log.append("connected")
        follow(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
        log.append(error == nil ? "ended" : "lost")
    }

    /// Continues from the restored state, without a new discovery of known services.
    private func follow(_ peripheral: CBPeripheral) {
        guard let service = peripheral.services?.first(where: { $0.uuid == service }) else {
            peripheral.discoverServices([service])
            return
        }
        follow(service, of: peripheral)
    }

    private func follow(_ service: CBService, of peripheral: CBPeripheral) {
        guard let known = service.characteristics?.first(where: { $0.uuid == characteristic }) else {
            peripheral.discoverCharacteristics([characteristic], for: service)
            return
        }
        guard !known.isNotifying else { return }
        subscriptions += 1
        peripheral.setNotifyValue(true, for: known)
    }
}

extension RestoringCentral: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        peripheral.services?.filter { $0.uuid == service }.forEach { follow($0, of: peripheral) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        if error == nil { follow(service, of: peripheral) }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        if let value = characteristic.value { values.append(value) }
    }
}
