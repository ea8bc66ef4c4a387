// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import Testing

@testable import HostBench

/// Our host as GATT client: several values at once.
struct ClientMultipleTests {
    // MARK: Read multiple

    @Test func `GATT/CL/GAR/BV-05-C read multiple characteristic values`() throws {
        try conformance("GATT/CL/GAR/BV-05-C") { bench in
            try bench.connect()
            try bench.ask(.readMultiple(handles: [3, 5, 0x0102]))
            try bench.answers("0E 03 00 05 00 02 01", with: "0F 01 02 03 04 05")
            try bench.told(value: "01 02 03 04 05")
        }
    }

    static let refusedReads = [
        Refusal("GATT/CL/GAR/BI-18-C", .readNotPermitted), Refusal("GATT/CL/GAR/BI-19-C", .invalidHandle),
        Refusal("GATT/CL/GAR/BI-20-C", .insufficientAuthorization),
        Refusal("GATT/CL/GAR/BI-21-C", .insufficientAuthentication),
        Refusal("GATT/CL/GAR/BI-22-C", .encryptionKeySizeTooShort),
    ]

    @Test(arguments: refusedReads) func `a refused read of several is told to the client`(_ row: Refusal) throws {
        try conformance(row.id) { bench in
            try bench.connect()
            try bench.ask(.readMultiple(handles: [3, 5]))
            try bench.answers("0E 03 00 05 00", with: row.response(to: 0x0E, handle: 5))
            try bench.declinesPairing(after: row.error)
            try bench.told(refused: row.error)
            try works(bench)
        }
    }

    // MARK: Read multiple variable length

    @Test func `GATT/CL/GAR/BV-08-C read multiple variable length characteristic values`() throws {
        try conformance("GATT/CL/GAR/BV-08-C") { bench in
            try bench.connect()
            try bench.ask(.readMultipleVariable(handles: [5, 3, 7]))
            try bench.answers("20 05 00 03 00 07 00", with: "21 02 00 01 02 00 00 01 00 03")
            try bench.told(
                .values([
                    .init(handle: 5, value: [1, 2]), .init(handle: 3, value: []), .init(handle: 7, value: [3]),
                ]))
        }
    }

    static let refusedVariableReads = [
        Refusal("GATT/CL/GAR/BI-36-C", .readNotPermitted), Refusal("GATT/CL/GAR/BI-38-C", .invalidHandle),
        Refusal("GATT/CL/GAR/BI-40-C", .insufficientAuthorization),
        Refusal("GATT/CL/GAR/BI-42-C", .insufficientAuthentication),
        Refusal("GATT/CL/GAR/BI-44-C", .encryptionKeySizeTooShort),
    ]

    @Test(arguments: refusedVariableReads) func `a refused read of several of any length is told to the client`(
        _ row: Refusal
    ) throws {
        try conformance(row.id) { bench in
            try bench.connect()
            try bench.ask(.readMultipleVariable(handles: [3, 5]))
            try bench.answers("20 03 00 05 00", with: row.response(to: 0x20, handle: 5))
            try bench.declinesPairing(after: row.error)
            try bench.told(refused: row.error)
            try works(bench)
        }
    }

    // MARK: Reliable writes

    @Test func `GATT/CL/GAW/BV-06-C reliable writes`() throws {
        try conformance("GATT/CL/GAW/BV-06-C") { bench in
            try bench.connect()
            try bench.ask(
                .reliableWrite([.init(handle: 3, value: [1, 2]), .init(handle: 5, value: counting(20))]))
            try bench.answers("16 03 00 00 00 01 02", with: "17 03 00 00 00 01 02")
            // The client sends each part only after the correct echo of the part before.
            try bench.expects(att: [0x16, 5, 0, 0, 0] + counting(18))
            try bench.expectsNothing()
            try bench.send(att: [0x17, 5, 0, 0, 0] + counting(18))
            try bench.answers("16 05 00 12 00 12 13", with: "17 05 00 12 00 12 13")
            try bench.answers("18 01", with: "19")
            try bench.told(.written)
        }
    }

    /// The tester's wrong echoes of `03 00 00 00 01 02`: another value, offset, handle or length.
    static let wrongEchoes = ["03 00 00 00 01 03", "03 00 01 00 01 02", "04 00 00 00 01 02", "03 00 00 00 01"]

    @Test func `GATT/CL/GAW/BI-32-C reliable writes: the echo differs`() throws {
        try conformance("GATT/CL/GAW/BI-32-C") { bench in
            try bench.connect()
            for echo in Self.wrongEchoes {
                try bench.ask(.reliableWrite([.init(handle: 3, value: [1, 2]), .init(handle: 5, value: [3])]))
                try bench.answers("16 03 00 00 00 01 02", with: "17 " + echo)
                try bench.answers("18 00", with: "19")
                try bench.told(.failure(.malformed))
            }
            try works(bench)
        }
    }

    /// An error ends its own procedure and nothing else.
    private func works(_ bench: Bench) throws {
        try bench.ask(.read(handle: 9))
        try bench.answers("0A 09 00", with: "0B 99")
        try bench.told(value: "99")
    }
}
