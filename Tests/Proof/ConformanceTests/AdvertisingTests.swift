// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import HCI
import Testing

@testable import HostBench

/// Broadcasting, and the discoverable and connectable modes.
struct AdvertisingTests {
    private static let data = "02 01 04 05 09 4D 61 72 74"
    private static let scanResponse = "03 03 0D 18"
    private static let stranger = DeviceAddress(kind: .public, value: 0x02_00_00_00_00_BB)

    // MARK: Broadcast

    @Test func `GAP/BROB/BCST/BV-01-C broadcast without scan response`() throws {
        try conformance("GAP/BROB/BCST/BV-01-C") { bench in
            try bench.advertise(Self.data, .nonConnectable)
            try bench.heard(type: 3, Self.data)
        }
    }

    @Test func `GAP/BROB/BCST/BV-02-C broadcast with scan response`() throws {
        try conformance("GAP/BROB/BCST/BV-02-C") { bench in
            try bench.advertise(Self.data, scanResponse: Self.scanResponse, .scannable)
            try bench.heard(type: 2, Self.data, scanResponse: Self.scanResponse)
        }
    }

    @Test func `GAP/BROB/BCST/BV-03-C broadcast from a resolvable private address`() throws {
        try conformance("GAP/BROB/BCST/BV-03-C") { bench in
            let own = try bench.becomePrivate()
            try bench.advertise(Self.data, .nonConnectable)
            try bench.heard(type: 3, Self.data, from: own)
        }
    }

    @Test func `GAP/BROB/BCST/BV-04-C broadcast from a non-resolvable private address`() throws {
        try conformance("GAP/BROB/BCST/BV-04-C") { bench in
            let own = try bench.becomePrivate(.nonResolvable)
            try bench.advertise(Self.data, .nonConnectable)
            try bench.heard(type: 3, Self.data, from: own)
        }
    }

    @Test func `GAP/BROB/BCST/BV-05-C scan response from a resolvable private address`() throws {
        try conformance("GAP/BROB/BCST/BV-05-C") { bench in
            let own = try bench.becomePrivate()
            try bench.advertise(Self.data, scanResponse: Self.scanResponse, .scannable)
            try bench.heard(type: 2, Self.data, scanResponse: Self.scanResponse, from: own)
        }
    }

    // MARK: Modes

    /// A discoverable mode, by the Flags, with a connectable mode.
    struct Mode: Sendable, CustomTestStringConvertible {
        let id: String
        let flags: String
        let kind: AdvertisingKind
        let type: UInt8
        var isLimited = false

        var testDescription: String { "\(id), flags \(flags), \(kind)" }
    }

    static let modes = [
        Mode(id: "GAP/DISC/NONM/BV-01-C", flags: "04", kind: .nonConnectable, type: 3),
        Mode(id: "GAP/DISC/NONM/BV-02-C", flags: "04", kind: .connectable, type: 0),
        Mode(id: "GAP/DISC/LIMM/BV-03-C", flags: "05", kind: .scannable, type: 2, isLimited: true),
        Mode(id: "GAP/DISC/LIMM/BV-04-C", flags: "05", kind: .connectable, type: 0, isLimited: true),
        Mode(id: "GAP/DISC/GENM/BV-03-C", flags: "06", kind: .scannable, type: 2),
        Mode(id: "GAP/DISC/GENM/BV-04-C", flags: "06", kind: .connectable, type: 0),
        Mode(id: "GAP/CONN/NCON/BV-01-C", flags: "04", kind: .nonConnectable, type: 3),
        Mode(id: "GAP/CONN/NCON/BV-02-C", flags: "06", kind: .scannable, type: 2),
        Mode(id: "GAP/CONN/NCON/BV-03-C", flags: "05", kind: .scannable, type: 2, isLimited: true),
        Mode(id: "GAP/CONN/UCON/BV-01-C", flags: "04", kind: .connectable, type: 0),
        Mode(id: "GAP/CONN/UCON/BV-02-C", flags: "06", kind: .connectable, type: 0),
        Mode(id: "GAP/CONN/UCON/BV-03-C", flags: "05", kind: .connectable, type: 0, isLimited: true),
    ]

