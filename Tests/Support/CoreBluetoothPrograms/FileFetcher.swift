// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// Fetches the file of a ``FileServer``, and compares its checksum.
final class FileFetcher: NSObject {
    enum Outcome: Equatable {
        case fetched(Data)
        case damaged
        case failed(String)
    }

    private(set) var outcome: Outcome?
    private(set) var progress: [Double] = []

    private let manager: CBCentralManager
    private let streams = StreamThread()
    private var server: CBPeripheral?
    private var checksum: UInt32?
    private var psm: CBL2CAPPSM?
    private var reception: Reception?

    override init() {
        manager = CBCentralManager()
        super.init()
        manager.delegate = self
    }

    private func finish(_ outcome: Outcome) {
        guard self.outcome == nil else { return }
        self.outcome = outcome
        reception = nil
        streams.cancel()
        if let server = server { manager.cancelPeripheralConnection(server) }
    }

    private func openIfReady(_ peripheral: CBPeripheral) {
        guard let psm = psm, checksum != nil, reception == nil else { return }
        peripheral.openL2CAPChannel(psm)
    }

    /// The file on its way in; lives on the thread of the streams.
    private final class Reception: NSObject, StreamDelegate, @unchecked Sendable {
        private let channel: CBL2CAPChannel
        private let progress: (Double) -> Void
        private let end: (Data?) -> Void
        private var received = Data()
        private var wanted: Int? { FileProtocol.number(Data(received.prefix(4))).map { Int($0) + 4 } }

        private var isWhole: Bool { received.count == wanted }

        init(_ channel: CBL2CAPChannel, progress: @escaping (Double) -> Void, end: @escaping (Data?) -> Void) {
            self.channel = channel
            self.progress = progress
            self.end = end
        }

        func start() {
            channel.inputStream.delegate = self
            channel.inputStream.schedule(in: .current, forMode: .default)
            channel.inputStream.open()
            channel.outputStream.open()
        }

        func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
            switch eventCode {
            case .hasBytesAvailable: receive()
            // The server closes the channel after the client's report of a whole file.
            case .endEncountered: finish(isWhole ? Data(received.dropFirst(4)) : nil)
            case .errorOccurred: finish(nil)
            default: break
            }
        }

        private func receive() {
            var buffer = [UInt8](repeating: 0, count: 2048)
            let count = channel.inputStream.read(&buffer, maxLength: buffer.count)
            guard count > 0 else { return }
            received.append(contentsOf: buffer[..<count])
            guard let wanted = wanted else { return }
            progress(Double(received.count) / Double(wanted))
            if isWhole { _ = channel.outputStream.write([FileProtocol.whole], maxLength: 1) }
        }

        private func finish(_ file: Data?) {
            channel.inputStream.close()
            channel.outputStream.close()
            channel.inputStream.remove(from: .current, forMode: .default)
            end(file)
        }
    }
}

extension FileFetcher: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [FileProtocol.service]) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard server == nil else { return }
        central.stopScan()
        server = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([FileProtocol.service])
    }

    func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
        finish(.failed(error?.localizedDescription ?? "ended"))
    }
}

extension FileFetcher: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        guard let service = peripheral.services?.first(where: { $0.uuid == FileProtocol.service }) else {
            finish(.failed("no service"))
            return
        }
        peripheral.discoverCharacteristics([FileProtocol.psm, FileProtocol.checksum], for: service)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        service.characteristics?.forEach { peripheral.readValue(for: $0) }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        if let error = error {
            finish(.failed(error.localizedDescription))
            return
        }
        guard let value = characteristic.value else { return }
        if characteristic.uuid == FileProtocol.psm, value.count == 2 {
            psm = CBL2CAPPSM(value[0]) | CBL2CAPPSM(value[1]) << 8
        } else if characteristic.uuid == FileProtocol.checksum {
            checksum = FileProtocol.number(value)
        }
        openIfReady(peripheral)
    }

    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: Error?) {
        guard let channel = channel else {
            finish(.failed(error?.localizedDescription ?? "no channel"))
            return
        }
        let reception = Reception(channel) { [weak self] part in
            DispatchQueue.main.async { self?.progress.append(part) }
        } end: { [weak self] file in
            DispatchQueue.main.async {
                guard let self = self, let file = file else {
                    self?.finish(.failed("the channel ended"))
                    return
                }
                self.finish(FileProtocol.checksum(file) == self.checksum ? .fetched(file) : .damaged)
            }
        }
        self.reception = reception
        streams.perform { reception.start() }
    }
}
