// SPDX-License-Identifier: Apache-2.0

import ATT
import GATT
import Testing

@testable import HostBench

/// Our host as GATT server: reads.
struct ServerReadTests {
    // MARK: Read

    @Test func `GATT/SR/GAR/BV-01-C read characteristic value`() throws {
        try conformance("GATT/SR/GAR/BV-01-C") { bench in
            try bench.asks("0A 22 00", answer: "0B 01 02 03")
            try bench.asks("0A 24 00", answer: "0B 70")
            bench.owner.values[ServerTable.plain] = []
            try bench.asks("0A 24 00", answer: "0B")
            // The part of a long value that fits.
            try bench.expects(read: ServerTable.long, counting(22))
        }
    }

    static let refusedReads = [
        Refusal("GATT/SR/GAR/BI-01-C", .readNotPermitted), Refusal("GATT/SR/GAR/BI-02-C", .invalidHandle),
        Refusal("GATT/SR/GAR/BI-03-C", .insufficientAuthorization),
        Refusal("GATT/SR/GAR/BI-04-C", .insufficientAuthentication),
        Refusal("GATT/SR/GAR/BI-05-C", .encryptionKeySizeTooShort),
    ]

    @Test(arguments: refusedReads) func `a read is refused`(_ row: Refusal) throws {
        try conformance(row.id) { bench in
            let handle = try bench.provoke(row.error)
            try bench.send(att: [0x0A] + little(handle))
            try bench.expects(att: OctetPattern(row.response(to: 0x0A, handle: handle)))
            try allows(bench, row.error, [0x0A] + little(handle))
        }
    }

    // MARK: Read by type

    @Test func `GATT/SR/GAR/BV-03-C read using characteristic UUID`() throws {
        try conformance("GATT/SR/GAR/BV-03-C") { bench in
            // Values of one length come together; a value of another length gets its own response.
            try bench.asks("08 01 00 FF FF F1 FF", answer: "09 05 22 00 01 02 03")
            try bench.asks("08 23 00 FF FF F1 FF", answer: "09 02 3C 00")
            try bench.asks("08 3D 00 FF FF F1 FF", answer: "09 04 41 00 04 05")
            try bench.asks("08 01 00 FF FF \(longUUIDOctets)", answer: "09 03 35 00 08")
            try bench.asks("08 01 00 FF FF F2 FF", answer: "09 03 24 00 70")
        }
    }

    static let refusedReadsByType = [
        Refusal("GATT/SR/GAR/BI-06-C", .readNotPermitted), Refusal("GATT/SR/GAR/BI-09-C", .insufficientAuthorization),
        Refusal("GATT/SR/GAR/BI-10-C", .insufficientAuthentication),
        Refusal("GATT/SR/GAR/BI-11-C", .encryptionKeySizeTooShort),
    ]

    @Test(arguments: refusedReadsByType) func `a read by type is refused`(_ row: Refusal) throws {
        try conformance(row.id) { bench in
            let handle = try bench.provoke(row.error)
            let types: [UInt16: String] = [
                ServerTable.writeOnly: "F5 FF", ServerTable.encrypted: "F6 FF", ServerTable.authorized: "F7 FF",
            ]
            let request = "08 01 00 FF FF " + (types[handle] ?? "")
            try bench.asks(request, answer: OctetPattern(row.response(to: 0x08, handle: handle)))
            try allows(bench, row.error, hex(request))
        }
    }

    @Test func `GATT/SR/GAR/BI-07-C read by type: attribute not found`() throws {
        try conformance("GATT/SR/GAR/BI-07-C") { bench in
            try bench.asks("08 01 00 FF FF 37 2A", answer: "01 08 01 00 0A")
            // The attribute exists, but outside the range.
            try bench.asks("08 23 00 3B 00 F1 FF", answer: "01 08 23 00 0A")
        }
    }

    @Test func `GATT/SR/GAR/BI-08-C read by type: invalid handle range`() throws {
        try conformance("GATT/SR/GAR/BI-08-C") { bench in
            try bench.asks("08 00 00 FF FF F1 FF", answer: "01 08 00 00 01")
            try bench.asks("08 22 00 21 00 F1 FF", answer: "01 08 22 00 01")
        }
    }

