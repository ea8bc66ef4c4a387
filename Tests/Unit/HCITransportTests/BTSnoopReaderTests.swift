// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCITransport
import Testing

@Suite("Reading a recording")
struct BTSnoopReaderTests {
    private static let packets: [(BTSnoopWriter.Direction, [UInt8])] = [
        (.sent, [0x01, 0x03, 0x0C, 0x00]), (.received, [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]),
        (.received, [0x02, 0x40, 0x20, 0x07, 0x00, 0x03, 0x00, 0x04, 0x00, 0x1B, 0x03, 0x00]),
    ]

    /// The first packet's time, in microseconds.
    private static let began: Int64 = 1_790_000_000_000_000

    private static var file: [UInt8] {
        var ring = FlightRing(capacity: FlightRing.minimumCapacity)
        for (index, packet) in packets.enumerated() {
            ring.record(packet.1.span.bytes, packet.0, microseconds: UInt64(began) + UInt64(index) * 1_250)
        }
        return ring.file()
    }

    @Test func `what was recorded is read, with directions and times`() throws {
        let (records, isTruncated) = try BTSnoopReader.records(of: Self.file)
        #expect(!isTruncated && records.map(\.packet) == Self.packets.map(\.1))
        #expect(records.map(\.direction) == Self.packets.map(\.0))
        let began = Self.began
        #expect(records.map(\.microseconds) == [began, began + 1_250, began + 2_500])
        #expect(records.allSatisfy { !$0.isCut })
    }

    @Test func `a file that a killed process has left loses its last packet alone`() throws {
        for missing in 1...(24 + 11) {
            let (records, isTruncated) = try BTSnoopReader.records(of: Self.file.dropLast(missing))
            #expect(records.count == 2 && isTruncated)
        }
        #expect(try BTSnoopReader.records(of: Self.file.dropLast(36)).records.count == 2)
    }

    @Test func `what is none is refused, and says what it is`() {
        func error(_ change: (inout [UInt8]) -> Void) -> BTSnoopError? {
            var file = Self.file
            change(&file)
            do {
                _ = try BTSnoopReader.records(of: file)
                return nil
            } catch { return error }
        }
        #expect(error { $0 = [] } == .notBTSnoop)
        #expect(error { $0[0] = 0x41 } == .notBTSnoop)
        #expect(error { $0[11] = 2 } == .notBTSnoop)
        #expect(error { ($0[14], $0[15]) = (0x07, 0xD1) } == .otherDataLink(2001))
        #expect(error { $0[20] = 0x7F } == .malformedRecord(1), "included is more than there was")
        #expect(error { ($0[16], $0[20]) = (0x7F, 0x7F) } == .malformedRecord(1), "longer than any packet")
    }

    @Test func `a packet of which the beginning alone is there is marked`() throws {
        var file = Self.file
        // The first record had two octets more.
        file[19] += 2
        let records = try BTSnoopReader.records(of: file).records
        #expect(records.map(\.isCut) == [true, false, false])
    }
}
