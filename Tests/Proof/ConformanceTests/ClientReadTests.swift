// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import Testing

@testable import HostBench

/// Our host as GATT client: reads.
struct ClientReadTests {
    @Test func `GATT/CL/GAR/BV-01-C read characteristic value`() throws {
        try conformance("GATT/CL/GAR/BV-01-C") { bench in
            try bench.connect()
            try bench.ask(.read(handle: 3))
            try bench.answers("0A 03 00", with: "0B 01 02 03")
            try bench.told(value: "01 02 03")
            // A value may be empty.
            try bench.ask(.read(handle: 0x0102))
            try bench.answers("0A 02 01", with: "0B")
            try bench.told(value: "")
        }
    }

    static let refusedReads = [
        Refusal("GATT/CL/GAR/BI-01-C", .invalidHandle), Refusal("GATT/CL/GAR/BI-02-C", .readNotPermitted),
        Refusal("GATT/CL/GAR/BI-03-C", .insufficientAuthorization),
        Refusal("GATT/CL/GAR/BI-04-C", .insufficientAuthentication),
        Refusal("GATT/CL/GAR/BI-05-C", .encryptionKeySizeTooShort),
    ]

    @Test(arguments: refusedReads) func `a refused read is told to the client`(_ row: Refusal) throws {
        try conformance(row.id) { bench in
            try bench.connect()
            try bench.ask(.read(handle: 3))
            try bench.answers("0A 03 00", with: row.response(to: 0x0A, handle: 3))
            try bench.declinesPairing(after: row.error)
            try bench.told(refused: row.error)
            try works(bench)
        }
    }

    @Test func `GATT/CL/GAR/BV-03-C read using characteristic UUID`() throws {
        try conformance("GATT/CL/GAR/BV-03-C") { bench in
            try bench.connect()
            try bench.ask(.readByType(short(0x2A00)))
            try bench.answers("08 01 00 FF FF 00 2A", with: "09 05 03 00 4D 4E 4F")
            try bench.told(value: "4D 4E 4F")
            try bench.ask(.readByType(longUUID))
            try bench.answers("08 01 00 FF FF \(longUUIDOctets)", with: "09 03 08 00 07")
            try bench.told(value: "07")
        }
    }

    static let refusedReadsByType = [
        Refusal("GATT/CL/GAR/BI-06-C", .readNotPermitted), Refusal("GATT/CL/GAR/BI-07-C", .attributeNotFound),
        Refusal("GATT/CL/GAR/BI-09-C", .insufficientAuthorization),
        Refusal("GATT/CL/GAR/BI-10-C", .insufficientAuthentication),
        Refusal("GATT/CL/GAR/BI-11-C", .encryptionKeySizeTooShort),
    ]

    @Test(arguments: refusedReadsByType) func `a refused read by type is told to the client`(_ row: Refusal) throws {
        try conformance(row.id) { bench in
            try bench.connect()
            try bench.ask(.readByType(short(0x2A00)))
            try bench.answers("08 01 00 FF FF 00 2A", with: row.response(to: 0x08, handle: 1))
            if row.error == .attributeNotFound {
                // Its type may be declared in 128 bits.
                try bench.answers(
                    "08 01 00 FF FF FB 34 9B 5F 80 00 00 80 00 10 00 00 00 2A 00 00",
                    with: row.response(to: 0x08, handle: 1))
            }
            try bench.declinesPairing(after: row.error)
            try bench.told(refused: row.error)
            try works(bench)
        }
    }

    @Test func `GATT/CL/GAR/BV-04-C read long characteristic values`() throws {
        try conformance("GATT/CL/GAR/BV-04-C") { bench in
            try bench.connect()
            try readLong(bench, handle: 3)
            // For a value of exactly two PDUs, the third part is empty.
            try bench.ask(.read(handle: 3))
            try bench.answers("0A 03 00", with: "0B " + text(counting(22)))
            try bench.answers("0C 03 00 16 00", with: "0D " + text(counting(22, from: 22)))
            try bench.answers("0C 03 00 2C 00", with: "0D")
            try bench.told(.value(counting(44)))
        }
    }

    static let refusedLongReads = [
        Refusal("GATT/CL/GAR/BI-12-C", .readNotPermitted), Refusal("GATT/CL/GAR/BI-14-C", .invalidHandle),
        Refusal("GATT/CL/GAR/BI-15-C", .insufficientAuthorization),
        Refusal("GATT/CL/GAR/BI-16-C", .insufficientAuthentication),
        Refusal("GATT/CL/GAR/BI-17-C", .encryptionKeySizeTooShort),
    ]

