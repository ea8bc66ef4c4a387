// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HostBench

/// Our host as GATT server: configuration and discovery.
struct ServerDiscoveryTests {
    @Test func `GATT/SR/GAC/BV-01-C exchange MTU`() throws {
        try conformance("GATT/SR/GAC/BV-01-C") { bench in
            try bench.asks("02 28 00", answer: "03 05 02")
            try bench.expects(read: ServerTable.long, counting(39))
            // An MTU below the minimum counts as the minimum.
            try bench.reconnect()
            try bench.asks("02 10 00", answer: "03 05 02")
            try bench.expects(read: ServerTable.long, counting(22))
        }
    }

    @Test func `GATT/SR/GAD/BV-01-C discover all primary services`() throws {
        try conformance("GATT/SR/GAD/BV-01-C") { bench in
            try bench.asks(
                "10 01 00 FF FF 00 28", answer: "11 06 01 00 09 00 00 18 10 00 19 00 01 18 20 00 39 00 F0 FF")
            // The secondary service is none of them; a service with a long UUID has a response of its own.
            try bench.asks(
                "10 3A 00 FF FF 00 28", answer: "11 14 3D 00 41 00 \(ServerTable.otherLongUUIDOctets)")
            try bench.asks("10 42 00 FF FF 00 28", answer: "01 10 42 00 0A")
            // Only services are groups.
            try bench.asks("10 01 00 FF FF 03 28", answer: "01 10 01 00 10")
            try bench.asks("10 00 00 FF FF 00 28", answer: "01 10 00 00 01")
            try bench.asks("10 05 00 04 00 00 28", answer: "01 10 05 00 01")
        }
    }

    @Test func `GATT/SR/GAD/BV-02-C discover primary services by UUID`() throws {
        try conformance("GATT/SR/GAD/BV-02-C") { bench in
            try bench.asks("06 01 00 FF FF 00 28 F0 FF", answer: "07 20 00 39 00")
            try bench.asks("06 3A 00 FF FF 00 28 F0 FF", answer: "01 06 3A 00 0A")
            try bench.asks("06 01 00 FF FF 00 28 \(ServerTable.otherLongUUIDOctets)", answer: "07 3D 00 41 00")
            try bench.asks("06 01 00 FF FF 00 28 0D 18", answer: "01 06 01 00 0A")
        }
    }

    @Test func `GATT/SR/GAD/BV-03-C find included services`() throws {
        try conformance("GATT/SR/GAD/BV-03-C") { bench in
            // The response has a UUID of 16 bits; the client reads a UUID of 128 bits from its declaration.
            try bench.asks("08 3D 00 41 00 02 28", answer: "09 08 3E 00 20 00 39 00 F0 FF")
            try bench.asks("08 3F 00 41 00 02 28", answer: "09 06 3F 00 3A 00 3C 00")
            try bench.asks("0A 3A 00", answer: "0B \(longUUIDOctets)")
            try bench.asks("08 40 00 41 00 02 28", answer: "01 08 40 00 0A")
        }
    }

    @Test func `GATT/SR/GAD/BV-04-C discover all characteristics of a service`() throws {
        try conformance("GATT/SR/GAD/BV-04-C") { bench in
            try discoverCharacteristics(bench)
        }
    }

    @Test func `GATT/SR/GAD/BV-05-C discover characteristics by UUID`() throws {
        try conformance("GATT/SR/GAD/BV-05-C") { bench in
            // A client walks the whole service: a declaration's own UUID is no attribute type.
            try discoverCharacteristics(bench)
            // The value can be looked for by its type as well.
            try bench.asks("08 20 00 39 00 F1 FF", answer: "09 05 22 00 01 02 03")
        }
    }

    private func discoverCharacteristics(_ bench: ServerBench) throws {
        try bench.asks(
            "08 20 00 39 00 03 28", answer: "09 07 21 00 02 22 00 F1 FF 23 00 0E 24 00 F2 FF 27 00 32 28 00 F3 FF")
        try bench.asks(
            "08 28 00 39 00 03 28", answer: "09 07 2A 00 8A 2B 00 F4 FF 2E 00 08 2F 00 F5 FF 30 00 0A 31 00 F6 FF")
        try bench.asks("08 31 00 39 00 03 28", answer: "09 07 32 00 0A 33 00 F7 FF")
        try bench.asks("08 33 00 39 00 03 28", answer: "09 15 34 00 02 35 00 \(longUUIDOctets)")
        try bench.asks("08 35 00 39 00 03 28", answer: "09 07 37 00 12 38 00 F8 FF")
        try bench.asks("08 38 00 39 00 03 28", answer: "01 08 38 00 0A")
    }

    @Test func `GATT/SR/GAD/BV-06-C discover all descriptors`() throws {
        try conformance("GATT/SR/GAD/BV-06-C") { bench in
            try bench.asks("04 25 00 26 00", answer: "05 01 25 00 01 29 26 00 04 29")
            try bench.asks("04 29 00 29 00", answer: "05 01 29 00 02 29")
            try bench.asks("04 2C 00 2D 00", answer: "05 01 2C 00 00 29 2D 00 01 29")
            // Short and long types do not share a response.
            try bench.asks("04 34 00 36 00", answer: "05 01 34 00 03 28")
            try bench.asks("04 35 00 36 00", answer: "05 02 35 00 \(longUUIDOctets)")
            try bench.asks("04 36 00 36 00", answer: "05 01 36 00 05 29")
            try bench.asks("04 F0 00 FF 00", answer: "01 04 F0 00 0A")
            try bench.asks("04 00 00 FF 00", answer: "01 04 00 00 01")
            try bench.asks("04 27 00 26 00", answer: "01 04 27 00 01")
        }
    }

    @Test func `GATT/SR/UNS/BI-01-C unsupported request`() throws {
        try conformance("GATT/SR/UNS/BI-01-C") { bench in
            try bench.asks("3E", answer: "01 3E 00 00 06")
            try bench.asks("26 01 02 03", answer: "01 26 00 00 06")
            try bench.expects(read: ServerTable.fixed, [1, 2, 3])
        }
    }

    @Test func `GATT/SR/UNS/BI-02-C unsupported command`() throws {
        try conformance("GATT/SR/UNS/BI-02-C") { bench in
            try bench.send(att: "6B 01 02")
            try bench.send(att: "7F")
            try bench.expectsNothing()
            try bench.expects(read: ServerTable.fixed, [1, 2, 3])
        }
    }
}
