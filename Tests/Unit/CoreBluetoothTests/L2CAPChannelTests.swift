// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import L2CAP
import Synchronization
import Testing
import TestSupport
import VirtualRadio

@testable import HostBench

/// An application that opens a channel to a peer on the virtual radio.
private final class ChannelApplication: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, Sendable {
    private struct Told {
        var peripheral: CBPeripheral?
        var isConnected = false
        var channel: CBL2CAPChannel?
        var error: NSError?
        var disconnections = 0
    }

    let radio = VirtualRadio(seed: 8)
    let peer: PeerRadio
    let controller: CBController
    private let told = Mutex(Told())
    private let manager: Mutex<CBCentralManager?> = Mutex(nil)

    init(psm: CBL2CAPPSM, setUp: @Sendable (ChannelPeer) -> Void) throws {
        peer = try PeerRadio(radio)
        peer.with(setUp)
        self.psm = psm
        controller = CBController(
            transport: .descriptor(try radio.makeController(address: DeviceAddress(kind: .public, value: 0xA1))),
            stateDirectory: nil)
        super.init()
        let manager = CBCentralManager(
            delegate: self, queue: queue,
            options: [CBCentralManagerOptionControllerKey: controller])
        self.manager.withLock { $0 = manager }
    }

    let queue = DispatchQueue(label: "channels")
    private let psm: CBL2CAPPSM

    deinit {
        controller.shutdown()
        peer.stop()
        radio.stop()
    }

    /// The channel, which the caller holds.
    func open() async throws -> CBL2CAPChannel {
        try await waitFor("a channel") { told.withLock { $0.channel != nil } }
        return try #require(
            told.withLock { told in
                defer { told.channel = nil }
                return told.channel
            })
    }

    var error: NSError? { told.withLock { $0.error } }

    func disconnect() {
        guard let peripheral = told.withLock({ $0.peripheral }) else { return }
        manager.withLock { $0 }?.cancelPeripheralConnection(peripheral)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        central.stopScan()
        peripheral.delegate = self
        told.withLock { $0.peripheral = peripheral }
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.openL2CAPChannel(psm)
    }

    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        told.withLock { ($0.channel, $0.error) = (channel, error.map { $0 as NSError }) }
    }
}

/// Sends a file and receives its echo in a run loop, as applications for iOS do.
private final class RunLoopEcho: NSObject, StreamDelegate {
    private let file: [UInt8]
    private var sent = 0
    private(set) var received: [UInt8] = []
    private(set) var inputEvents: [Stream.Event] = []
    private(set) var outputEvents: [Stream.Event] = []
    private(set) var isEnded = false
    let whole: @Sendable () -> Void

    init(file: [UInt8], whole: @escaping @Sendable () -> Void) {
        self.file = file
        self.whole = whole
    }

    func run(_ channel: CBL2CAPChannel) {
        for stream in [channel.inputStream, channel.outputStream] as [Stream?] {
            stream?.delegate = self
            stream?.schedule(in: .current, forMode: .default)
            stream?.open()
        }
        let end = Date(timeIntervalSinceNow: 20)
        while !isEnded, end > Date(), RunLoop.current.run(mode: .default, before: end) {}
        channel.outputStream.close()
    }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        if aStream is InputStream { inputEvents.append(eventCode) } else { outputEvents.append(eventCode) }
        switch eventCode {
        case .hasBytesAvailable:
            guard let stream = aStream as? InputStream else { return }
            var buffer = [UInt8](repeating: 0, count: 700)
            let count = stream.read(&buffer, maxLength: buffer.count)
            if count > 0 { received += buffer[..<count] }
            if received.count == file.count { whole() }
        case .hasSpaceAvailable:
            guard let stream = aStream as? OutputStream, sent < file.count else { return }
            let part = Array(file[sent...].prefix(3000))
            let count = stream.write(part, maxLength: part.count)
            if count > 0 { sent += count }
        case .endEncountered, .errorOccurred:
            aStream.close()
            aStream.remove(from: .current, forMode: .default)
            if aStream is InputStream { isEnded = true }
        default: break
        }
    }
}

