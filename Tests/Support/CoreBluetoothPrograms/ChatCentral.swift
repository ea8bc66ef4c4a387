// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// The searching half of a chat.
final class ChatCentral: NSObject {
    private(set) var received: [String] = []
    private(set) var isConnected = false
    private(set) var waits = 0
    var hasUnsent: Bool { !outbox.isEmpty }

    private var manager: CBCentralManager!
    private var partner: CBPeripheral?
    private var outgoing: CBCharacteristic?
    private var outbox = ChatOutbox()
    private var incoming = Data()

    override init() {
        super.init()
        manager = CBCentralManager(
            delegate: self, queue: nil, options: [CBCentralManagerOptionShowPowerAlertKey: true])
    }

    func say(_ text: String) {
        outbox.add(text)
        pump()
    }

    /// Leaves properly: first the subscription ends, then the connection.
    func leave() {
        guard let partner = partner else { return }
        for characteristic in partner.services?.flatMap({ $0.characteristics ?? [] }) ?? []
        where characteristic.isNotifying {
            partner.setNotifyValue(false, for: characteristic)
            return
        }
        manager.cancelPeripheralConnection(partner)
    }

    private func pump() {
        guard let partner = partner, let outgoing = outgoing else { return }
        let size = partner.maximumWriteValueLength(for: .withoutResponse)
        while partner.canSendWriteWithoutResponse {
            guard let piece = outbox.next(size) else { return }
            partner.writeValue(piece, for: outgoing, type: .withoutResponse)
            outbox.sent(piece)
        }
        waits += 1
    }
}

extension ChatCentral: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        central.scanForPeripherals(
            withServices: [ChatProtocol.service], options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard RSSI.intValue >= -90, partner == nil else { return }
        partner = peripheral
        central.connect(peripheral, options: nil)
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {
        partner = nil
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        central.stopScan()
        incoming.removeAll()
        peripheral.delegate = self
        peripheral.discoverServices([ChatProtocol.service])
    }

    func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
        (isConnected, partner, outgoing) = (false, nil, nil)
    }
}

extension ChatCentral: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        if invalidatedServices.contains(where: { $0.uuid == ChatProtocol.service }) {
            manager.cancelPeripheralConnection(peripheral)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        for service in peripheral.services ?? [] {
            peripheral.discoverCharacteristics([ChatProtocol.fromPeripheral, ChatProtocol.toPeripheral], for: service)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        for characteristic in service.characteristics ?? [] {
            if characteristic.uuid == ChatProtocol.toPeripheral {
                outgoing = characteristic
            } else {
                peripheral.setNotifyValue(true, for: characteristic)
            }
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
    ) {
        guard characteristic.isNotifying else {
            manager.cancelPeripheralConnection(peripheral)
            return
        }
        isConnected = true
        pump()
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        guard error == nil, let piece = characteristic.value else { return }
        if piece == ChatProtocol.endOfMessage {
            received.append(String(decoding: incoming, as: UTF8.self))
            incoming.removeAll()
        } else {
            incoming.append(piece)
        }
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { pump() }
}
