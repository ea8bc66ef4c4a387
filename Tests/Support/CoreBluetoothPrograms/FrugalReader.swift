// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// Takes a few values of a peripheral at the least cost. It scans only without an existing connection, without duplicates, and no longer
/// than up to the first find. It discovers only the needed attributes, and disconnects when done.
final class FrugalReader: NSObject {
    private(set) var log: [String] = []
    private(set) var values: [Data] = []
    private(set) var isDone = false
    private(set) var discoveredServices = 0
    private(set) var discoveredCharacteristics = 0

    private let service: CBUUID
    private let characteristic: CBUUID
    private let wanted: Int
    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral?
    private var giveUp: DispatchWorkItem?

    init(service: CBUUID, characteristic: CBUUID, wanted: Int, patience: DispatchTimeInterval = .seconds(10)) {
        self.service = service
        self.characteristic = characteristic
        self.wanted = wanted
        super.init()
        manager = CBCentralManager(delegate: self, queue: nil)
        let giveUp = DispatchWorkItem { [weak self] in self?.stopLooking() }
        self.giveUp = giveUp
        DispatchQueue.main.asyncAfter(deadline: .now() + patience, execute: giveUp)
    }

    private func stopLooking() {
        guard peripheral == nil else { return }
        if manager.isScanning { manager.stopScan() }
        log.append("found nothing")
        isDone = true
    }

    private func take(_ found: CBPeripheral) {
        giveUp?.cancel()
        peripheral = found
        found.delegate = self
        manager.connect(found)
    }
}

extension FrugalReader: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn, peripheral == nil, !isDone else { return }
        if let connected = central.retrieveConnectedPeripherals(withServices: [service]).first {
            log.append("shares a connection")
            take(connected)
        } else {
            log.append("scans")
            central.scanForPeripherals(
                withServices: [service], options: [CBCentralManagerScanOptionAllowDuplicatesKey: false])
        }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        central.stopScan()
        guard self.peripheral == nil else { return }
        log.append("found")
        take(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        log.append(central.isScanning ? "connected while it scans" : "connected")
        peripheral.discoverServices([service])
    }

    func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
        log.append(error == nil ? "let go" : "lost")
        isDone = true
    }
}

extension FrugalReader: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        discoveredServices = peripheral.services?.count ?? 0
        for service in peripheral.services ?? [] where service.uuid == self.service {
            peripheral.discoverCharacteristics([characteristic], for: service)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        discoveredCharacteristics = service.characteristics?.count ?? 0
        guard let found = service.characteristics?.first(where: { $0.uuid == characteristic }) else { return }
        // The program subscribes to values that change, and does not poll them.
        if found.properties.contains(.notify) || found.properties.contains(.indicate) {
            peripheral.setNotifyValue(true, for: found)
        } else {
            peripheral.readValue(for: found)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        guard error == nil, let value = characteristic.value, values.count < wanted else { return }
        values.append(value)
        guard values.count == wanted else { return }
        if characteristic.isNotifying {
            peripheral.setNotifyValue(false, for: characteristic)
        } else {
            manager.cancelPeripheralConnection(peripheral)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
    ) {
        log.append(characteristic.isNotifying ? "subscribed" : "unsubscribed")
        if !characteristic.isNotifying { manager.cancelPeripheralConnection(peripheral) }
    }
}
