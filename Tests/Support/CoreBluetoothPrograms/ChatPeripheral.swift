// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// The agreement of both ends of a chat: a text goes in pieces, and a separate piece marks the end.
enum ChatProtocol {
    static let service = CBUUID(string: "2C4B1B0A-6F37-4E6F-A4F1-64F2A1C0D101")
    /// The peripheral's texts, notified.
    static let fromPeripheral = CBUUID(string: "2C4B1B0A-6F37-4E6F-A4F1-64F2A1C0D102")
    /// The central's texts, written.
    static let toPeripheral = CBUUID(string: "2C4B1B0A-6F37-4E6F-A4F1-64F2A1C0D103")
    static let endOfMessage = Data("EOM".utf8)
}

/// A text on its way out, in pieces.
struct ChatOutbox {
    private var texts: [Data] = []
    private var offset = 0

    var isEmpty: Bool { texts.isEmpty }

    mutating func add(_ text: String) { texts.append(Data(text.utf8)) }

    /// The next packet: a piece of at most `size` octets, or the mark.
    func next(_ size: Int) -> Data? {
        guard let text = texts.first else { return nil }
        return offset < text.count ? Data(text.dropFirst(offset).prefix(size)) : ChatProtocol.endOfMessage
    }

    mutating func sent(_ piece: Data) {
        guard let text = texts.first else { return }
        if offset < text.count {
            offset += piece.count
        } else {
            texts.removeFirst()
            offset = 0
        }
    }
}

/// The advertising half of a chat.
final class ChatPeripheral: NSObject, CBPeripheralManagerDelegate {
    private(set) var received: [String] = []
    private(set) var isReady = false
    private(set) var waits = 0
    private(set) var pieces = 0
    var hasUnsent: Bool { !outbox.isEmpty }

    private var manager: CBPeripheralManager!
    private var outgoing: CBMutableCharacteristic?
    private var partner: CBCentral?
    private var outbox = ChatOutbox()
    private var incoming = Data()

    override init() {
        super.init()
        manager = CBPeripheralManager(
            delegate: self, queue: nil, options: [CBPeripheralManagerOptionShowPowerAlertKey: true])
    }

    func say(_ text: String) {
        outbox.add(text)
        pump()
    }

    func leave() {
        manager.stopAdvertising()
        manager.removeAllServices()
    }

    private func pump() {
        guard let partner = partner, let outgoing = outgoing else { return }
        while let piece = outbox.next(partner.maximumUpdateValueLength) {
            guard manager.updateValue(piece, for: outgoing, onSubscribedCentrals: [partner]) else {
                waits += 1
                return
            }
            pieces += 1
            outbox.sent(piece)
        }
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let outgoing = CBMutableCharacteristic(
            type: ChatProtocol.fromPeripheral, properties: .notify, value: nil, permissions: .readable)
        let incoming = CBMutableCharacteristic(
            type: ChatProtocol.toPeripheral, properties: [.write, .writeWithoutResponse], value: nil,
            permissions: .writeable)
        let service = CBMutableService(type: ChatProtocol.service, primary: true)
        service.characteristics = [outgoing, incoming]
        peripheral.add(service)
        self.outgoing = outgoing
        peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [ChatProtocol.service]])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
        isReady = error == nil
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        partner = central
        pump()
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) { partner = nil }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { pump() }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        for request in requests {
            guard let piece = request.value else { continue }
            if piece == ChatProtocol.endOfMessage {
                received.append(String(decoding: incoming, as: UTF8.self))
                incoming = Data()
            } else {
                incoming.append(piece)
            }
        }
        if let first = requests.first { peripheral.respond(to: first, withResult: .success) }
    }
}
