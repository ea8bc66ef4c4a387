// SPDX-License-Identifier: Apache-2.0

import ATT
import GATT
import Testing

@testable import HostBench

/// Our host as GATT server: writes.
struct ServerWriteTests {
    @Test func `GATT/SR/GAW/BV-01-C write without response`() throws {
        try conformance("GATT/SR/GAW/BV-01-C") { bench in
            try bench.send(att: "52 24 00 01 02")
            try bench.expectsNothing()
            try bench.expects(read: ServerTable.plain, [1, 2])
            // The server ignores forbidden commands.
            try bench.send(att: "52 22 00 09")
            try bench.send(att: "52 2B 00 09")
            try bench.send(att: "52 F0 00 09")
            try bench.expectsNothing()
            try require(bench.owner.writes.count == 1, "the owner was given \(bench.owner.writes)")
        }
    }

    @Test func `GATT/SR/GAW/BV-03-C write characteristic value`() throws {
        try conformance("GATT/SR/GAW/BV-03-C") { bench in
            try bench.expects(write: ServerTable.plain, counting(10))
            try bench.expects(read: ServerTable.plain, counting(10))
            try bench.expects(write: ServerTable.plain, [])
            try bench.expects(read: ServerTable.plain, [])
        }
    }

    static let refusedWrites = [
        Refusal("GATT/SR/GAW/BI-02-C", .invalidHandle), Refusal("GATT/SR/GAW/BI-03-C", .writeNotPermitted),
        Refusal("GATT/SR/GAW/BI-04-C", .insufficientAuthorization),
        Refusal("GATT/SR/GAW/BI-05-C", .insufficientAuthentication),
        Refusal("GATT/SR/GAW/BI-06-C", .encryptionKeySizeTooShort),
    ]

    @Test(arguments: refusedWrites) func `a write is refused`(_ row: Refusal) throws {
        try conformance(row.id) { bench in
            let handle = try bench.provoke(row.error)
            try bench.send(att: [0x12] + little(handle) + [1])
            try bench.expects(att: OctetPattern(row.response(to: 0x12, handle: handle)))
            try require(bench.owner.writes.isEmpty, "the owner was given \(bench.owner.writes)")
            if try bench.satisfy(row.error) { try bench.expects(write: handle, [1]) }
        }
    }

    @Test func `GATT/SR/GAW/BI-32-C write: value too long`() throws {
        try conformance("GATT/SR/GAW/BI-32-C") { bench in
            try bench.send(att: [0x12, 0x24, 0] + counting(11))
            try bench.expects(att: "01 12 24 00 0D")
            try bench.expects(read: ServerTable.plain, [0x70])
        }
    }

    @Test func `GATT/SR/GAW/BI-39-C write without response: value too long`() throws {
        try conformance("GATT/SR/GAW/BI-39-C") { bench in
            try bench.send(att: [0x52, 0x24, 0] + counting(11))
            try bench.expectsNothing()
            try bench.expects(read: ServerTable.plain, [0x70])
        }
    }

    // MARK: Long

    @Test func `GATT/SR/GAW/BV-05-C write long characteristic values`() throws {
        try conformance("GATT/SR/GAW/BV-05-C") { bench in
            try writeLong(bench, ServerTable.long)
        }
    }

    static let refusedLongWrites = [
        Refusal("GATT/SR/GAW/BI-07-C", .invalidHandle), Refusal("GATT/SR/GAW/BI-08-C", .writeNotPermitted),
        Refusal("GATT/SR/GAW/BI-11-C", .insufficientAuthorization),
        Refusal("GATT/SR/GAW/BI-12-C", .insufficientAuthentication),
        Refusal("GATT/SR/GAW/BI-13-C", .encryptionKeySizeTooShort),
    ]

    @Test(arguments: refusedLongWrites) func `a part of a long write is refused`(_ row: Refusal) throws {
        try conformance(row.id) { bench in
            let handle = try bench.provoke(row.error)
            try bench.send(att: [0x16] + little(handle) + [0, 0, 1])
            try bench.expects(att: OctetPattern(row.response(to: 0x16, handle: handle)))
            // The server has prepared nothing.
            try bench.asks("18 01", answer: "19")
            try require(bench.owner.writes.isEmpty, "the owner was given \(bench.owner.writes)")
            if try bench.satisfy(row.error) { try bench.expects(prepare: handle, at: 0, [1]) }
        }
    }

    @Test func `GATT/SR/GAW/BI-09-C write long: invalid offset`() throws {
        try conformance("GATT/SR/GAW/BI-09-C") { bench in
            // The offset counts at the execution.
            try bench.expects(prepare: ServerTable.plain, at: 0, [1, 2])
            try bench.expects(prepare: ServerTable.plain, at: 5, [3])
            try bench.asks("18 01", answer: "01 18 24 00 07")
            try bench.expects(read: ServerTable.plain, [0x70])
            // The queue is empty afterwards.
            try bench.asks("18 01", answer: "19")
            try bench.expects(read: ServerTable.plain, [0x70])
        }
    }

