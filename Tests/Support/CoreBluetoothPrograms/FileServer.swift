// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// The agreement of a file server and its clients. One characteristic has the server's PSM, another the checksum of the file. A channel
/// carries the file's length, in four octets, and the file. One octet comes back for a whole file.
enum FileProtocol {
    static let service = CBUUID(string: "91C7A5E0-33A1-4F0D-9C11-0A6C5D1E7F01")
    static let psm = CBUUID(string: CBUUIDL2CAPPSMCharacteristicString)
    static let checksum = CBUUID(string: "91C7A5E0-33A1-4F0D-9C11-0A6C5D1E7F02")

    static let whole: UInt8 = 0x06

    /// FNV-1a.
    static func checksum(_ data: Data) -> UInt32 {
        data.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }

    static func octets(_ number: UInt32) -> Data { Data((0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }) }

    static func number(_ octets: Data) -> UInt32? {
        octets.count == 4 ? octets.reversed().reduce(0) { $0 << 8 | UInt32($1) } : nil
    }
}

/// A thread with a run loop for streams, so that the user interface never waits for them.
final class StreamThread: @unchecked Sendable {
    private var loop: RunLoop!
    private var isCancelled = false

    init() {
        let ready = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [self] in
            loop = RunLoop.current
            // A run loop without a source returns at once, and blocks alone do not wake it.
            let timer = Timer(timeInterval: 0.02, repeats: true) { _ in }
            loop.add(timer, forMode: .default)
            ready.signal()
            while !isCancelled { _ = loop.run(mode: .default, before: .distantFuture) }
            timer.invalidate()
        }
        ready.wait()
    }

    func perform(_ body: @escaping @Sendable () -> Void) { loop.perform(body) }

    func cancel() { perform { self.isCancelled = true } }
}

/// Sends a file on every channel that a client opens.
final class FileServer: NSObject {
    private(set) var psm: CBL2CAPPSM?
    private(set) var isAdvertising = false
    private(set) var served = 0

    private let file: Data
    private let manager: CBPeripheralManager
    private let streams = StreamThread()
    private var transfers: [ObjectIdentifier: Transfer] = [:]

    init(file: Data) {
        self.file = file
        manager = CBPeripheralManager()
        super.init()
        manager.delegate = self
    }

    func stop() {
        if let psm = psm { manager.unpublishL2CAPChannel(psm) }
        manager.stopAdvertising()
        manager.removeAllServices()
        streams.cancel()
    }

    /// One client's channel; lives on the thread of the streams.
    private final class Transfer: NSObject, StreamDelegate, @unchecked Sendable {
        private let channel: CBL2CAPChannel
        private var rest: Data
        private let end: (Transfer, _ isComplete: Bool) -> Void

        init(_ channel: CBL2CAPChannel, _ file: Data, end: @escaping (Transfer, Bool) -> Void) {
            self.channel = channel
            rest = FileProtocol.octets(UInt32(file.count)) + file
            self.end = end
        }

        func start() {
            for stream in [channel.inputStream, channel.outputStream] as [Stream] {
                stream.delegate = self
                stream.schedule(in: .current, forMode: .default)
                stream.open()
            }
        }

        func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
            switch eventCode {
            case .hasSpaceAvailable where aStream === channel.outputStream: send()
            case .hasBytesAvailable: receive()
            case .endEncountered, .errorOccurred: finish(isComplete: false)
            default: break
            }
        }

        private func send() {
            guard !rest.isEmpty else { return }
            let piece = [UInt8](rest.prefix(4096))
            let count = channel.outputStream.write(piece, maxLength: piece.count)
            if count > 0 { rest = Data(rest.dropFirst(count)) }
        }

        private func receive() {
            var octet: UInt8 = 0
            guard channel.inputStream.read(&octet, maxLength: 1) == 1 else { return }
            finish(isComplete: rest.isEmpty && octet == FileProtocol.whole)
        }

        private func finish(isComplete: Bool) {
            for stream in [channel.inputStream, channel.outputStream] as [Stream] {
                stream.close()
                stream.remove(from: .current, forMode: .default)
            }
            end(self, isComplete)
        }
    }
}

extension FileServer: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        if peripheral.state == .poweredOn { peripheral.publishL2CAPChannel(withEncryption: false) }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: Error?) {
        guard error == nil else { return }
        psm = PSM
        let service = CBMutableService(type: FileProtocol.service, primary: true)
        service.characteristics = [
            CBMutableCharacteristic(
                type: FileProtocol.psm, properties: .read, value: Data([UInt8(PSM & 0xFF), UInt8(PSM >> 8)]),
                permissions: .readable),
            CBMutableCharacteristic(
                type: FileProtocol.checksum, properties: .read,
                value: FileProtocol.octets(FileProtocol.checksum(file)), permissions: .readable),
        ]
        peripheral.add(service)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: Error?) {
        psm = nil
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
        guard error == nil else { return }
        peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [FileProtocol.service]])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
        isAdvertising = error == nil
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: Error?) {
        guard let channel = channel else { return }
        let transfer = Transfer(channel, file) { [weak self] transfer, isComplete in
            DispatchQueue.main.async {
                self?.transfers.removeValue(forKey: ObjectIdentifier(transfer))
                if isComplete { self?.served += 1 }
            }
        }
        transfers[ObjectIdentifier(transfer)] = transfer
        streams.perform { transfer.start() }
    }
}
