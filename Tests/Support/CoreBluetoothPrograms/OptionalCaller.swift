// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// A stand-in for a radio, as in applications' tests: calls delegates as Apple's headers declare their methods.
final class OptionalCaller {
    weak var central: CBCentralManagerDelegate?
    weak var peripheral: CBPeripheralDelegate?
    weak var server: CBPeripheralManagerDelegate?

    func play(_ manager: CBCentralManager, _ device: CBPeripheral, _ service: CBService) {
        central?.centralManagerDidUpdateState(manager)
        central?.centralManager?(manager, didConnect: device)
        peripheral?.peripheral?(device, didDiscoverServices: nil)
        peripheral?.peripheral?(device, didDiscoverCharacteristicsFor: service, error: nil)
        device.delegate?.peripheral?(device, didReadRSSI: -40, error: nil)
        peripheral?.peripheralDidUpdateName?(device)
        peripheral?.peripheralIsReady?(toSendWriteWithoutResponse: device)
        // The code of a program that knows that the methods exist.
        peripheral?.peripheral(device, didDiscoverServices: nil)
    }

    func play(_ manager: CBPeripheralManager) {
        server?.peripheralManagerDidStartAdvertising?(manager, error: nil)
        server?.peripheralManagerIsReady?(toUpdateSubscribers: manager)
        server?.peripheralManager?(manager, didOpen: nil, error: nil)
    }
}

/// Delegates often have properties with the names of the methods; these are meant then.
final class NamedDelegate: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, CBPeripheralManagerDelegate {
    var peripheral: CBPeripheral?
    var centralManager: CBCentralManager!
    var peripheralManager: CBPeripheralManager?
    private(set) var calls: [String] = []

    func centralManagerDidUpdateState(_ central: CBCentralManager) { calls.append("state") }
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { calls.append("state") }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        if let centralManager = centralManager { calls.append("again \(centralManager.isScanning)") }
        self.peripheral = peripheral
        self.peripheral?.delegate = self
        calls.append("connected")
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        guard let known = self.peripheral, known === peripheral else { return }
        calls.append("services \(known.name ?? "")")
    }

    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: Error?) {
        calls.append("rssi \(RSSI)")
    }
    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { calls.append("ready") }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
        calls.append("advertising \(peripheralManager == nil)")
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { calls.append("room") }
}
