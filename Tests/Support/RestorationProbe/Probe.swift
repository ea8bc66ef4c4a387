// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// Follows a counter, and publishes another. Everything is on one queue, so the state needs no lock.
final class Probe: NSObject, @unchecked Sendable {
    private static let sensorService = CBUUID(string: "5E4D0001-1C7B-4B5E-9B0A-3F6B2C9D7A10")
    private static let sensorValue = CBUUID(string: "5E4D0002-1C7B-4B5E-9B0A-3F6B2C9D7A10")
    private static let service = CBUUID(string: "3F0A0001-77C1-4B0E-8E57-5B9D1E0C2A44")
    private static let value = CBUUID(string: "3F0A0002-77C1-4B0E-8E57-5B9D1E0C2A44")

    private let queue = DispatchQueue(label: "probe")
    private let churns: Bool
    private var central: CBCentralManager?
    private var manager: CBPeripheralManager?
    private var sensor: CBPeripheral?
    private var isSensorRestored = false
    private var restoredServices = 0
    private var restoredAdvertisement = false
    private var values = 0
    private var turns = 0
    private var extra: CBMutableService?
    private var first: CBMutableService?

    init(on controller: CBController, churns: Bool) {
        self.churns = churns
        super.init()
        let options: [String: Any] = [
            CBCentralManagerOptionControllerKey: controller, CBCentralManagerOptionRestoreIdentifierKey: "test",
        ]
        // The managers' delegates are called on this queue, once everything is set.
        queue.sync {
            central = CBCentralManager(delegate: self, queue: queue, options: options)
            manager = CBPeripheralManager(
                delegate: self, queue: queue,
                options: [
                    CBPeripheralManagerOptionControllerKey: controller,
                    CBPeripheralManagerOptionRestoreIdentifierKey: "test",
                ])
        }
    }

    private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    /// Makes the changes in turn.
    private func churn() {
        guard churns, let central, let manager else { return }
        defer { queue.asyncAfter(deadline: .now() + .microseconds(500)) { self.churn() } }
        // A busy machine makes the controller late, and then the host resets it.
        guard central.state == .poweredOn, manager.state == .poweredOn else { return }
        if turns == 0 { say("churning") }
        turns += 1
        switch turns % 4 {
        case 0: central.scanForPeripherals(withServices: [CBUUID(string: String(format: "%04X", turns & 0xFFFF))])
        case 1: central.stopScan()
        case 2:
            let new = CBMutableService(type: CBUUID(string: String(format: "%04X", turns & 0xFFFF)), primary: true)
            new.characteristics = (0..<turns % 7).map { index in
                CBMutableCharacteristic(
                    type: CBUUID(string: "2A37"), properties: .read, value: Data(count: index * 40),
                    permissions: .readable)
            }
            extra = new
            manager.add(new)
        default:
            if let extra { manager.remove(extra) }
        }
    }
}

extension Probe: CBCentralManagerDelegate, CBPeripheralDelegate {
    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        let peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
        say("central restores \(peripherals.count)")
        sensor = peripherals.first
        isSensorRestored = sensor != nil
        sensor?.delegate = self
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        say("central state \(central.state.rawValue)")
        guard central.state == .poweredOn, sensor == nil, !churns else { return }
        central.scanForPeripherals(withServices: [Self.sensorService])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard sensor == nil, !churns else { return }
        sensor = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
        say("connects")
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        say("connected")
        // The probe asks nothing of a restored peripheral: the system subscribes again.
        if !isSensorRestored { peripheral.discoverServices([Self.sensorService]) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] {
            peripheral.discoverCharacteristics([Self.sensorValue], for: service)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        for characteristic in service.characteristics ?? [] {
            say("subscribes")
            peripheral.setNotifyValue(true, for: characteristic)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        values += 1
        say("value \(values)")
    }
}

extension Probe: CBPeripheralManagerDelegate {
    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
        let services = dict[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService] ?? []
        let advertisement = dict[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: Any]
        restoredServices = services.count
        restoredAdvertisement = advertisement != nil
        let subscribers = services.flatMap { $0.characteristics ?? [] }.compactMap { $0 as? CBMutableCharacteristic }
            .reduce(0) { $0 + ($1.subscribedCentrals?.count ?? 0) }
        let isThere = services.contains { $0.uuid == Self.service }
        say("peripheral restores \(isThere) \(restoredAdvertisement) \(subscribers)")
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        say("peripheral state \(peripheral.state.rawValue)")
        guard peripheral.state == .poweredOn else { return }
        if restoredServices == 0 {
            // The removal of a service leaves a gap before the permanent service.
            let first = CBMutableService(type: CBUUID(string: "1234"), primary: true)
            first.characteristics = [
                CBMutableCharacteristic(
                    type: CBUUID(string: "2A00"), properties: .read, value: Data([1]), permissions: .readable)
            ]
            peripheral.add(first)
            self.first = first
            let service = CBMutableService(type: Self.service, primary: true)
            service.characteristics = [
                CBMutableCharacteristic(
                    type: Self.value, properties: [.read, .notify], value: nil, permissions: .readable)
            ]
            peripheral.add(service)
        }
        if !restoredAdvertisement {
            peripheral.startAdvertising([
                CBAdvertisementDataLocalNameKey: "Probe", CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "180F")],
            ])
        }
        churn()
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        guard service.uuid == Self.service, let first else { return }
        peripheral.remove(first)
        self.first = nil
        say("published \(error == nil)")
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        say("advertising \(error == nil)")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) { say("subscribed") }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) { say("unsubscribed") }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        request.value = Data("probe".utf8)
        peripheral.respond(to: request, withResult: .success)
    }
}