    // MARK: Read long

    @Test func `GATT/SR/GAR/BV-04-C read long characteristic values`() throws {
        try conformance("GATT/SR/GAR/BV-04-C") { bench in
            try readLong(bench, ServerTable.long, first: 0)
        }
    }

    static let refusedLongReads = [
        Refusal("GATT/SR/GAR/BI-12-C", .readNotPermitted), Refusal("GATT/SR/GAR/BI-14-C", .invalidHandle),
        Refusal("GATT/SR/GAR/BI-15-C", .insufficientAuthorization),
        Refusal("GATT/SR/GAR/BI-16-C", .insufficientAuthentication),
        Refusal("GATT/SR/GAR/BI-17-C", .encryptionKeySizeTooShort),
    ]

    @Test(arguments: refusedLongReads) func `a read of a part is refused`(_ row: Refusal) throws {
        try conformance(row.id) { bench in
            let handle = try bench.provoke(row.error)
            try bench.send(att: [0x0C] + little(handle) + [0, 0])
            try bench.expects(att: OctetPattern(row.response(to: 0x0C, handle: handle)))
            try allows(bench, row.error, [0x0C] + little(handle) + [0, 0])
        }
    }

    @Test func `GATT/SR/GAR/BI-13-C read long: invalid offset`() throws {
        try conformance("GATT/SR/GAR/BI-13-C") { bench in
            try bench.asks("0C 22 00 04 00", answer: "01 0C 22 00 07")
            try bench.asks("0C 2B 00 33 00", answer: "01 0C 2B 00 07")
            try bench.asks("0C 2B 00 FF FF", answer: "01 0C 2B 00 07")
            // Exactly behind the end there is an empty part.
            try bench.asks("0C 22 00 03 00", answer: "0D")
        }
    }

    // MARK: Read multiple

    @Test func `GATT/SR/GAR/BV-05-C read multiple characteristic values`() throws {
        try conformance("GATT/SR/GAR/BV-05-C") { bench in
            try bench.asks("0E 22 00 24 00", answer: "0F 01 02 03 70")
            try bench.asks("0E 24 00 22 00 41 00", answer: "0F 70 01 02 03 04 05")
            // The server cuts the surplus octets.
            try bench.asks("0E 22 00 2B 00", answer: OctetPattern("0F 01 02 03 " + text(counting(19))))
        }
    }

    static let refusedMultipleReads = [
        Refusal("GATT/SR/GAR/BI-18-C", .readNotPermitted), Refusal("GATT/SR/GAR/BI-19-C", .invalidHandle),
        Refusal("GATT/SR/GAR/BI-20-C", .insufficientAuthorization),
        Refusal("GATT/SR/GAR/BI-21-C", .insufficientAuthentication),
        Refusal("GATT/SR/GAR/BI-22-C", .encryptionKeySizeTooShort),
    ]

    @Test(arguments: refusedMultipleReads) func `a read of several is refused`(_ row: Refusal) throws {
        try conformance(row.id) { bench in
            let handle = try bench.provoke(row.error)
            try bench.send(att: [0x0E, 0x22, 0] + little(handle))
            try bench.expects(att: OctetPattern(row.response(to: 0x0E, handle: handle)))
            try allows(bench, row.error, [0x0E, 0x22, 0] + little(handle))
        }
    }

    @Test func `GATT/SR/GAR/BV-09-C read multiple variable length characteristic values`() throws {
        try conformance("GATT/SR/GAR/BV-09-C") { bench in
            try bench.asks("20 22 00 24 00 3C 00", answer: "21 03 00 01 02 03 01 00 70 00 00")
            // The last value is cut, its length is not: 22 octets hold 5 + 2 and the first 15.
            try bench.asks("20 22 00 2B 00", answer: OctetPattern("21 03 00 01 02 03 32 00 " + text(counting(15))))
        }
    }

    static let refusedVariableReads = [
        Refusal("GATT/SR/GAR/BI-36-C", .readNotPermitted), Refusal("GATT/SR/GAR/BI-38-C", .invalidHandle),
        Refusal("GATT/SR/GAR/BI-40-C", .insufficientAuthorization),
        Refusal("GATT/SR/GAR/BI-42-C", .insufficientAuthentication),
        Refusal("GATT/SR/GAR/BI-44-C", .encryptionKeySizeTooShort),
    ]

