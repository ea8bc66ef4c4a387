// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Glibc
import HCI

/// Writes the packets of the transport to a btsnoop file (data link type 1002, H4) that btmon and Wireshark open. The
/// writer overwrites keys with zeros before they reach the file.
package final class BTSnoopWriter {
    package enum Direction: Sendable {
        case sent
        case received
    }

    private let file: FileHandle
    /// Octets of whole records in the file.
    private var written: UInt64 = 0
    /// The capture has ended.
    private var isOver = false
    private var untold: TransportError?
    private var buffer: [UInt8] = []
    // Values that phones write to the gateway may be passwords, so they are hidden. Values that the gateway writes to
    // sensors are the purpose of a capture.
    private var sent = KeyRedaction(ToldOctets(.captureSent))
    private var received = KeyRedaction(ToldOctets(.captureReceived))
    /// Octets gathered before a write.
    private static let bufferLength = 65_536
    /// Microseconds from year 0 to 1970, as the format counts them.
    static let epochOffset: UInt64 = 0x00DC_DDB3_0F2F_8000
    /// The beginning of a file: its name, version 1, data link type 1002.
    static let fileHeader: [UInt8] = Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x03, 0xEA]

    /// Creates or replaces the file, readable by its owner alone. A symbolic link is refused.
    package init(path: String) throws(TransportError) {
        let flags = O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { throw .systemCall("open", on: path) }
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // An existing file kept its mode. The writer first takes the rights of other users away, and then empties the
        // file.
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw .systemCall("stat", on: path) }
        // A pipe to a program that shows the packets is as good as a file.
        if information.st_mode & S_IFMT == S_IFREG {
            guard fchmod(descriptor, 0o600) == 0 else { throw .systemCall("chmod", on: path) }
            guard ftruncate(descriptor, 0) == 0 else { throw .systemCall("truncate", on: path) }
        }
        buffer = Self.fileHeader
    }

    /// Appends one H4 packet.
    package func record(_ packet: RawSpan, _ direction: Direction) {
        guard !isOver else { return }
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let microseconds = UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000 &+ Self.epochOffset
        let type = packet.byteCount > 0 ? HCIPacketType(rawValue: packet.u8(at: 0)) : nil
        let isControl = type == .command || type == .event
        appendBigEndian(UInt32(packet.byteCount))
        appendBigEndian(UInt32(packet.byteCount))
        appendBigEndian((direction == .received ? 1 : 0) | (isControl ? 2 : 0))
        appendBigEndian(0)
        appendBigEndian(UInt32(truncatingIfNeeded: microseconds >> 32))
        appendBigEndian(UInt32(truncatingIfNeeded: microseconds))
        let start = buffer.count
        packet.withUnsafeBytes { buffer.append(contentsOf: $0) }
        let secrets = direction == .sent ? sent.octets(of: packet) : received.octets(of: packet)
        if let secrets {
            for index in secrets where index < packet.byteCount { buffer[start + index] = 0 }
        }
        if buffer.count >= Self.bufferLength { write() }
    }

    /// From now on, no value that the peer of this link sends reaches the file, until another link has its handle.
    package func hideValues(on handle: UInt16) { received.hideValues(on: handle) }

    /// Hands the gathered octets to the kernel. A failed write ends the capture after the last whole record: the
    /// capture must not stop the radio.
    ///
    /// - Returns: Why the capture has ended; once.
    @discardableResult package func flush() -> TransportError? {
        write()
        defer { untold = nil }
        return untold
    }

    private func write() {
        guard !isOver, !buffer.isEmpty else { return }
        do {
            try file.write(contentsOf: buffer)
            written += UInt64(buffer.count)
        } catch {
            try? file.truncate(atOffset: written)
            isOver = true
            untold = TransportError(kind: .other, message: "\(error)")
        }
        buffer.removeAll(keepingCapacity: !isOver)
    }

    private func appendBigEndian(_ value: UInt32) {
        for shift in stride(from: UInt32(24), through: 0, by: -8) {
            buffer.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
