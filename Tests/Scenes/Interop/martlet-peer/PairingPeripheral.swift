// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// The Peripheral: advertises, and offers an open value and a value for bonded peers.
final class PairingPeripheral: PairingEnd, CBPeripheralManagerDelegate, @unchecked Sendable {
    private var manager: CBPeripheralManager?
    /// The central that has read a value.
    private var central: CBCentral?

    override init(controller: CBController, name: String) {
        super.init(controller: controller, name: name)
        manager = CBPeripheralManager(
            delegate: self, queue: queue, options: [CBPeripheralManagerOptionControllerKey: controller])
    }

    override func carryOut(_ command: Command) {
        switch command.do {
        case "pair":
            guard let central else { return Report.line(["event": "error", "text": "no central has read anything"]) }
            let controller = controller
            pair(command) { try await controller.pair(central, options: $0) }
        default:
            super.carryOut(command)
        }
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: ReferenceDatabase.main, primary: true)
        service.characteristics = [
            CBMutableCharacteristic(
                type: ReferenceDatabase.dynamic, properties: .read, value: nil, permissions: .readable),
            CBMutableCharacteristic(
                type: ReferenceDatabase.encrypted, properties: .read, value: nil, permissions: .readEncryptionRequired),
        ]
        peripheral.add(service)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: name])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        Report.line(error.map { ["event": "error", "text": "\($0)"] } ?? ["event": "ready"])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        central = request.central
        let isEncrypted = request.characteristic.uuid == ReferenceDatabase.encrypted
        request.value = isEncrypted ? ReferenceDatabase.encryptedValue : ReferenceDatabase.dynamicValue
        peripheral.respond(to: request, withResult: .success)
    }
}
