// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// Scans with duplicates and counts every advertisement, as an application of Core Bluetooth does.
final class Advertisements: NSObject, CBCentralManagerDelegate {
    private var counted = SequenceCount()
    private var expected: [UUID: UInt32] = [:]
    private var isScanning = false

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn {
            isScanning = true
            central.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        } else if isScanning {
            finish(counted)
        }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        // Company identifier, then the generator's sequence number.
        guard let data = advertisementData[CBAdvertisementDataManufacturerDataKey] as? Data,
            let sequence = data.sequenceNumber(at: 2)
        else { return }
        counted.count(sequence, expected: &expected[peripheral.identifier, default: 0])
    }
}
