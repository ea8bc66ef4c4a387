// SPDX-License-Identifier: Apache-2.0

import SMP
import BluetoothCore
import BluetoothHost
import GATT
import HCI
import Testing

@testable import HostBench

/// Connections with private addresses on one side or on both.
struct PrivacyTests {
    private static let stranger = DeviceAddress(kind: .public, value: 0x02_00_00_00_00_BB)

    // MARK: Our host as Central

    @Test func `GAP/CONN/ACEP/BV-04-C auto connection establishment with private addresses on both sides`() throws {
        try conformance("GAP/CONN/ACEP/BV-04-C") { bench in
            let own = try bench.becomePrivate()
            let tester = try bench.testerIsPrivate()
            let stranger = try strangerAdvertises(bench)
            bench.host.connect(RawPeer.publicAddress, for: Bench.client, at: bench.now)
            bench.advance(seconds: 30)
            try require(bench.links.isEmpty, "connected to \(bench.events)")
            try bench.peer.advertise(from: .random)
            try bench.connectsToTester(from: own)
            try require(
                bench.parameters(of: .leAddDeviceToFilterAcceptList).contains([1] + address48(tester)),
                "the Filter Accept List does not hold the tester's address")
            try bench.isUsedEncrypted()
            try require(stranger.handles.isEmpty, "the stranger has a link")
        }
    }

    @Test func `GAP/CONN/GCEP/BV-06-C general establishment with private addresses on both sides`() throws {
        try conformance("GAP/CONN/GCEP/BV-06-C") { bench in
            let own = try bench.becomePrivate()
            try bench.testerIsPrivate()
            try bench.peer.advertise(from: .random)
            try connectToFound(bench)
            try bench.connectsToTester(from: own)
            try bench.isUsedEncrypted()
        }
    }

    @Test func `GAP/CONN/DCEP/BV-06-C direct establishment with private addresses on both sides`() throws {
        try conformance("GAP/CONN/DCEP/BV-06-C") { bench in
            let own = try bench.becomePrivate()
            let tester = try bench.testerIsPrivate()
            try bench.peer.advertise(from: .random)
            let initiated = try initiateDirectly(bench) { try bench.connectsToTester(from: own) }
            try require(initiated == [1] + address48(tester), "initiated to \(text(initiated))")
            try bench.isUsedEncrypted()
        }
    }

    // MARK: Directed advertisers

    @Test func `GAP/CONN/ACEP/BV-03-C auto establishment to a directed advertiser, private on both sides`() throws {
        try conformance("GAP/CONN/ACEP/BV-03-C", controllers: Bench.resolving) { bench in
            _ = try bench.becomePrivate()
            try bench.testerResolves()
            let stranger = try strangerAdvertises(bench)
            bench.host.connect(RawPeer.publicAddress, for: Bench.client, at: bench.now)
            bench.advance(seconds: 30)
            try require(bench.links.isEmpty, "connected to \(bench.events)")
            try bench.testerDirects()
            try bench.connectsPrivately()
            try require(
                bench.parameters(of: .leAddDeviceToFilterAcceptList) == [[0] + address48(RawPeer.publicAddress)],
                "the Filter Accept List does not hold the tester alone")
            try require(
                bench.parameters(of: .leCreateConnection).allSatisfy { $0[4] == 1 },
                "the Filter Accept List was not used")
            try require(bench.parameters(of: .leSetScanEnable).isEmpty, "the host has listened for the tester")
            try bench.isUsedEncrypted()
            try require(stranger.handles.isEmpty, "the stranger has a link")
        }
    }

    @Test func `GAP/CONN/GCEP/BV-05-C general establishment to a directed advertiser, private on both sides`() throws {
        try conformance("GAP/CONN/GCEP/BV-05-C", controllers: Bench.resolving) { bench in
            _ = try bench.becomePrivate()
            try bench.testerResolves()
            try bench.testerDirects()
            try connectToFound(bench)
            try bench.connectsPrivately()
            try bench.isUsedEncrypted()
        }
    }

    @Test func `GAP/CONN/SCEP/BV-03-C selective establishment to a directed advertiser, private on both sides`() throws
    {
        try conformance("GAP/CONN/SCEP/BV-03-C", controllers: Bench.resolving) { bench in
            _ = try bench.becomePrivate()
            try bench.testerResolves()
            let stranger = try strangerAdvertises(bench)
            try bench.testerDirects()
            let heard = bench.scan().map(\.address)
            try require(
                heard.contains(RawPeer.publicAddress) && heard.contains(where: \.isResolvablePrivate),
                "the host has heard \(heard)")
            // The client connects to its known device alone.
            bench.host.connect(RawPeer.publicAddress, for: Bench.client, at: bench.now)
            try bench.connectsPrivately()
            try bench.isUsedEncrypted()
            bench.advance(seconds: 10)
            try require(stranger.handles.isEmpty, "the stranger has a link")
        }
    }

