// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// A diary for paired devices alone: other devices see the diary's existence, and can neither read nor follow it.
final class ProtectedDiary: NSObject {
    static let service = CBUUID(string: "C41E0001-3B52-4D6F-8A0E-5F2D7B9C1E30")
    static let entry = CBUUID(string: "C41E0002-3B52-4D6F-8A0E-5F2D7B9C1E30")

    private(set) var isAdvertising = false
    /// The receivers of entries, one item for each entry.
    private(set) var readers: [UUID] = []
    private(set) var followers: Set<UUID> = []
    private(set) var text: String

    private var manager: CBPeripheralManager!
    private let entry = CBMutableCharacteristic(
        type: ProtectedDiary.entry, properties: [.read, .notifyEncryptionRequired], value: nil,
        permissions: .readEncryptionRequired)

    init(_ text: String) {
        self.text = text
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    func write(_ text: String) {
        self.text = text
        _ = manager.updateValue(Data(text.utf8), for: entry, onSubscribedCentrals: nil)
    }
}

extension ProtectedDiary: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: Self.service, primary: true)
        service.characteristics = [entry]
        peripheral.add(service)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
        if let error = error { return NSLog("The diary is not published: %@", error.localizedDescription) }
        peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [service.uuid]])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
        isAdvertising = error == nil
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        let data = Data(text.utf8)
        guard request.characteristic.uuid == entry.uuid, request.offset <= data.count else {
            peripheral.respond(to: request, withResult: .invalidOffset)
            return
        }
        if request.offset == 0 { readers.append(request.central.identifier) }
        request.value = data.subdata(in: request.offset..<data.count)
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) { followers.insert(central.identifier) }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) { followers.remove(central.identifier) }
}
