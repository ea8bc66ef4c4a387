// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// A log of one sensor that survives every drop, because the system reconnects.
final class ReconnectingLogger: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    struct Drop: Equatable {
        let code: CBError.Code?
        let isReconnecting: Bool
    }

    let service: CBUUID
    let characteristic: CBUUID
    private(set) var entries: [Data] = []
    private(set) var connections = 0
    private(set) var drops: [Drop] = []

    private let central: CBCentralManager
    private var sensor: CBPeripheral?

    init(service: CBUUID, characteristic: CBUUID) {
        self.service = service
        self.characteristic = characteristic
        central = CBCentralManager()
        super.init()
        central.delegate = self
    }

    func stop() {
        if let sensor = sensor { central.cancelPeripheralConnection(sensor) }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [service]) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        central.stopScan()
        sensor = peripheral
        peripheral.delegate = self
        central.connect(peripheral, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        connections += 1
        peripheral.discoverServices([service])
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: Error?
    ) {
        drops.append(Drop(code: (error as? CBError)?.code, isReconnecting: isReconnecting))
    }

    func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
        // Not called where the longer form is implemented.
        drops.append(Drop(code: .unknown, isReconnecting: false))
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics([characteristic], for: service) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        service.characteristics?.forEach { peripheral.setNotifyValue(true, for: $0) }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        if let value = characteristic.value { entries.append(value) }
    }
}

/// A log for older systems: the program connects again by itself, as soon as it hears of a drop.
final class ClassicReconnectingLogger: NSObject, CBCentralManagerDelegate {
    let service: CBUUID
    private(set) var log: [String] = []

    private var central: CBCentralManager!
    private var sensor: CBPeripheral?

    init(service: CBUUID) {
        self.service = service
        super.init()
        central = CBCentralManager(delegate: self, queue: nil)
    }

    func stop() {
        if let sensor = sensor { central.cancelPeripheralConnection(sensor) }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [service]) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        central.stopScan()
        sensor = peripheral
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { log.append("connected") }

    func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
        guard let error = error else {
            log.append("ended")
            return
        }
        log.append("lost \((error as NSError).domain) \((error as NSError).code)")
        central.connect(peripheral)
    }
}