    @Test func `GAP/CONN/DCEP/BV-05-C direct establishment to a directed advertiser, private on both sides`() throws {
        try conformance("GAP/CONN/DCEP/BV-05-C", controllers: Bench.resolving) { bench in
            _ = try bench.becomePrivate()
            try bench.testerResolves()
            try bench.testerDirects()
            let initiated = try initiateDirectly(bench) { try bench.connectsPrivately() }
            try require(initiated == [0] + address48(RawPeer.publicAddress), "initiated to \(text(initiated))")
            try bench.isUsedEncrypted()
        }
    }

    @Test func `GAP/CONN/PRDA/BV-02-C a bonded peripheral that changes its address`() throws {
        try conformance("GAP/CONN/PRDA/BV-02-C") { bench in
            for number: UInt32 in 1...3 {
                try bench.testerIsPrivate(number)
                try bench.peer.advertise(from: .random)
                bench.host.connect(RawPeer.publicAddress, for: Bench.client, at: bench.now)
                try bench.connectsToTester(from: Bench.hostAddress)
                try bench.isUsedEncrypted()
                try bench.disconnects()
            }
        }
    }

    @Test func `GAP/PRIV/CONN/BV-11-C central privacy`() throws {
        try conformance("GAP/PRIV/CONN/BV-11-C") { bench in
            let first = try bench.becomePrivate()
            try bench.testerIsPrivate()
            try connects(bench, from: first)
            bench.advance(seconds: 800)
            try connects(bench, from: first)
            bench.advance(seconds: 110)
            guard let second = bench.host.privacy.address else { throw ScriptFailure("no address") }
            try require(second != first && second.isResolved(by: Bench.ownIdentityKey), "\(first), then \(second)")
            try connects(bench, from: second)
            // An address from another key belongs to another device.
            try bench.peer.setRandomAddress(.resolvable(Bench.secret(0x77), random: 1))
            try bench.peer.advertise(from: .random)
            bench.host.connect(RawPeer.publicAddress, for: Bench.client, at: bench.now)
            bench.advance(seconds: 30)
            try require(bench.peer.handles.isEmpty, "the host has connected to a stranger")
        }
    }

    // MARK: Our host as Peripheral

    @Test func `GAP/CONN/DCON/BV-04-C directed connectable from and to private addresses`() throws {
        try conformance("GAP/CONN/DCON/BV-04-C") { bench in
            let own = try bench.becomePrivate()
            let tester = try bench.testerIsPrivate()
            try bench.advertise("", .directed(tester, isHighDuty: false))
            let stranger = bench.addPeer(Self.stranger)
            try stranger.initiate(to: own)
            bench.advance(seconds: 5)
            try require(stranger.handles.isEmpty, "somebody else has a link")
            try accepts(bench, from: own)
        }
    }

    @Test func `GAP/CONN/DCON/BV-05-C directed connectable to a central that does not resolve`() throws {
        try conformance("GAP/CONN/DCON/BV-05-C") { bench in
            let own = try bench.becomePrivate()
            try bench.testerIsPrivate()
            try bench.advertise("02 01 06")
            try accepts(bench, from: own)
            try bench.peer.disconnect()
            try bench.wait(for: "the end of the link") { if case .linkDown = $0 { true } else { nil } }
            // Our host cannot advertise to such a peer by its identity.
            let demand = AdvertisingDemand(data: [], kind: .directed(RawPeer.publicAddress, isHighDuty: false))
            bench.host.setAdvertising(demand, for: Bench.client, at: bench.now)
            try bench.wait(for: "a refusal") { if case .advertisingFailed = $0 { true } else { nil } }
            try require(try bench.listen().isEmpty, "the host advertises")
        }
    }

    @Test(arguments: ["GAP/CONN/UCON/BV-06-C", "GAP/PRIV/CONN/BV-10-C"])
    func `a private peripheral changes its address and is connected to`(_ id: String) throws {
        try conformance(id) { bench in
            let first = try bench.becomePrivate()
            try bench.testerIsPrivate()
            try bench.advertise("02 01 06")
            try bench.heard(type: 0, "02 01 06", from: first)
            bench.advance(seconds: 800)
            try bench.heard(type: 0, "02 01 06", from: first)
            bench.advance(seconds: 110)
            guard let second = bench.host.privacy.address else { throw ScriptFailure("no address") }
            try require(second != first && second.isResolved(by: Bench.ownIdentityKey), "\(first), then \(second)")
            try bench.heard(type: 0, "02 01 06", from: second)
            try accepts(bench, from: second)
        }
    }

