// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// A terminal for a board with the Nordic UART service.
final class UARTConsole: NSObject {
    private enum UUIDs {
        static let service = CBUUID(string: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
        static let toBoard = CBUUID(string: "6E400002-B5A3-F393-E0A9-E50E24DCCA9E")
        static let fromBoard = CBUUID(string: "6E400003-B5A3-F393-E0A9-E50E24DCCA9E")
    }

    private(set) var isReady = false
    private(set) var lines: [String] = []
    private(set) var waits = 0
    var bytesToSend: Int { outgoing.count }

    private var manager: CBCentralManager?
    private var board: CBPeripheral?
    private var input: CBCharacteristic?
    private var outgoing = Data()
    private var incoming = Data()

    func open() { manager = CBCentralManager(delegate: self, queue: nil) }

    func close() {
        guard let board = board else { return }
        manager?.cancelPeripheralConnection(board)
    }

    func send(_ line: String) {
        outgoing.append(Data((line + "\n").utf8))
        pump()
    }

    private func pump() {
        guard isReady, let board = board, let input = input else { return }
        let size = board.maximumWriteValueLength(for: .withoutResponse)
        while !outgoing.isEmpty {
            guard board.canSendWriteWithoutResponse else {
                waits += 1
                return
            }
            let chunk = outgoing.prefix(size)
            board.writeValue(Data(chunk), for: input, type: .withoutResponse)
            outgoing = Data(outgoing.dropFirst(chunk.count))
        }
    }

    private func receive(_ data: Data) {
        incoming.append(data)
        while let end = incoming.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(String(decoding: incoming[incoming.startIndex..<end], as: UTF8.self))
            incoming = Data(incoming[(end + 1)...])
        }
    }
}

extension UARTConsole: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [UUIDs.service], options: nil) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        central.stopScan()
        board = peripheral
        central.connect(peripheral, options: nil)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.delegate = self
        peripheral.discoverServices([UUIDs.service])
    }

    func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
        isReady = false
        input = nil
        board = nil
    }
}

extension UARTConsole: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        peripheral.services?.forEach {
            peripheral.discoverCharacteristics([UUIDs.toBoard, UUIDs.fromBoard], for: $0)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        guard error == nil else { return }
        for characteristic in service.characteristics ?? [] {
            switch characteristic.uuid {
            case UUIDs.toBoard where characteristic.properties.contains(.writeWithoutResponse): input = characteristic
            case UUIDs.fromBoard: peripheral.setNotifyValue(true, for: characteristic)
            default: break
            }
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
    ) {
        isReady = error == nil && characteristic.isNotifying && input != nil
        pump()
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        if let data = characteristic.value, characteristic.uuid == UUIDs.fromBoard { receive(data) }
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { pump() }
}
