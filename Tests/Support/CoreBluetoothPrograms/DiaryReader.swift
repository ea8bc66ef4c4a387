// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// Reads a ``ProtectedDiary`` and follows it. This program has no code for pairing, because the system pairs.
final class DiaryReader: NSObject {
    /// The action on the entry, once the program has found it.
    enum Wish {
        case read
        case follow
    }

    private(set) var entries: [String] = []
    private(set) var isFollowing = false
    /// Errors, in the system's words.
    private(set) var complaints: [String] = []

    private let wish: Wish
    private var manager: CBCentralManager!
    private var diary: CBPeripheral?

    init(_ wish: Wish) {
        self.wish = wish
        super.init()
        manager = CBCentralManager(delegate: self, queue: nil)
    }

    func stop() {
        if let diary = diary { manager.cancelPeripheralConnection(diary) }
    }

    private func record(_ error: Error?) {
        if let error = error { complaints.append(error.localizedDescription) }
    }
}

extension DiaryReader: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [ProtectedDiary.service]) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard diary == nil else { return }
        diary = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([ProtectedDiary.service])
    }
}

extension DiaryReader: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        record(error)
        peripheral.services?.forEach { peripheral.discoverCharacteristics([ProtectedDiary.entry], for: $0) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        record(error)
        for characteristic in service.characteristics ?? [] {
            switch wish {
            case .read: peripheral.readValue(for: characteristic)
            case .follow: peripheral.setNotifyValue(true, for: characteristic)
            }
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
    ) {
        record(error)
        isFollowing = characteristic.isNotifying
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        record(error)
        if error == nil, let value = characteristic.value { entries.append(String(decoding: value, as: UTF8.self)) }
    }
}