    @Test func `GAP/CONN/PRDA/BV-01-C a bonded central that changes its address`() throws {
        try conformance("GAP/CONN/PRDA/BV-01-C") { bench in
            try bench.advertise("02 01 06")
            for number: UInt32 in 1...3 {
                try bench.testerIsPrivate(number)
                try accepts(bench, from: Bench.hostAddress)
                try bench.peer.disconnect()
                try bench.wait(for: "the end of the link") { if case .linkDown = $0 { true } else { nil } }
            }
        }
    }

    @Test func `GAP/PRIV/CONN/BV-12-C a central behind an address that cannot be resolved`() throws {
        try conformance("GAP/PRIV/CONN/BV-12-C") { bench in
            let own = try bench.becomePrivate()
            try bench.testerIsPrivate()
            let unknown = DeviceAddress.resolvable(Bench.secret(0x77), random: 1)
            try bench.peer.setRandomAddress(unknown)
            try bench.advertise("02 01 06")
            try bench.peer.initiate(to: own, from: .random)
            let peer = try bench.wait(for: "a Central") {
                if case .linkUp(_, let peer, .peripheral) = $0 { peer } else { nil }
            }
            // Our host accepts the peer as a stranger, for which it has no key.
            try require(peer == unknown, "the client was told of \(peer)")
            bench.run(for: .seconds(1), until: { !bench.peer.handles.isEmpty })
            let status = try bench.encrypts()
            try require(status == 0x06, "the tester's controller says \(status)")
            try bench.send(att: "0A FF FF")
            try bench.expects(att: "01 0A FF FF 01")
        }
    }

    // MARK: Parts

    /// The bonded tester connects from its private address; our host recognises it and gives its key.
    private func accepts(_ bench: Bench, from own: DeviceAddress) throws {
        try bench.peer.initiate(to: own, from: .random)
        let peer = try bench.wait(for: "a Central") {
            if case .linkUp(_, let peer, .peripheral) = $0 { peer } else { nil }
        }
        try require(peer == RawPeer.publicAddress, "the client was told of \(peer)")
        bench.run(for: .seconds(1), until: { !bench.peer.handles.isEmpty })
        try require(try bench.encrypts() == 0, "the host has not given its key")
        _ = try bench.toldEncrypted()
        try bench.send(att: "0A FF FF")
        try bench.expects(att: "01 0A FF FF 01")
    }

    /// Another device, with an unresolvable private address.
    private func strangerAdvertises(_ bench: Bench) throws -> RawPeer {
        let stranger = bench.addPeer(Self.stranger)
        try stranger.setRandomAddress(.resolvable(Bench.secret(0x77), random: 1))
        try stranger.advertise(from: .random)
        return stranger
    }

    /// Finds the tester, stops to scan, and wants to connect.
    private func connectToFound(_ bench: Bench) throws {
        guard let found = bench.scan().first(where: \.isConnectable) else {
            throw ScriptFailure("no connectable device was found")
        }
        bench.host.connect(found.address, for: Bench.client, at: bench.now)
    }

    /// Connects while the tester advertises; returns the address in our host's connection command.
    private func initiateDirectly(_ bench: Bench, _ connects: () throws -> Void) throws -> [UInt8] {
        bench.host.setScan(ScanDemand(services: nil), for: Bench.client, at: bench.now)
        let isHeard = bench.run(for: .seconds(10)) {
            bench.advertisements.contains { $0.address == RawPeer.publicAddress }
        }
        try require(isHeard, "the tester was not heard")
        bench.host.connect(RawPeer.publicAddress, for: Bench.client, at: bench.now)
        try connects()
        bench.host.setScan(nil, for: Bench.client, at: bench.now)
        guard let command = bench.parameters(of: .leCreateConnection).last, command[4] == 0 else {
            throw ScriptFailure("the host did not initiate to one address")
        }
        return Array(command[5..<12])
    }

    /// Connects from `own` to the tester behind its private address, and ends the link.
    private func connects(_ bench: Bench, from own: DeviceAddress) throws {
        try bench.peer.advertise(from: .random)
        bench.host.connect(RawPeer.publicAddress, for: Bench.client, at: bench.now)
        try bench.connectsToTester(from: own)
        try bench.isUsedEncrypted()
        try bench.disconnects()
    }
}
