// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import BluetoothHost
import GATT
import Testing

@testable import HostBench

/// Our host as GATT client: writes.
struct ClientWriteTests {
    @Test func `GATT/CL/GAW/BV-01-C write without response`() throws {
        try conformance("GATT/CL/GAW/BV-01-C") { bench in
            try bench.connect()
            try bench.writeCommand("01 02 03", to: 3)
            try bench.expects(att: "52 03 00 01 02 03")
            try bench.wait(for: "the command's departure") { if case .writeCommandSent = $0 { true } else { nil } }
            // A command is no transaction: a request follows at once.
            try bench.writeCommand("04", to: 3)
            try bench.ask(.read(handle: 3))
            try bench.expects(att: "52 03 00 04")
            try bench.answers("0A 03 00", with: "0B 04")
            try bench.told(value: "04")
        }
    }

    @Test func `GATT/CL/GAW/BV-03-C write characteristic value`() throws {
        try conformance("GATT/CL/GAW/BV-03-C") { bench in
            try bench.connect()
            try bench.ask(.write(handle: 3, value: counting(20)))
            try bench.expects(att: [0x12, 3, 0] + counting(20))
            try bench.expectsNothing()
            try bench.send(att: "13")
            try bench.told(.written)
        }
    }

    static let refusedWrites = [
        Refusal("GATT/CL/GAW/BI-02-C", .invalidHandle), Refusal("GATT/CL/GAW/BI-03-C", .writeNotPermitted),
        Refusal("GATT/CL/GAW/BI-04-C", .insufficientAuthorization),
        Refusal("GATT/CL/GAW/BI-05-C", .insufficientAuthentication),
        Refusal("GATT/CL/GAW/BI-06-C", .encryptionKeySizeTooShort),
    ]

    @Test(arguments: refusedWrites) func `a refused write is told to the client`(_ row: Refusal) throws {
        try conformance(row.id) { bench in
            try bench.connect()
            try bench.ask(.write(handle: 3, value: [1]))
            try bench.answers("12 03 00 01", with: row.response(to: 0x12, handle: 3))
            try bench.declinesPairing(after: row.error)
            try bench.told(refused: row.error)
            try works(bench)
        }
    }

    @Test func `GATT/CL/GAW/BV-05-C write long characteristic values`() throws {
        try conformance("GATT/CL/GAW/BV-05-C") { bench in
            try bench.connect()
            try writeLong(bench, handle: 3)
        }
    }

    static let refusedLongWrites = [
        Refusal("GATT/CL/GAW/BI-07-C", .invalidHandle), Refusal("GATT/CL/GAW/BI-08-C", .writeNotPermitted),
        Refusal("GATT/CL/GAW/BI-11-C", .insufficientAuthorization),
        Refusal("GATT/CL/GAW/BI-12-C", .insufficientAuthentication),
        Refusal("GATT/CL/GAW/BI-13-C", .encryptionKeySizeTooShort),
    ]

    @Test(arguments: refusedLongWrites) func `a refused part of a long write is told to the client`(
        _ row: Refusal
    ) throws {
        try conformance(row.id) { bench in
            try bench.connect()
            try bench.ask(.write(handle: 3, value: counting(40)))
            try bench.expects(att: [0x16, 3, 0, 0, 0] + counting(18))
            try bench.send(att: row.response(to: 0x16, handle: 3))
            try bench.declinesPairing(after: row.error)
            try bench.told(refused: row.error)
            try works(bench)
        }
    }

    @Test func `GATT/CL/GAW/BI-09-C write long: invalid offset`() throws {
        try conformance("GATT/CL/GAW/BI-09-C") { bench in
            try bench.connect()
            // The tester may refuse the part that goes too far: then the client cancels the prepared parts …
            try bench.ask(.write(handle: 3, value: counting(40)))
            try prepare(bench, handle: 3, 0..<18)
            try bench.expects(att: [0x16, 3, 0, 18, 0] + counting(18, from: 18))
            try bench.send(att: "01 16 03 00 07")
            try bench.answers("18 00", with: "19")
            try bench.told(refused: .invalidOffset)
            // … or the tester refuses the execution at the end.
            try bench.ask(.write(handle: 3, value: counting(30)))
            try prepare(bench, handle: 3, 0..<18)
            try prepare(bench, handle: 3, 18..<30)
            try bench.answers("18 01", with: "01 18 03 00 07")
            try bench.told(refused: .invalidOffset)
            try works(bench)
        }
    }

    @Test func `GATT/CL/GAW/BV-08-C write characteristic descriptors`() throws {
        try conformance("GATT/CL/GAW/BV-08-C") { bench in
            try bench.connect()
            try find(0x2901, bench)
            try bench.ask(.write(handle: 4, value: hex("52 6F 6F 6D")))
            try bench.answers("12 04 00 52 6F 6F 6D", with: "13")
            try bench.told(.written)
        }
    }

    @Test func `GATT/CL/GAW/BV-09-C write long characteristic descriptors`() throws {
        try conformance("GATT/CL/GAW/BV-09-C") { bench in
            try bench.connect()
            try find(0x2901, bench)
            try writeLong(bench, handle: 4)
        }
    }

    // MARK: Parts

    /// The client finds one descriptor of the type, with handle 4.
    private func find(_ type: UInt16, _ bench: Bench) throws {
        try bench.ask(.discoverDescriptors(range(4, 4)))
        try bench.answers("04 04 00 04 00", with: "05 01 04 00 " + text(little(type)))
        try bench.told(.descriptors([.init(handle: 4, type: short(type))]))
    }

    /// The client prepares one part of a value that counts up from 0, and the tester echoes the part.
    private func prepare(_ bench: Bench, handle: UInt8, _ part: Range<UInt8>) throws {
        let octets = [handle, 0, part.lowerBound, 0] + Array(part)
        try bench.expects(att: [0x16] + octets)
        try bench.send(att: [0x17] + octets)
    }

    /// A value of 40 octets in three parts.
    private func writeLong(_ bench: Bench, handle: UInt8) throws {
        try bench.ask(.write(handle: UInt16(handle), value: counting(40)))
        try prepare(bench, handle: handle, 0..<18)
        try prepare(bench, handle: handle, 18..<36)
        try prepare(bench, handle: handle, 36..<40)
        try bench.expects(att: "18 01")
        try bench.expectsNothing()
        try bench.send(att: "19")
        try bench.told(.written)
    }

    /// An error ends its own procedure and nothing else.
    private func works(_ bench: Bench) throws {
        try bench.ask(.write(handle: 9, value: [9]))
        try bench.answers("12 09 00 09", with: "13")
        try bench.told(.written)
    }
}
