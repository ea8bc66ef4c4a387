// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// Reads a battery level now and then. It finds its sensor again as Apple's guide teaches: first by the stored identifier, then among the
/// connected peripherals, then by a scan.
final class BatteryPoller: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    enum Way: String { case known, connected, scanned }

    private let batteryService = CBUUID(string: "180F")
    private let batteryLevel = CBUUID(string: "2A19")
    /// A service in the sensor's advertisement.
    private let advertisedService: CBUUID
    private let interval: DispatchTimeInterval
    private let patience: DispatchTimeInterval

    /// The value in an application's preferences.
    private(set) var storedIdentifier: UUID?
    private(set) var levels: [Int] = []
    private(set) var ways: [Way] = []

    private var central: CBCentralManager!
    private var peripheral: CBPeripheral?
    private var isStopped = false

    init(
        storedIdentifier: UUID?, advertising service: CBUUID, every interval: DispatchTimeInterval,
        patience: DispatchTimeInterval = .seconds(5)
    ) {
        self.storedIdentifier = storedIdentifier
        self.interval = interval
        self.patience = patience
        advertisedService = service
        super.init()
        central = CBCentralManager(delegate: self, queue: nil)
    }

    func stop() {
        isStopped = true
        central.stopScan()
        if let peripheral = peripheral { central.cancelPeripheralConnection(peripheral) }
    }

    // MARK: Finding the sensor again

    private func findSensor() {
        if let identifier = storedIdentifier,
            let known = central.retrievePeripherals(withIdentifiers: [identifier]).first
        {
            connect(known, .known)
            // The sensor may be gone for good.
            DispatchQueue.main.asyncAfter(deadline: .now() + patience) { [weak self] in
                guard let self = self, self.peripheral === known, known.state == .connecting else { return }
                self.central.cancelPeripheralConnection(known)
                self.findAnother()
            }
        } else {
            findAnother()
        }
    }

    private func findAnother() {
        if let connected = central.retrieveConnectedPeripherals(withServices: [batteryService]).first {
            connect(connected, .connected)
        } else {
            peripheral = nil
            central.scanForPeripherals(withServices: [advertisedService])
        }
    }

    private func connect(_ found: CBPeripheral, _ way: Way) {
        ways.append(way)
        peripheral = found
        found.delegate = self
        central.connect(found)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { findSensor() }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil else { return }
        central.stopScan()
        connect(peripheral, .scanned)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        storedIdentifier = peripheral.identifier
        peripheral.discoverServices([batteryService])
    }

    func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
        if !isStopped, error != nil { findSensor() }
    }

    // MARK: Polling

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        guard let service = peripheral.services?.first(where: { $0.uuid == batteryService }) else { return }
        peripheral.discoverCharacteristics([batteryLevel], for: service)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        guard let level = service.characteristics?.first(where: { $0.uuid == batteryLevel }) else { return }
        peripheral.readValue(for: level)
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        guard error == nil, let level = characteristic.value?.first else { return }
        levels.append(Int(level))
        DispatchQueue.main.asyncAfter(deadline: .now() + interval) { [weak peripheral, weak characteristic] in
            guard let characteristic = characteristic, peripheral?.state == .connected else { return }
            peripheral?.readValue(for: characteristic)
        }
    }
}