    @Test func `GATT/SR/GAW/BI-33-C write long: value too long`() throws {
        try conformance("GATT/SR/GAW/BI-33-C") { bench in
            try bench.expects(prepare: ServerTable.plain, at: 0, counting(8))
            try bench.expects(prepare: ServerTable.plain, at: 8, counting(3))
            try bench.asks("18 01", answer: "01 18 24 00 0D")
            try bench.expects(read: ServerTable.plain, [0x70])
        }
    }

    @Test func `GATT/SR/GAW/BI-41-C write long: database out of sync`() throws {
        try conformance("GATT/SR/GAW/BI-41-C") { bench in
            try bench.expects(write: 0x15, [1])
            try bench.expects(prepare: ServerTable.long, at: 0, [1])
            try bench.bench.publish(ServerTable.another)
            try bench.send(att: "16 2B 00 01 00 02")
            try bench.expects(att: "01 16 2B 00 12")
            try require(bench.owner.writes.isEmpty, "the owner was given \(bench.owner.writes)")
        }
    }

    // MARK: Reliable

    @Test func `GATT/SR/GAW/BV-06-C reliable writes`() throws {
        try conformance("GATT/SR/GAW/BV-06-C") { bench in
            try bench.expects(prepare: ServerTable.plain, at: 0, [1, 2])
            try bench.expects(prepare: ServerTable.long, at: 0, [3, 4, 5])
            // The server writes nothing before the end, and then everything at once.
            try bench.expects(read: ServerTable.plain, [0x70])
            try require(bench.owner.writes.isEmpty, "the owner was given \(bench.owner.writes)")
            try bench.asks("18 01", answer: "19")
            try bench.expects(read: ServerTable.plain, [1, 2])
            try bench.expects(read: ServerTable.long, [3, 4, 5])
            try require(bench.owner.writes.count == 1, "the owner was given \(bench.owner.writes)")
        }
    }

    @Test func `GATT/SR/GAW/BV-07-C execute write cancels`() throws {
        try conformance("GATT/SR/GAW/BV-07-C") { bench in
            try bench.expects(prepare: ServerTable.plain, at: 0, [1, 2])
            try bench.asks("18 00", answer: "19")
            try bench.asks("18 01", answer: "19")
            try bench.expects(read: ServerTable.plain, [0x70])
            try require(bench.owner.writes.isEmpty, "the owner was given \(bench.owner.writes)")
        }
    }

    @Test func `GATT/SR/GAW/BV-10-C nested long reliable writes`() throws {
        try conformance("GATT/SR/GAW/BV-10-C") { bench in
            try bench.expects(prepare: ServerTable.long, at: 0, counting(18))
            try bench.expects(prepare: ServerTable.longDescription, at: 0, counting(18, from: 50))
            try bench.expects(prepare: ServerTable.long, at: 18, counting(18, from: 18))
            try bench.expects(prepare: ServerTable.plain, at: 0, [9])
            try bench.expects(prepare: ServerTable.longDescription, at: 18, counting(2, from: 68))
            try bench.asks("18 01", answer: "19")
            try require(bench.owner.values[ServerTable.long] == counting(36), "\(bench.owner.values)")
            let description = bench.owner.values[ServerTable.longDescription]
            try require(description == counting(20, from: 50), "\(bench.owner.values)")
            try require(bench.owner.values[ServerTable.plain] == [9], "\(bench.owner.values)")
            try require(bench.owner.writes.count == 1, "the owner was given \(bench.owner.writes)")
        }
    }

    @Test func `GATT/SR/GAW/BV-11-C execute write with nothing prepared`() throws {
        try conformance("GATT/SR/GAW/BV-11-C") { bench in
            try bench.asks("18 01", answer: "19")
            try bench.asks("18 00", answer: "19")
            try require(bench.owner.writes.isEmpty, "the owner was given \(bench.owner.writes)")
        }
    }

    // MARK: Descriptors

    @Test func `GATT/SR/GAW/BV-08-C write characteristic descriptors`() throws {
        try conformance("GATT/SR/GAW/BV-08-C") { bench in
            try bench.expects(write: ServerTable.userDescription, Array("Hall".utf8))
            try bench.expects(read: ServerTable.userDescription, Array("Hall".utf8))
            try bench.expects(write: ServerTable.updatedConfiguration, [1, 0])
            try bench.expects(read: ServerTable.updatedConfiguration, [1, 0])
            try bench.send(att: "12 26 00 00")
            try bench.expects(att: "01 12 26 00 03")
        }
    }

    @Test func `GATT/SR/GAW/BV-09-C write long characteristic descriptors`() throws {
        try conformance("GATT/SR/GAW/BV-09-C") { bench in
            try writeLong(bench, ServerTable.longDescription)
        }
    }

    /// A value of 40 octets in three parts.
    private func writeLong(_ bench: ServerBench, _ handle: UInt16) throws {
        try bench.expects(prepare: handle, at: 0, counting(18))
        try bench.expects(prepare: handle, at: 18, counting(18, from: 18))
        try bench.expects(prepare: handle, at: 36, counting(4, from: 36))
        try bench.asks("18 01", answer: "19")
        try require(bench.owner.values[handle] == counting(40), "the owner has \(bench.owner.values)")
        try bench.expects(read: handle, counting(22))
    }
}
