// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import Testing

@testable import HostBench

/// The GAP service: of our server, and of a peer.
struct AccessServiceTests {
    @Test func `GAP/IDLE/NAMP/BV-02-C name discovery as server`() throws {
        try conformance("GAP/IDLE/NAMP/BV-02-C") { bench in
            try bench.asks("08 01 00 FF FF 00 2A", answer: OctetPattern("09 09 03 00 " + text(Array("Martlet".utf8))))
            try bench.expects(read: 3, Array("Martlet".utf8))
        }
    }

    @Test func `GAP/GAT/BV-04-C peripheral preferred connection parameters`() throws {
        try conformance("GAP/GAT/BV-04-C") { bench in
            // Interval 7.5 ms … 4 s or none, latency 0 … 499, time-out 100 ms … 32 s or none.
            let seen = try bench.reads(type: "04 2A")
            try require(seen.count == 8, "8 octets; seen \(text(seen))")
            func number(_ index: Int) -> UInt16 { UInt16(seen[index]) | UInt16(seen[index + 1]) << 8 }
            let isInterval = { (value: UInt16) in value == 0xFFFF || (6...3200).contains(value) }
            try require(isInterval(number(0)) && isInterval(number(2)), "intervals; seen \(text(seen))")
            try require(number(4) <= 499, "latency; seen \(text(seen))")
            try require(number(6) == 0xFFFF || (10...3200).contains(number(6)), "time-out; seen \(text(seen))")
        }
    }

    @Test func `GAP/GAT/BV-16-C device name`() throws {
        try conformance("GAP/GAT/BV-16-C") { bench in
            // The GAP service has the characteristic once, and clients may not write it.
            try bench.asks("06 01 00 FF FF 00 28 00 18", answer: "07 01 00 09 00")
            try bench.asks("08 01 00 09 00 03 28", answer: "09 07 02 00 02 03 00 00 2A *")
            try require(try bench.reads(type: "00 2A") == Array("Martlet".utf8), "another name")
            try bench.asks("12 03 00 4D", answer: "01 12 03 00 03")
        }
    }

    @Test func `GAP/GAT/BV-05-C device name that can be written`() throws {
        try ConformanceRecord.run("GAP/GAT/BV-05-C", file: #fileID) {
            let bench = try ServerBench(HostServices(deviceName: Array("Martlet".utf8), nameWrite: .open))
            try bench.asks("08 01 00 02 00 03 28", answer: "09 07 02 00 0A 03 00 00 2A")
            try bench.expects(write: 3, Array("Swift".utf8))
            try bench.expects(read: 3, Array("Swift".utf8))
            // In parts as well.
            try bench.expects(prepare: 3, at: 0, Array("House ".utf8))
            try bench.expects(prepare: 3, at: 6, Array("Martin".utf8))
            try bench.asks("18 01", answer: "19")
            try bench.expects(read: 3, Array("House Martin".utf8))
            try bench.finish()
        }
    }

    @Test func `GAP/GAT/BV-06-C appearance that can be written`() throws {
        try ConformanceRecord.run("GAP/GAT/BV-06-C", file: #fileID) {
            let bench = try ServerBench(HostServices(deviceName: [], appearanceWrite: .open))
            try bench.asks("08 04 00 04 00 03 28", answer: "09 07 04 00 0A 05 00 01 2A")
            try bench.expects(write: 5, [0x41, 0x03])
            try bench.expects(read: 5, [0x41, 0x03])
            // Three octets are no appearance.
            try bench.asks("12 05 00 01 02 03", answer: "01 12 05 00 0D")
            try bench.expects(read: 5, [0x41, 0x03])
            try bench.finish()
        }
    }

    @Test func `GAP/GAT/BV-12-C LE GATT security levels`() throws {
        try ConformanceRecord.run("GAP/GAT/BV-12-C", file: #fileID) {
            // Mode 1, level 3, or mode 1, level 4; readable on any link, and for clients to read alone.
            let bench = try ServerBench(HostServices(deviceName: [], securityLevels: [1, 3, 1, 4]))
            try require(try bench.reads(type: "F5 2B") == [1, 3, 1, 4], "other levels")
            try bench.asks("12 0B 00 01 01", answer: "01 12 0B 00 03")
            try bench.finish()
            let other = try ServerBench()
            try other.asks("08 01 00 FF FF F5 2B", answer: "01 08 01 00 0A")
        }
    }

    @Test func `GAP/GAT/BV-17-C appearance`() throws {
        try conformance("GAP/GAT/BV-17-C") { bench in
            try require(try bench.reads(type: "01 2A") == [0, 0], "not unknown")
            let other = try ServerBench(HostServices(deviceName: [], appearance: 0x0341))
            try require(try other.reads(type: "01 2A") == [0x41, 0x03], "not what was set")
            try other.asks("12 05 00 00 00", answer: "01 12 05 00 03")
        }
    }

    @Test func `GAP/GAT/BV-18-C central address resolution`() throws {
        try conformance("GAP/GAT/BV-18-C") { bench in
            try require(try bench.reads(type: "A6 2A") == [1], "not supported")
            let other = try ServerBench(HostServices(deviceName: [], hasCentralAddressResolution: false))
            try require(try other.reads(type: "A6 2A") == [0], "supported")
        }
    }

    @Test func `GAP/GAT/BV-19-C resolvable private address only`() throws {
        try conformance("GAP/GAT/BV-19-C") { bench in
            // The characteristic is present only if the host has its value.
            try bench.asks("08 01 00 FF FF C9 2A", answer: "01 08 01 00 0A")
            let other = try ServerBench(HostServices(deviceName: [], hasResolvablePrivateAddressOnly: true))
            try require(try other.reads(type: "C9 2A") == [0], "not 0")
        }
    }
}

extension ServerBench {
    /// The tester reads the only value of a type.
    fileprivate func reads(type: String) throws -> [UInt8] {
        try send(att: "08 01 00 FF FF " + type)
        return Array(try expects(att: "09 *").dropFirst(4))
    }
}