    @Test(arguments: refusedVariableReads) func `a read of several of any length is refused`(_ row: Refusal) throws {
        try conformance(row.id) { bench in
            let handle = try bench.provoke(row.error)
            try bench.send(att: [0x20, 0x22, 0] + little(handle))
            try bench.expects(att: OctetPattern(row.response(to: 0x20, handle: handle)))
            try allows(bench, row.error, [0x20, 0x22, 0] + little(handle))
        }
    }

    @Test func `GATT/SR/GAR/BI-45-C several requests without waiting`() throws {
        try conformance("GATT/SR/GAR/BI-45-C") { bench in
            bench.owner.holdsAnswers = true
            for request in ["0A 24 00", "0A 22 00", "20 22 00 24 00", "0A F0 00"] { try bench.send(att: request) }
            try bench.expectsNothing()
            bench.owner.answerHeld(bench.bench)
            for answer: OctetPattern in ["0B 70", "0B 01 02 03", "21 03 00 01 02 03 01 00 70", "01 0A F0 00 01"] {
                try bench.expects(att: answer)
            }
        }
    }

    // MARK: Descriptors

    @Test func `GATT/SR/GAR/BV-06-C read characteristic descriptors`() throws {
        try conformance("GATT/SR/GAR/BV-06-C") { bench in
            try bench.expects(read: ServerTable.userDescription, Array("Room".utf8))
            try bench.expects(read: ServerTable.updatedConfiguration, [0, 0])
            try bench.asks("0A 2C 00", answer: "0B 01 00")
        }
    }

    @Test func `GATT/SR/GAR/BV-07-C read long characteristic descriptors`() throws {
        try conformance("GATT/SR/GAR/BV-07-C") { bench in
            try readLong(bench, ServerTable.longDescription, first: 100)
        }
    }

    @Test func `GATT/SR/GAR/BV-08-C read long descriptors at and behind the end`() throws {
        try conformance("GATT/SR/GAR/BV-08-C") { bench in
            try bench.asks("0C 2D 00 32 00", answer: "0D")
            try bench.asks("0C 2D 00 33 00", answer: "01 0C 2D 00 07")
            try bench.asks("0C 26 00 07 00", answer: "0D")
            try bench.asks("0C 26 00 08 00", answer: "01 0C 26 00 07")
        }
    }

    @Test func `GATT/SR/GPA/BV-11-C characteristic aggregate format`() throws {
        try conformance("GATT/SR/GPA/BV-11-C") { bench in
            try bench.asks("04 36 00 36 00", answer: "05 01 36 00 05 29")
            try bench.expects(read: ServerTable.aggregateFormat, hex("22 00 24 00"))
        }
    }

    @Test func `GATT/SR/GPA/BV-12-C characteristic presentation format`() throws {
        try conformance("GATT/SR/GPA/BV-12-C") { bench in
            try bench.asks("04 26 00 26 00", answer: "05 01 26 00 04 29")
            try bench.expects(read: ServerTable.presentationFormat, hex("0E FE 2F 27 01 02 01"))
        }
    }

    // MARK: Parts

    /// A value of 50 octets in three parts.
    private func readLong(_ bench: ServerBench, _ handle: UInt16, first: UInt8) throws {
        try bench.expects(read: handle, counting(22, from: first))
        try bench.send(att: [0x0C] + little(handle) + [22, 0])
        try bench.expects(att: [0x0D] + counting(22, from: first + 22))
        try bench.send(att: [0x0C] + little(handle) + [44, 0])
        try bench.expects(att: [0x0D] + counting(6, from: first + 44))
    }

    /// On a link with the attribute's protection, the server answers the same request.
    private func allows(_ bench: ServerBench, _ error: ATTErrorCode, _ request: [UInt8]) throws {
        guard try bench.satisfy(error) else { return }
        try bench.send(att: request)
        try bench.expects(att: OctetPattern(text([request[0] + 1]) + " *"))
    }
}
