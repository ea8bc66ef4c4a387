// SPDX-License-Identifier: Apache-2.0

import SMP
import BluetoothCore
import BluetoothHost
import GATT
import HCI
import Testing

@testable import HostBench

/// Observing, and finding devices and their names.
struct DiscoveryTests {
    private static let name = "05 09 4D 61 72 74"
    private static let scanResponse = "03 03 0D 18"

    @Test func `GAP/BROB/OBSV/BV-01-C passive observation`() throws {
        try conformance("GAP/BROB/OBSV/BV-01-C") { bench in
            try bench.peer.advertise(Self.name, scanResponse: Self.scanResponse, type: 2)
            let seen = bench.scan(for: ScanDemand(services: nil, isPassive: true))
            let octets = hex(Self.name)
            try require(
                seen.contains { Array($0.octets.prefix(octets.count)) == octets }, "the client was told \(seen)")
            try require(scanTypes(bench) == [0], "the host asked the advertiser for more")
        }
    }

    @Test func `GAP/BROB/OBSV/BV-02-C active observation`() throws {
        try conformance("GAP/BROB/OBSV/BV-02-C") { bench in
            try bench.peer.advertise(Self.name, scanResponse: Self.scanResponse, type: 2)
            let seen = bench.scan()
            let expected = Bench.Sighted(
                address: RawPeer.publicAddress, isConnectable: false, octets: hex(Self.name + Self.scanResponse))
            try require(seen.contains(expected), "expected \(expected); the client was told \(seen)")
            try require(scanTypes(bench) == [1], "the host did not ask for scan responses")
        }
    }

    @Test func `GAP/BROB/OBSV/BV-05-C active observation from a private address`() throws {
        try conformance("GAP/BROB/OBSV/BV-05-C") { bench in
            bench.host.setPrivacy(.nonResolvable, identityKey: .zero, at: bench.now)
            bench.host.provide(randomness: counting(64, from: 1), at: bench.now)
            try bench.peer.advertise(Self.name, scanResponse: Self.scanResponse, type: 2)
            let seen = bench.scan()
            try require(
                seen.contains { $0.octets == hex(Self.name + Self.scanResponse) }, "the client was told \(seen)")
            let kinds = Set(bench.parameters(of: .leSetScanParameters).map { $0[5] })
            try require(kinds == [1], "scanned with own address types \(kinds)")
            let address = bench.parameters(of: .leSetRandomAddress).last
            try require(address.map { $0[5] >> 6 == 0 } ?? false, "scanned as \(String(describing: address))")
        }
    }

    @Test func `GAP/BROB/OBSV/BV-06-C both sides have private addresses`() throws {
        try conformance("GAP/BROB/OBSV/BV-06-C") { bench in
            let own = try bench.becomePrivate()
            try bench.testerIsPrivate()
            try bench.peer.advertise(Self.name, scanResponse: Self.scanResponse, type: 2, from: .random)
            let seen = bench.scan()
            let expected = Bench.Sighted(
                address: RawPeer.publicAddress, isConnectable: false, octets: hex(Self.name + Self.scanResponse))
            try require(seen.contains(expected), "expected \(expected); the client was told \(seen)")
            try require(seen.allSatisfy { $0.address == RawPeer.publicAddress }, "the client was told \(seen)")
            try require(
                bench.parameters(of: .leSetRandomAddress).last == address48(own)
                    && bench.parameters(of: .leSetScanParameters).allSatisfy { $0[5] == 1 }, "scanned as somebody else")
        }
    }

    @Test func `GAP/DISC/RPA/BV-01-C who is behind a resolvable private address`() throws {
        try conformance("GAP/DISC/RPA/BV-01-C") { bench in
            try bench.testerIsPrivate(1)
            try bench.peer.advertise(from: .random)
            let stranger = bench.addPeer(Self.stranger)
            let unknown = DeviceAddress.resolvable(Bench.secret(0x77), random: 1)
            try stranger.setRandomAddress(unknown)
            try stranger.advertise(from: .random)
            let known = Set(bench.scan().map(\.address))
            try require(known == [RawPeer.publicAddress, unknown], "the client was told of \(known)")
            // Under its next address the tester is the same device.
            try bench.peer.stopAdvertising()
            try bench.peer.setRandomAddress(.resolvable(Bench.testerIdentityKey, random: 2))
            try bench.peer.advertise(from: .random)
            let again = Set(bench.scan().map(\.address))
            try require(again == known, "the client was told of \(again)")
        }
    }

