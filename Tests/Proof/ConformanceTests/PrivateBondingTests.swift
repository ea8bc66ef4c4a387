// SPDX-License-Identifier: Apache-2.0

@testable import HostBench
import BluetoothCore
import BluetoothHost
import HCI
import SMP
import Testing

@testable import HostBench

/// Pairings of two devices with private addresses. Their check values have the addresses on the air, and their bonds have the identities.
/// The SIG has no test case for this; GAP/BOND/BON has it as a condition.
struct PrivateBondingTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let isCentral: Bool
        let isSecure: Bool
        var testDescription: String { "central \(isCentral), Secure Connections \(isSecure)" }
    }

    static let rows = [true, false].flatMap { isCentral in
        [true, false].map { Row(isCentral: isCentral, isSecure: $0) }
    }

    @Test(arguments: rows) func `private addresses are bonded with, and resolved afterwards`(_ row: Row) throws {
        let bench = try Bench()
        let own = try bench.becomePrivate()
        let private1 = DeviceAddress.resolvable(Bench.testerIdentityKey, random: 1)
        bench.host.policy = row.isSecure ? Bench.open() : Bench.legacy()
        bench.host.policy.legacyPeers.insert(private1)
        bench.host.policy.encryptsAtConnection = false
        try bench.peer.setRandomAddress(private1)
        if row.isCentral {
            try bench.peer.advertise(from: .random)
            try bench.join(private1)
            try bench.expects(att: "02 ?? ??")
            try bench.send(att: "03 17 00")
        } else {
            try bench.advertise("02 01 06")
            try bench.accept(from: own, as: .random)
        }
        var features = SMFeatures(isSecure: row.isSecure)
        features.initiatorKeys = 0x03
        features.responderKeys = 0x03
        let tester = try bench.begins(features, asCentral: row.isCentral)
        tester.ownAddress = private1
        tester.hostAddress = row.isCentral ? try bench.centralAddress() : own
        try tester.pair()
        try require(tester.hostIdentityKey == Bench.ownIdentityKey, "another identity key")
        try require(tester.hostIdentity == Bench.hostAddress, "the identity \(tester.hostIdentity as Any)")
        let bond = try bench.isPaired(tester)
        try require(bond.identity == RawPeer.publicAddress, "the bond is with \(bond.identity)")
        try require(bond.identityKey == Bench.testerIdentityKey, "the tester's identity key is not kept")
        try bench.unlink(asCentral: row.isCentral)
        bench.forgetTold()
        try returns(bench, tester, row)
        try bench.finish()
    }

    /// The tester returns with another address, and our host recognises it.
    private func returns(_ bench: Bench, _ tester: SMTester, _ row: Row) throws {
        try bench.peer.setRandomAddress(.resolvable(Bench.testerIdentityKey, random: 2))
        bench.host.policy.encryptsAtConnection = true
        let legacy = row.isCentral ? tester.ownLongTermKey : tester.hostLongTermKey
        let numbers = row.isSecure ? Bench.noNumbers : legacy?.requestNumbers ?? []
        let key = row.isSecure ? tester.key : legacy?.key ?? .zero
        if row.isCentral {
            try bench.peer.advertise(from: .random)
            try bench.join(RawPeer.publicAddress)
            try bench.keyIsWanted(numbers)
            try bench.givesKey(key)
        } else {
            guard let own = bench.host.privacy.address else { throw ScriptFailure("no private address") }
            try bench.accept(from: own, as: .random)
            try require(try bench.encrypts(numbers, with: key) == 0, "our host has not given its key")
        }
        _ = try bench.toldEncrypted()
        if row.isCentral { try bench.isUsed() }
        try bench.didNotPair()
    }
}