@Suite(.timeLimit(.minutes(10))) struct L2CAPChannelTests {
    private let file = (0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }

    private struct Outcome: Sendable {
        var received: [UInt8] = []
        var input: [UInt] = []
        var output: [UInt] = []
    }

    @Test func `streams in a run loop carry a file there and back, and end with the peer's end`() async throws {
        let application = try ChannelApplication(psm: 0x80) { $0.echoes = true }
        let channel = try await application.open()
        #expect(channel.psm == 0x80)
        #expect(channel.peer is CBPeripheral)
        let (file, peer) = (file, application.peer)
        let outcome = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let echo = RunLoopEcho(file: file) { peer.with { $0.closesAfterSending = true } }
                echo.run(channel)
                continuation.resume(
                    returning: Outcome(
                        received: echo.received, input: echo.inputEvents.map(\.rawValue),
                        output: echo.outputEvents.map(\.rawValue)))
            }
        }
        #expect(outcome.received == file)
        #expect(outcome.input.first == Stream.Event.openCompleted.rawValue)
        #expect(outcome.input.last == Stream.Event.endEncountered.rawValue)
        #expect(outcome.input.filter { $0 == Stream.Event.openCompleted.rawValue }.count == 1)
        #expect(outcome.output.first == Stream.Event.openCompleted.rawValue)
        #expect(channel.inputStream.streamStatus == .closed)
    }

    @Test func `streams that no run loop has wait in read and write`() async throws {
        let application = try ChannelApplication(psm: 0x80) { $0.echoes = true }
        let channel = try await application.open()
        let file = file
        let received = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                channel.outputStream.open()
                var sent = 0
                while sent < file.count {
                    let rest = Array(file[sent...])
                    let count = channel.outputStream.write(rest, maxLength: rest.count)
                    guard count > 0 else { break }
                    sent += count
                }
            }
            Thread.detachNewThread {
                channel.inputStream.open()
                var (all, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
                while all.count < file.count {
                    let count = channel.inputStream.read(&buffer, maxLength: buffer.count)
                    guard count > 0 else { break }
                    all += buffer[..<count]
                }
                continuation.resume(returning: all)
            }
        }
        #expect(received == file)
        #expect(channel.outputStream.hasSpaceAvailable)
        #expect(!channel.inputStream.hasBytesAvailable)
        #expect(channel.inputStream.streamStatus == .open)
    }

    @Test func `the manager's own queue may wait for octets`() async throws {
        let application = try ChannelApplication(psm: 0x80) { $0.echoes = true }
        let channel = try await application.open()
        let file = file
        async let sending: Void = channel.write(Data(file))
        let received = await withCheckedContinuation { continuation in
            application.queue.async {
                channel.inputStream.open()
                var (all, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 512))
                while all.count < file.count {
                    let count = channel.inputStream.read(&buffer, maxLength: buffer.count)
                    guard count > 0 else { break }
                    all += buffer[..<count]
                }
                continuation.resume(returning: all)
            }
        }
        try await sending
        #expect(received == file)
    }

    @Test func `a channel that nobody holds closes, after what was written`() async throws {
        let application = try ChannelApplication(psm: 0x80) { _ in }
        let file = Array(file[..<10_000])
        do {
            let channel = try await application.open()
            channel.outputStream.open()
            #expect(channel.outputStream.write(file, maxLength: file.count) == file.count)
        }
        try await waitFor("the end of the channel") { application.peer.with { $0.channel == nil } }
        #expect(application.peer.with { $0.received } == file)
    }

    @Test func `the loss of the link is an error of both streams`() async throws {
        let application = try ChannelApplication(psm: 0x80) { _ in }
        let channel = try await application.open()
        #expect(channel.inputStream.streamStatus == .notOpen)
        channel.inputStream.open()
        channel.outputStream.open()
        application.disconnect()
        try await waitFor("the error") { channel.inputStream.streamStatus == .error }
        #expect((channel.inputStream.streamError as NSError?)?.domain == CBErrorDomain)
        var octet: UInt8 = 0
        #expect(channel.inputStream.read(&octet, maxLength: 1) == -1)
        #expect(channel.outputStream.write(&octet, maxLength: 1) == -1)
    }

    static let refusals: [(CBL2CAPPSM, ChannelRequirement, String, Int)] = [
        (0x81, .none, CBErrorDomain, CBError.Code.operationNotSupported.rawValue),
        (0x80, .encrypted, CBATTErrorDomain, CBATTError.Code.insufficientAuthentication.rawValue),
        (
            0x80, ChannelRequirement(authorization: true), CBATTErrorDomain,
            CBATTError.Code.insufficientAuthorization.rawValue
        ),
    ]

    @Test(arguments: refusals) func `a refused channel is an error`(
        psm: CBL2CAPPSM, requirement: ChannelRequirement, domain: String, code: Int
    ) async throws {
        let application = try ChannelApplication(psm: psm) { $0.listeners = [0x80: requirement] }
        try await waitFor("an error") { application.error != nil }
        #expect(application.error?.domain == domain)
        #expect(application.error?.code == code)
    }

    @Test func `tasks read and write a channel, and the peer's end ends the sequence`() async throws {
        let application = try ChannelApplication(psm: 0x80) { $0.echoes = true }
        let channel = try await application.open()
        let (file, peer) = (file, application.peer)
        async let sending: Void = channel.write(Data(file))
        var received = Data()
        for try await piece in channel.bytes {
            received += piece
            if received.count == file.count { peer.with { $0.closesAfterSending = true } }
        }
        try await sending
        #expect(Array(received) == file)
        await #expect(throws: CBError.self) { try await channel.write(Data([1])) }
    }

    @Test func `a task that waits for octets can be cancelled`() async throws {
        let application = try ChannelApplication(psm: 0x80) { _ in }
        let channel = try await application.open()
        let reading = Task {
            var count = 0
            for try await piece in channel.bytes { count += piece.count }
            return count
        }
        reading.cancel()
        #expect(try await reading.value == 0)
    }
}