    @Test(arguments: refusedLongReads) func `a refused part of a long read is told to the client`(
        _ row: Refusal
    ) throws {
        try conformance(row.id) { bench in
            try bench.connect()
            try bench.ask(.read(handle: 3))
            try bench.answers("0A 03 00", with: "0B " + text(counting(22)))
            try bench.answers("0C 03 00 16 00", with: row.response(to: 0x0C, handle: 3))
            try bench.declinesPairing(after: row.error)
            try bench.told(refused: row.error)
            try works(bench)
        }
    }

    @Test func `GATT/CL/GAR/BI-13-C an invalid offset ends a long read`() throws {
        try conformance("GATT/CL/GAR/BI-13-C") { bench in
            try bench.connect()
            try bench.ask(.read(handle: 3))
            try bench.answers("0A 03 00", with: "0B " + text(counting(22)))
            // The client asks only for the rest, and the value has no rest.
            try bench.answers("0C 03 00 16 00", with: "01 0C 03 00 07")
            try bench.told(.value(counting(22)))
            try works(bench)
        }
    }

    @Test func `GATT/CL/GAR/BV-06-C read characteristic descriptors`() throws {
        try conformance("GATT/CL/GAR/BV-06-C") { bench in
            try bench.connect()
            try find(0x2901, bench)
            try bench.ask(.read(handle: 4))
            try bench.answers("0A 04 00", with: "0B 52 6F 6F 6D")
            try bench.told(value: "52 6F 6F 6D")
        }
    }

    @Test func `GATT/CL/GAR/BV-07-C read long characteristic descriptors`() throws {
        try conformance("GATT/CL/GAR/BV-07-C") { bench in
            try bench.connect()
            try find(0x2901, bench)
            try readLong(bench, handle: 4)
        }
    }

    @Test func `GATT/CL/GPA/BV-11-C characteristic aggregate format`() throws {
        try conformance("GATT/CL/GPA/BV-11-C") { bench in
            try bench.connect()
            try find(0x2905, bench)
            try bench.ask(.read(handle: 4))
            try bench.answers("0A 04 00", with: "0B 10 00 11 00 12 00")
            try bench.told(value: "10 00 11 00 12 00")
            // Each of the handles is a presentation format.
            for handle in ["10", "11", "12"] {
                try bench.ask(.read(handle: UInt16(handle, radix: 16) ?? 0))
                try bench.answers("0A \(handle) 00", with: "0B 04 00 00 27 01 00 00")
                try bench.told(value: "04 00 00 27 01 00 00")
            }
        }
    }

    @Test func `GATT/CL/GPA/BV-12-C characteristic presentation format`() throws {
        try conformance("GATT/CL/GPA/BV-12-C") { bench in
            try bench.connect()
            try find(0x2904, bench)
            try bench.ask(.read(handle: 4))
            try bench.answers("0A 04 00", with: "0B 0E FE 2F 27 01 02 01")
            try bench.told(value: "0E FE 2F 27 01 02 01")
        }
    }

    // MARK: Parts

    /// The client finds one descriptor of the type, with handle 4.
    private func find(_ type: UInt16, _ bench: Bench) throws {
        try bench.ask(.discoverDescriptors(range(4, 4)))
        try bench.answers("04 04 00 04 00", with: "05 01 04 00 " + text(little(type)))
        try bench.told(.descriptors([.init(handle: 4, type: short(type))]))
    }

    /// A value of 50 octets in three parts.
    private func readLong(_ bench: Bench, handle: UInt16) throws {
        let octets = text(little(handle))
        try bench.ask(.read(handle: handle))
        try bench.answers(OctetPattern("0A \(octets)"), with: "0B " + text(counting(22)))
        try bench.answers(OctetPattern("0C \(octets) 16 00"), with: "0D " + text(counting(22, from: 22)))
        try bench.answers(OctetPattern("0C \(octets) 2C 00"), with: "0D " + text(counting(6, from: 44)))
        try bench.told(.value(counting(50)))
    }

    /// An error ends its own procedure and nothing else.
    private func works(_ bench: Bench) throws {
        try bench.ask(.read(handle: 9))
        try bench.answers("0A 09 00", with: "0B 99")
        try bench.told(value: "99")
    }
}
