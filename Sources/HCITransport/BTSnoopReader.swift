// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Why a file cannot be read as a recording.
package enum BTSnoopError: Error, Equatable, Sendable {
    case notBTSnoop
    /// The data link type of the file is not H4.
    case otherDataLink(UInt32)
    /// A record, counted from 1, has a length beyond any H4 packet.
    case malformedRecord(Int)
}

/// Reads files of ``BTSnoopWriter`` and ``FlightRing``: btsnoop, version 1, data link type 1002 (H4). The reader skips
/// a last record that is cut off, as a killed process leaves it.
package struct BTSnoopReader: Sendable {
    package struct Record: Equatable, Sendable {
        package var direction: BTSnoopWriter.Direction
        /// Microseconds since 1970, by the writer's clock.
        package var microseconds: Int64
        /// One H4 packet, or its beginning.
        package var packet: [UInt8]
        /// True if the packet was longer than `packet` here.
        package var isCut: Bool

        package init(_ direction: BTSnoopWriter.Direction, microseconds: Int64, packet: [UInt8], isCut: Bool = false) {
            self.direction = direction
            self.microseconds = microseconds
            self.packet = packet
            self.isCut = isCut
        }
    }

    /// Octets of the longest H4 packet: type, handle, length and data of ISO or ACL data.
    private static let longestPacket = 5 + 65_535

    private let octets: [UInt8]
    private var offset: Int
    private var count = 0
    /// The file ends in the middle of a record.
    package private(set) var isTruncated = false

    package init(_ octets: [UInt8]) throws(BTSnoopError) {
        let header = BTSnoopWriter.fileHeader
        guard octets.count >= header.count, octets[..<12].elementsEqual(header[..<12]) else { throw .notBTSnoop }
        let dataLink = Self.number(octets, at: 12)
        guard dataLink == 1002 else { throw .otherDataLink(dataLink) }
        self.octets = octets
        offset = header.count
    }

    /// The next record; nil at the end.
    package mutating func next() throws(BTSnoopError) -> Record? {
        guard offset < octets.count else { return nil }
        guard octets.count - offset >= FlightRing.recordHeaderLength else {
            isTruncated = true
            offset = octets.count
            return nil
        }
        count += 1
        let original = Self.number(octets, at: offset), included = Self.number(octets, at: offset + 4)
        let isReceived = Self.number(octets, at: offset + 8) & 1 == 1
        guard included <= Self.longestPacket, included <= original else { throw .malformedRecord(count) }
        let time = UInt64(Self.number(octets, at: offset + 16)) << 32 | UInt64(Self.number(octets, at: offset + 20))
        let start = offset + FlightRing.recordHeaderLength
        guard octets.count - start >= Int(included) else {
            isTruncated = true
            offset = octets.count
            return nil
        }
        offset = start + Int(included)
        return Record(
            isReceived ? .received : .sent, microseconds: Int64(bitPattern: time &- BTSnoopWriter.epochOffset),
            packet: Array(octets[start..<offset]), isCut: included < original)
    }

    /// Reads all records.
    package static func records(of octets: [UInt8]) throws(BTSnoopError) -> (records: [Record], isTruncated: Bool) {
        var reader = try BTSnoopReader(octets)
        var records: [Record] = []
        while let record = try reader.next() { records.append(record) }
        return (records, reader.isTruncated)
    }

    /// Reads a big-endian number. The caller has checked that four octets are there.
    private static func number(_ octets: [UInt8], at offset: Int) -> UInt32 {
        octets[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
