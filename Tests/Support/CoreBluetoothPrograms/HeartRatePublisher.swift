// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// A chest strap in software: publishes the heart rate service, advertises it, and sends each beat to every subscriber.
final class HeartRatePublisher: NSObject {
    private enum UUIDs {
        static let heartRate = CBUUID(string: "180D")
        static let measurement = CBUUID(string: "2A37")
        static let location = CBUUID(string: "2A38")
        static let battery = CBUUID(string: "180F")
        static let level = CBUUID(string: "2A19")
    }

    private(set) var isAdvertising = false
    private(set) var errors: [String] = []
    /// The identifiers of past and present subscribers.
    private(set) var came: [UUID] = []
    private(set) var gone: [UUID] = []
    /// How often an update had to wait for room.
    private(set) var waits = 0
    private(set) var sent: [UInt8] = []
    var subscribers: Int { measurement.subscribedCentrals?.count ?? 0 }
    var hasUnsent: Bool { !unsent.isEmpty }

    private let name: String
    private let manager: CBPeripheralManager
    private let measurement = CBMutableCharacteristic(
        type: UUIDs.measurement, properties: .notify, value: nil, permissions: .readable)
    private var unsent: [UInt8] = []
    private var added = 0

    init(name: String) {
        self.name = name
        manager = CBPeripheralManager()
        super.init()
        manager.delegate = self
    }

    /// Sends heart rates, in beats a minute, in order.
    func beat(_ rates: [UInt8]) {
        unsent += rates
        pump()
    }

    func stop() {
        manager.stopAdvertising()
        manager.removeAllServices()
        isAdvertising = false
    }

    private func pump() {
        while let rate = unsent.first {
            // Flags: the rate is one octet.
            guard manager.updateValue(Data([0, rate]), for: measurement, onSubscribedCentrals: nil) else {
                waits += 1
                return
            }
            sent.append(rate)
            unsent.removeFirst()
        }
    }
}

extension HeartRatePublisher: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else {
            isAdvertising = false
            return
        }
        let chest = CBMutableCharacteristic(
            type: UUIDs.location, properties: .read, value: Data([1]), permissions: .readable)
        let heartRate = CBMutableService(type: UUIDs.heartRate, primary: true)
        heartRate.characteristics = [measurement, chest]
        let level = CBMutableCharacteristic(
            type: UUIDs.level, properties: .read, value: Data([97]), permissions: .readable)
        let battery = CBMutableService(type: UUIDs.battery, primary: true)
        battery.characteristics = [level]
        added = 0
        peripheral.add(heartRate)
        peripheral.add(battery)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
        if let error = error {
            errors.append("\(service.uuid): \(error.localizedDescription)")
            return
        }
        added += 1
        guard added == 2 else { return }
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: name, CBAdvertisementDataServiceUUIDsKey: [UUIDs.heartRate],
        ])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
        if let error = error { errors.append(error.localizedDescription) }
        isAdvertising = peripheral.isAdvertising
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) { came.append(central.identifier) }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) { gone.append(central.identifier) }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { pump() }
}
