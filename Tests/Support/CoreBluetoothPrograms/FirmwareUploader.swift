// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// Puts new firmware on a board. The board has one page of memory behind one characteristic. The program writes each page with response and
/// reads it back, or streams packets as fast as the link takes them.
final class FirmwareUploader: NSObject {
    enum Mode { case verifiedPages, stream }
    enum Outcome: Equatable {
        case done
        case damaged(page: Int)
        case failed(String)
    }

    private let service: CBUUID
    private let memory: CBUUID
    private let image: Data
    private let mode: Mode

    private(set) var outcome: Outcome?
    private(set) var progress: [Double] = []
    private(set) var pauses = 0
    private(set) var packetSize = 0

    private var central: CBCentralManager!
    private var board: CBPeripheral?
    private var target: CBCharacteristic?
    private var offset = 0
    private var page = Data()

    init(image: Data, to memory: CBUUID, of service: CBUUID, mode: Mode) {
        self.image = image
        self.memory = memory
        self.service = service
        self.mode = mode
        super.init()
        central = CBCentralManager(delegate: self, queue: nil)
    }

    private func begin() {
        guard let board = board else { return }
        packetSize = board.maximumWriteValueLength(for: mode == .stream ? .withoutResponse : .withResponse)
        switch mode {
        case .verifiedPages: writePage()
        case .stream: stream()
        }
    }

    /// The next write begins when the last page was read back.
    private func writePage() {
        guard let board = board, let target = target else { return }
        guard offset < image.count else { return finish(.done) }
        page = image.subdata(in: offset..<min(offset + packetSize, image.count))
        board.writeValue(page, for: target, type: .withResponse)
    }

    private func stream() {
        guard let board = board, let target = target else { return }
        while offset < image.count {
            guard board.canSendWriteWithoutResponse else {
                pauses += 1
                return
            }
            page = image.subdata(in: offset..<min(offset + packetSize, image.count))
            board.writeValue(page, for: target, type: .withoutResponse)
            advance()
        }
        // The answer comes after all earlier packets.
        board.readValue(for: target)
    }

    private func advance() {
        offset += page.count
        progress.append(Double(offset) / Double(image.count))
    }

    private func finish(_ outcome: Outcome) {
        guard self.outcome == nil else { return }
        self.outcome = outcome
        if let board = board { central.cancelPeripheralConnection(board) }
    }
}

extension FirmwareUploader: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [service]) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard board == nil else { return }
        board = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([service])
    }

    func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
        finish(.failed(error?.localizedDescription ?? "cancelled"))
    }
}

extension FirmwareUploader: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        guard let found = peripheral.services?.first else { return finish(.failed("no service")) }
        peripheral.discoverCharacteristics([memory], for: found)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        guard let found = service.characteristics?.first else { return finish(.failed("no memory")) }
        target = found
        begin()
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?) {
        if let error = error { return finish(.failed(error.localizedDescription)) }
        peripheral.readValue(for: characteristic)
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        if let error = error { return finish(.failed(error.localizedDescription)) }
        guard characteristic.value == page else { return finish(.damaged(page: progress.count)) }
        guard mode == .verifiedPages else { return finish(.done) }
        advance()
        writePage()
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { stream() }
}
