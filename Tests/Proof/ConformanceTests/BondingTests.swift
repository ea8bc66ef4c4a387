// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import HCI
import SMP
import Testing

@testable import HostBench

/// Pairings that lead to a stored bond, and pairings that do not.
struct BondingTests {
    // MARK: Bondable

    struct Row: CustomStringConvertible, Sendable {
        let id: String
        let isCentral: Bool
        /// Our host begins, or else the tester does.
        let isOurs: Bool

        var description: String { "\(id), central \(isCentral), our wish \(isOurs)" }
    }

    static let bonding = [
        Row(id: "GAP/BOND/BON/BV-01-C", isCentral: false, isOurs: true),
        Row(id: "GAP/BOND/BON/BV-02-C", isCentral: true, isOurs: true),
        Row(id: "GAP/BOND/BON/BV-03-C", isCentral: false, isOurs: false),
        Row(id: "GAP/BOND/BON/BV-04-C", isCentral: true, isOurs: false),
    ]

    @Test(arguments: bonding) func `a bond is made, kept and used`(_ row: Row) throws {
        try conformance(row.id, rows: [true, false]) { bench, isSecure in
            bench.host.policy = isSecure ? Bench.open() : Bench.legacy()
            if row.isOurs { bench.host.policy.acceptsPairing = .closed }
            try bench.link(asCentral: row.isCentral)
            var features = SMFeatures(isSecure: isSecure)
            features.initiatorKeys = 0x03
            features.responderKeys = 0x03
            switch (row.isOurs, row.isCentral) {
            case (true, true): try bench.pairs()
            case (true, false):
                let authReq = try bench.asksForSecurity()
                try require(authReq & SMFeatures.bonding != 0, "our host asks for \(text([authReq]))")
            case (false, true): try bench.send(security: "0B \(text([features.authReq]))")
            case (false, false): break
            }
            let tester = SMTester(bench, isInitiator: !row.isCentral, features)
            try tester.pair()
            try require(tester.hostFeatures.isBonding, "our host does not bond: \(tester.hostFeatures)")
            let bond = try bench.isPaired(tester)
            // Our host resolves private addresses, so it asks for the tester's identity key. It has no identity key, and gives none.
            try require(bond.identityKey == Bench.testerIdentityKey, "the tester's identity key is not kept")
            try require(tester.hostIdentityKey.map { $0 == .zero } ?? true, "an identity key that is not in use")
            let changes = bench.host.takeBondChanges()
            try require(changes.count == 1, "to be stored: \(changes)")
            try bench.unlink(asCentral: row.isCentral)
            try bench.encryptsAgain(tester, asCentral: row.isCentral)
        }
    }

    // MARK: Not bondable

    @Test func `GAP/BOND/NBON/BV-01-C as central answers a Security Request without bonding`() throws {
        try conformance("GAP/BOND/NBON/BV-01-C") { (bench: Bench) in
            bench.host.policy = Bench.open()
            bench.host.policy.isBondable = false
            try bench.link(asCentral: true)
            for round in 0..<2 {
                if round > 0 { try bench.relink(asCentral: true) }
                try bench.send(security: "0B 08")
                try pairsForNow(SMTester(bench, isInitiator: false, SMFeatures(isBonding: false)))
            }
        }
    }

    @Test func `GAP/BOND/NBON/BV-02-C as central pairs without bonding`() throws {
        try conformance("GAP/BOND/NBON/BV-02-C") { (bench: Bench) in
            bench.host.policy = Bench.open()
            bench.host.policy.isBondable = false
            try bench.link(asCentral: true)
            for round in 0..<2 {
                if round > 0 { try bench.relink(asCentral: true) }
                // The tester would bond.
                try pairsForNow(try bench.begins(SMFeatures(isBonding: round > 0), asCentral: true))
            }
        }
    }

    @Test func `GAP/BOND/NBON/BV-03-C as peripheral pairs without bonding, or not at all`() throws {
        try conformance("GAP/BOND/NBON/BV-03-C", rows: [true, false]) { bench, isOpen in
            bench.host.policy.isBondable = false
            try bench.link(asCentral: false)
            guard isOpen else {
                // Our host answers each request with "Pairing Not Supported".
                for command in ["01 03 00 00 10 00 00", "01 04 00 08 10 00 00", "01 03 00 01 10 01 01"] {
                    try bench.send(security: command)
                    try bench.expects(security: "05 05")
                }
                try bench.expectsNothing()
                try bench.isUnpaired()
                let status = try bench.encrypts()
                try require(status == 0x06, "the tester's controller says \(status)")
                return
            }
            bench.host.policy.acceptsPairing = .open
            for round in 0..<2 {
                if round > 0 { try bench.relink(asCentral: false) }
                try pairsForNow(SMTester(bench, isInitiator: true, SMFeatures(isBonding: false)))
            }
            // The key has ended with its link.
            try bench.relink(asCentral: false)
            let status = try bench.encrypts()
            try require(status == 0x06, "the tester's controller says \(status)")
        }
    }

    private func pairsForNow(_ tester: SMTester) throws {
        try tester.pair()
        let features = tester.hostFeatures
        try require(!features.isBonding, "our host bonds: \(features)")
        try require(features.initiatorKeys == 0 && features.responderKeys == 0, "our host wants keys: \(features)")
        try tester.bench.isPairedForNow(tester)
        tester.bench.forgetTold()
    }
}