    private static let stranger = DeviceAddress(kind: .public, value: 0x02_00_00_00_00_BB)

    /// An advertiser's settings, and whether each procedure finds the advertiser.
    struct Advertiser: Sendable, CustomTestStringConvertible {
        let id: String
        let title: String
        let data: String
        let type: UInt8
        let isLimited: Bool
        let isFound: Bool

        var testDescription: String { "\(id) \(title)" }

        init(_ id: String, _ title: String, _ data: String, type: UInt8 = 0, isLimited: Bool, isFound: Bool) {
            self.id = id
            self.title = title
            self.data = data
            self.type = type
            self.isLimited = isLimited
            self.isFound = isFound
        }
    }

    static let advertisers = [
        Advertiser("GAP/DISC/LIMP/BV-01-C", "limited discoverable", "02 01 05", isLimited: true, isFound: true),
        Advertiser("GAP/DISC/LIMP/BV-02-C", "general discoverable", "02 01 06", isLimited: true, isFound: false),
        Advertiser("GAP/DISC/LIMP/BV-03-C", "broadcaster", "03 FF 01 02", type: 3, isLimited: true, isFound: false),
        Advertiser("GAP/DISC/LIMP/BV-04-C", "non-discoverable", "02 01 04", isLimited: true, isFound: false),
        Advertiser("GAP/DISC/LIMP/BV-05-C", "directed", "", type: 4, isLimited: true, isFound: false),
        Advertiser("GAP/DISC/GENP/BV-01-C", "general discoverable", "02 01 06", isLimited: false, isFound: true),
        Advertiser("GAP/DISC/GENP/BV-02-C", "limited discoverable", "02 01 05", isLimited: false, isFound: true),
        Advertiser("GAP/DISC/GENP/BV-03-C", "broadcaster", "03 FF 01 02", type: 3, isLimited: false, isFound: false),
        Advertiser("GAP/DISC/GENP/BV-04-C", "non-discoverable", "02 01 04", isLimited: false, isFound: false),
        Advertiser("GAP/DISC/GENP/BV-05-C", "directed", "", type: 4, isLimited: false, isFound: false),
    ]

    @Test(arguments: advertisers) func `discovery goes by the Flags`(_ row: Advertiser) throws {
        try conformance(row.id) { bench in
            try bench.peer.advertise(
                row.data, scanResponse: row.type == 0 ? Self.name : "", type: row.type,
                to: row.type == 4 ? Bench.hostAddress : nil)
            let found = bench.scan(
                for: ScanDemand(services: nil, discoverability: row.isLimited ? .limited : .general))
            try require(found.isEmpty != row.isFound, "found \(found)")
            try require(found.allSatisfy { $0.address == RawPeer.publicAddress }, "found \(found)")
            // The advertiser was on the air all the time.
            try require(!bench.scan().isEmpty, "the advertiser was not heard")
        }
    }

    @Test func `GAP/IDLE/NAMP/BV-01-C name discovery as client`() throws {
        try conformance("GAP/IDLE/NAMP/BV-01-C") { bench in
            try bench.connect()
            try bench.ask(.readByType(short(0x2A00)))
            try bench.answers("08 01 00 FF FF 00 2A", with: "09 08 03 00 4D 61 72 74 6C 65")
            try bench.told(value: "4D 61 72 74 6C 65")
        }
    }

    // MARK: Parts

    /// LE_Scan_Type of every scan: 0 passive, 1 active.
    private func scanTypes(_ bench: Bench) -> Set<UInt8> {
        Set(bench.parameters(of: .leSetScanParameters).compactMap(\.first))
    }
}
