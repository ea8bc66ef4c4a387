// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// The list of all devices around, nearest first, as in a scanner app.
final class NearbyScanner: NSObject, CBCentralManagerDelegate {
    struct Device {
        let identifier: UUID
        var name: String
        /// Smoothed, dBm.
        var rssi: Double
        var services: [CBUUID]
        var serviceData: [CBUUID: Data]
        var isConnectable: Bool
        var lastSeen: Date
        var count: Int
    }

    private(set) var devices: [Device] = []
    private(set) var removed: [String] = []
    /// Seconds of silence after which a device leaves the list.
    let staleAfter: TimeInterval

    private var central: CBCentralManager!
    private var sweep: DispatchSourceTimer?

    init(staleAfter: TimeInterval) {
        self.staleAfter = staleAfter
        super.init()
    }

    func start() {
        central = CBCentralManager(
            delegate: self, queue: DispatchQueue.main, options: [CBCentralManagerOptionShowPowerAlertKey: true])
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .now() + 0.1, repeating: 0.1)
        timer.setEventHandler { [weak self] in self?.removeStale(now: Date()) }
        timer.resume()
        sweep = timer
    }

    func stop() {
        if central.isScanning { central.stopScan() }
        sweep?.cancel()
        sweep = nil
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        switch central.state {
        case .poweredOn:
            central.scanForPeripherals(
                withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: true)])
        default:
            devices.removeAll()
        }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any], rssi RSSI: NSNumber
    ) {
        // 127: the radio could not tell.
        guard RSSI.intValue != 127 else { return }
        let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name ?? "Unnamed"
        let services = advertisementData[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
        let serviceData = advertisementData[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] ?? [:]
        let isConnectable = (advertisementData[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue ?? false
        if let index = devices.firstIndex(where: { $0.identifier == peripheral.identifier }) {
            devices[index].name = name
            devices[index].rssi = devices[index].rssi * 0.7 + RSSI.doubleValue * 0.3
            devices[index].serviceData.merge(serviceData) { $1 }
            devices[index].lastSeen = Date()
            devices[index].count += 1
        } else {
            devices.append(
                Device(
                    identifier: peripheral.identifier, name: name, rssi: RSSI.doubleValue, services: services,
                    serviceData: serviceData, isConnectable: isConnectable, lastSeen: Date(), count: 1))
        }
        devices.sort { ($0.rssi, $0.name) > ($1.rssi, $1.name) }
    }

    private func removeStale(now: Date) {
        let stale = devices.filter { now.timeIntervalSince($0.lastSeen) > staleAfter }
        guard !stale.isEmpty else { return }
        removed += stale.map { $0.name }
        devices.removeAll { device in stale.contains { $0.identifier == device.identifier } }
    }
}