    @Test(arguments: modes) func `the mode is what is on the air`(_ row: Mode) throws {
        try conformance(row.id) { bench in
            let data = "02 01 \(row.flags) 05 09 4D 61 72 74"
            try bench.advertise(data, row.kind, duration: row.isLimited ? .seconds(180) : nil)
            try bench.heard(type: row.type, data)
            if row.id.contains("/DISC/"), row.isLimited { return try endsInTime(bench, data) }
            if !row.kind.isConnectable { return try bench.refusesConnections() }
            bench.advance(seconds: 60)
            try bench.heard(type: row.type, data)
            try bench.accept()
        }
    }

    /// Limited discoverable mode is over after 180 s: the client is told, and nothing is on the air.
    private func endsInTime(_ bench: Bench, _ data: String) throws {
        bench.advance(seconds: 160)
        try require(!(try bench.listen()).isEmpty, "it ended too early")
        try bench.wait(for: "the end of advertising", within: .seconds(30)) {
            if case .advertisingEnded = $0 { true } else { nil }
        }
        let seen = try bench.listen(during: .seconds(20))
        try require(seen.isEmpty, "heard \(seen)")
    }

    @Test func `GAP/CONN/DCON/BV-01-C directed connectable`() throws {
        try conformance("GAP/CONN/DCON/BV-01-C") { bench in
            try bench.advertise("", .directed(RawPeer.publicAddress, isHighDuty: false))
            let stranger = RawPeer(on: bench.air, address: Self.stranger)
            try stranger.initiate(to: Bench.hostAddress)
            try bench.heard(type: 1, "")
            bench.advance(seconds: 5)
            try require(stranger.handles.isEmpty, "somebody else has a link")
            try bench.accept()
        }
    }

    // MARK: AD types

    struct Format: Sendable, CustomTestStringConvertible {
        let id: String
        let name: String
        /// One or more AD structures of the type.
        let octets: String

        var testDescription: String { "\(id) \(name)" }

        init(_ id: String, _ name: String, _ octets: String) {
            self.id = id
            self.name = name
            self.octets = octets
        }
    }

    static let formats = [
        Format("GAP/ADV/BV-01-C", "service UUIDs", "05 02 0D 18 0F 18 11 07 \(longUUIDOctets)"),
        Format("GAP/ADV/BV-02-C", "local name", "05 08 4D 61 72 74 08 09 4D 61 72 74 6C 65 74"),
        Format("GAP/ADV/BV-03-C", "flags", "02 01 06"),
        Format("GAP/ADV/BV-04-C", "manufacturer data", "06 FF FF FF 01 02 03"),
        Format("GAP/ADV/BV-05-C", "TX power level", "02 0A F4"),
        Format("GAP/ADV/BV-08-C", "connection interval range", "05 12 18 00 28 00"),
        Format("GAP/ADV/BV-09-C", "service solicitation", "03 14 0D 18 11 15 \(longUUIDOctets)"),
        Format("GAP/ADV/BV-10-C", "service data", "05 16 0F 18 64 00"),
        Format("GAP/ADV/BV-11-C", "appearance", "03 19 41 03"),
        Format("GAP/ADV/BV-12-C", "public target address", "07 17 AA 00 00 00 00 02"),
        Format("GAP/ADV/BV-13-C", "random target address", "07 18 F0 00 00 00 00 C0"),
        Format("GAP/ADV/BV-14-C", "advertising interval", "03 1A A0 00"),
        Format("GAP/ADV/BV-17-C", "URI", "0D 24 17 2F 2F 65 78 61 6D 70 6C 65 2E 61"),
        Format("GAP/ADV/BV-18-C", "advertising interval, long", "05 2F A0 00 01 00"),
        Format("GAP/ADV/BV-19-C", "supported features", "03 27 FF 01"),
    ]

    /// Our host sends each format unchanged, and reports it unchanged.
    @Test(arguments: formats) func `an AD type goes over the air as it is`(_ row: Format) throws {
        try conformance(row.id) { bench in
            try bench.advertise(row.octets, scanResponse: "05 09 4D 61 72 74")
            try bench.heard(type: 0, row.octets, scanResponse: "05 09 4D 61 72 74")
            bench.host.setAdvertising(nil, for: Bench.client, at: bench.now)
            try bench.peer.advertise(row.octets, type: 3)
            let seen = bench.scan()
            let expected = Bench.Sighted(
                address: RawPeer.publicAddress, isConnectable: false, octets: hex(row.octets))
            try require(seen.contains(expected), "expected \(expected); the client was told \(seen)")
        }
    }
}
