// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// The newest packets of the transport in a fixed piece of memory, as records of a btsnoop file (data link type 1002,
/// H4). Keys, and values written to characteristics, are overwritten with zeros before they get in. In a full ring, new
/// records push the oldest out.
///
/// All memory is taken in the beginning: a packet costs a copy and no allocation.
package struct FlightRing {
    /// Octets of a record before its packet.
    package static let recordHeaderLength = 24
    /// A smaller ring could not hold the longest H4 packet.
    package static let minimumCapacity = 128 * 1024

    /// Records in the ring.
    package private(set) var count = 0
    /// Records that were pushed out.
    package private(set) var overwritten: UInt64 = 0
    private var octets: [UInt8]
    /// Offset of the oldest record.
    private var head = 0
    /// Octets of all records.
    private var used = 0
    private var sent = KeyRedaction(ToldOctets(.recorderSent))
    private var received = KeyRedaction(ToldOctets(.recorderReceived))

    /// - Parameter capacity: octets for records; at least ``minimumCapacity`` is taken.
    package init(capacity: Int) {
        octets = [UInt8](repeating: 0, count: max(Self.minimumCapacity, capacity))
    }

    /// Records one H4 packet.
    /// - Parameter microseconds: Since 1970, by the wall clock.
    package mutating func record(
        _ packet: RawSpan, _ direction: BTSnoopWriter.Direction, microseconds: UInt64
    ) {
        // Each redaction sees every packet of its direction, because a frame may come in pieces.
        let secrets = direction == .sent ? sent.octets(of: packet) : received.octets(of: packet)
        let included = min(packet.byteCount, octets.count - Self.recordHeaderLength)
        let length = Self.recordHeaderLength + included
        while octets.count - used < length { dropOldest() }
        let start = place(head + used)
        let type = packet.byteCount > 0 ? HCIPacketType(rawValue: packet.u8(at: 0)) : nil
        let time = microseconds &+ BTSnoopWriter.epochOffset
        let flags: UInt32 = (direction == .received ? 1 : 0) | (type == .command || type == .event ? 2 : 0)
        var header = (
            UInt32(truncatingIfNeeded: packet.byteCount).bigEndian, UInt32(truncatingIfNeeded: included).bigEndian,
            flags.bigEndian, UInt32(0), time.bigEndian
        )
        withUnsafeBytes(of: &header) { copy($0, to: start) }
        let body = place(start + Self.recordHeaderLength)
        packet.withUnsafeBytes { copy(UnsafeRawBufferPointer(rebasing: $0[..<included]), to: body) }
        if let secrets {
            for index in secrets where index < included { octets[place(body + index)] = 0 }
        }
        used += length
        count += 1
    }

    /// From now on, no value that the peer of this link sends gets into the ring, until another link has its handle.
    package mutating func hideValues(on handle: UInt16) { received.hideValues(on: handle) }

    /// All records, oldest first, as a whole btsnoop file.
    package func file() -> [UInt8] {
        var file = BTSnoopWriter.fileHeader
        file.reserveCapacity(file.count + used)
        let first = min(used, octets.count - head)
        file += octets[head..<(head + first)]
        file += octets[..<(used - first)]
        return file
    }

    /// The newest records of a btsnoop file, as a whole file of at most `limit` octets.
    package static func tail(of file: [UInt8], limit: Int) -> [UInt8] {
        var start = BTSnoopWriter.fileHeader.count
        let room = max(0, limit - start)
        while start + recordHeaderLength <= file.count, file.count - start > room {
            let length = file[(start + 4)..<(start + 8)].reduce(0) { $0 << 8 | Int($1) }
            start += recordHeaderLength + length
        }
        return BTSnoopWriter.fileHeader + file[min(start, file.count)...]
    }

    private mutating func dropOldest() {
        let length = Self.recordHeaderLength + Int(number(at: head + 4))
        head = place(head + length)
        used -= length
        count -= 1
        overwritten += 1
    }

    /// `offset`: less than twice the capacity.
    private func place(_ offset: Int) -> Int { offset < octets.count ? offset : offset - octets.count }

    /// Copies octets, at most the size of the memory, and wraps around at the end of the memory.
    private mutating func copy(_ source: UnsafeRawBufferPointer, to start: Int) {
        let first = min(source.count, octets.count - start)
        octets.withUnsafeMutableBytes { target in
            UnsafeMutableRawBufferPointer(rebasing: target[start..<(start + first)])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<first]))
            UnsafeMutableRawBufferPointer(rebasing: target[..<(source.count - first)])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[first...]))
        }
    }

    private func number(at offset: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 << 8 | UInt32(octets[place(offset + $1)]) }
    }
}
