// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// A counter with subscribers, even after the system has ended the application and started it again.
final class RestoringPeripheral: NSObject {
    static let service = CBUUID(string: "E20A0001-8B7D-4A0C-9D1B-2F3E4D5C6B7A")
    static let counter = CBUUID(string: "E20A0002-8B7D-4A0C-9D1B-2F3E4D5C6B7A")

    private(set) var log: [String] = []
    var isAdvertising: Bool { manager.isAdvertising }
    var subscribers: [UUID] { characteristic?.subscribedCentrals?.map(\.identifier) ?? [] }

    private var manager: CBPeripheralManager!
    private var characteristic: CBMutableCharacteristic?
    private var restoresAdvertising = false

    init(restoreIdentifier: String) {
        super.init()
        manager = CBPeripheralManager(
            delegate: self, queue: nil, options: [CBPeripheralManagerOptionRestoreIdentifierKey: restoreIdentifier])
    }

    func count(_ number: UInt8) -> Bool {
        guard let characteristic = characteristic else { return false }
        return manager.updateValue(Data([number]), for: characteristic, onSubscribedCentrals: nil)
    }

    func stopAdvertising() { manager.stopAdvertising() }
}

extension RestoringPeripheral: CBPeripheralManagerDelegate {
    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
        let services = dict[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService] ?? []
        let advertisement = dict[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: Any]
        characteristic = services.first { $0.uuid == Self.service }?.characteristics?.compactMap {
            $0 as? CBMutableCharacteristic
        }.first { $0.uuid == Self.counter }
        restoresAdvertising = advertisement != nil
        let name = advertisement?[CBAdvertisementDataLocalNameKey] as? String ?? "nothing"
        log.append("restores \(services.count), advertises \(name), subscribers \(subscribers.count)")
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        log.append("state \(peripheral.state.rawValue)")
        guard peripheral.state == .poweredOn, characteristic == nil else { return }
        let counter = CBMutableCharacteristic(
            type: Self.counter, properties: [.notify, .read], value: nil, permissions: .readable)
        let service = CBMutableService(type: Self.service, primary: true)
        service.characteristics = [counter]
        characteristic = counter
        peripheral.add(service)
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Counter", CBAdvertisementDataServiceUUIDsKey: [Self.service],
        ])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
        log.append(error == nil ? "added" : "not added")
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
        log.append(error == nil ? "advertising" : "not advertising")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) { log.append("subscribed") }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) { log.append("unsubscribed") }
}
