// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import SMP
import Testing

@testable import HostBench

/// Passkey Entry with Secure Connections.
struct SMPasskeyTests {
    private static let reasons: [PairingFailedReason] = [
        .authenticationRequirements, .unspecifiedReason, .pairingNotSupported, .repeatedAttempts,
    ]
    private static let rounds = Array(0..<SMTester.passkeyRounds)

    // MARK: Success

    @Test func `SM/CEN/SCPK/BV-01-C passkey as initiator`() throws {
        let rows: [IOCapability] = [.displayOnly, .keyboardOnly, .displayYesNo, .keyboardDisplay]
        try conformance("SM/CEN/SCPK/BV-01-C", rows: rows) { bench, io in
            bench.host.policy = Bench.open(io)
            try bench.link(asCentral: true)
            let tester = try bench.begins(SMFeatures(.keyboardOnly, mitm: true, isBonding: false), asCentral: true)
            try tester.pair()
            try bench.isPairedForNow(tester)
        }
    }

    struct Responder: CustomStringConvertible {
        let host: IOCapability
        let tester: IOCapability
        var description: String { "host \(host), tester \(tester)" }
    }

    @Test func `SM/PER/SCPK/BV-02-C passkey as responder`() throws {
        let rows = [
            Responder(host: .keyboardOnly, tester: .keyboardDisplay),
            Responder(host: .displayOnly, tester: .keyboardDisplay),
            Responder(host: .displayYesNo, tester: .keyboardOnly),
            Responder(host: .keyboardDisplay, tester: .displayOnly),
            Responder(host: .keyboardOnly, tester: .keyboardOnly),
        ]
        try conformance("SM/PER/SCPK/BV-02-C", rows: rows) { bench, row in
            bench.host.policy = Bench.open(row.host)
            try bench.link(asCentral: false)
            let tester = SMTester(bench, isInitiator: true, SMFeatures(row.tester, mitm: true))
            try tester.pair()
            try bench.isPaired(tester)
        }
    }

    @Test(arguments: [("SM/PER/SCPK/BV-03-C", false), ("SM/CEN/SCPK/BV-04-C", true)])
    func `reserved bits of AuthReq do not matter to Passkey Entry`(_ id: String, isCentral: Bool) throws {
        try conformance(id, rows: [0x40, 0x80, 0xC0] as [UInt8]) { bench, bits in
            bench.host.policy = Bench.open(.displayOnly)
            try bench.link(asCentral: isCentral)
            var features = SMFeatures(.keyboardOnly, mitm: true)
            features.authReq |= bits
            let tester = try bench.begins(features, asCentral: isCentral)
            try tester.pair()
            try bench.isPaired(tester)
        }
    }

    @Test func `SM/CEN/SCPK/BV-05-C a new passkey for each pairing`() throws {
        try conformance("SM/CEN/SCPK/BV-05-C") { bench in
            bench.host.policy = Bench.open(.displayOnly)
            try bench.link(asCentral: true)
            var shown: Set<UInt32> = []
            for round in 0..<3 {
                if round > 0 { try bench.relink(asCentral: true) }
                let features = SMFeatures(.keyboardOnly, mitm: true, isBonding: false)
                let tester = try bench.begins(features, asCentral: true)
                try tester.pair()
                try bench.isPairedForNow(tester)
                shown.insert(tester.passkey)
                bench.forgetTold()
            }
            try require(shown.count == 3, "a passkey came twice: \(shown)")
        }
    }

    // MARK: The peer ends the pairing

    @Test func `SM/CEN/SCPK/BI-01-C the peripheral ends the pairing`() throws {
        let rows = Self.reasons.map { ($0, -1) } + Self.rounds.map { (PairingFailedReason.passkeyEntryFailed, $0) }
        try conformance("SM/CEN/SCPK/BI-01-C", rows: rows) { bench, row in
            bench.host.policy = Bench.open(.displayOnly)
            try bench.link(asCentral: true)
            let tester = try bench.begins(SMFeatures(.keyboardOnly, mitm: true), asCentral: true)
            if row.1 < 0 {
                try tester.takeRequest()
            } else {
                try reach(tester, row.1)
                // Our host's confirm value of this round.
                _ = try tester.number(of: SMTester.Code.confirm)
            }
            try tester.fails(row.0)
            try isOver(bench, row.0, isCentral: true)
            let next = try bench.begins(SMFeatures(.keyboardOnly, mitm: true), asCentral: true)
            try next.pair()
            try bench.isPaired(next)
        }
    }

    @Test func `SM/PER/SCPK/BI-04-C the central ends the pairing`() throws {
        let rows = Self.reasons.map { ($0, -1) } + Self.rounds.map { (PairingFailedReason.passkeyEntryFailed, $0) }
        try conformance("SM/PER/SCPK/BI-04-C", rows: rows) { bench, row in
            bench.host.policy = Bench.open(.displayOnly)
            try bench.link(asCentral: false)
            let tester = SMTester(bench, isInitiator: true, SMFeatures(.keyboardOnly, mitm: true))
            if row.1 < 0 { try tester.exchangeFeatures() } else { try reach(tester, row.1) }
            try tester.fails(row.0)
            try isOver(bench, row.0, isCentral: false)
            // The next attempt succeeds.
            let next = SMTester(bench, isInitiator: true, SMFeatures(.keyboardOnly, mitm: true))
            try next.pair()
            try bench.isPaired(next)
        }
    }

    private func isOver(_ bench: Bench, _ reason: PairingFailedReason, isCentral: Bool) throws {
        try bench.toldPairingFailed(.refusedByPeer(reason))
        try bench.expectsNothing()
        try bench.isUnpaired()
        try bench.relink(asCentral: isCentral)
        bench.forgetTold()
    }

    // MARK: Our host notices

    @Test(arguments: [("SM/CEN/SCPK/BI-02-C", true), ("SM/PER/SCPK/BI-03-C", false)])
    func `a wrong confirm value in any round ends the pairing`(_ id: String, isCentral: Bool) throws {
        try conformance(id, rows: Self.rounds) { bench, round in
            bench.host.policy = Bench.open(.displayOnly)
            try bench.link(asCentral: isCentral)
            let tester = try bench.begins(SMFeatures(.keyboardOnly, mitm: true), asCentral: isCentral)
            try reach(tester, round)
            if isCentral {
                _ = try tester.number(of: SMTester.Code.confirm)
                try tester.sendConfirm(round: round, isRight: false)
                _ = try tester.number(of: SMTester.Code.random)
            } else {
                try tester.sendConfirm(round: round, isRight: false)
                _ = try tester.number(of: SMTester.Code.confirm)
            }
            try tester.send(SMTester.Code.random, tester.ownNonce)
            try tester.expectsFailure(.confirmValueFailed)
            try bench.toldPairingFailed(.refused(.confirmValueFailed))
            try bench.isUnpaired()
        }
    }

    @Test(arguments: [true, false], [0, 7, 15])
    func `a wrong DHKey check ends the pairing`(isCentral: Bool, octet: Int) throws {
        let bench = try Bench()
        bench.host.policy = Bench.open(.displayOnly)
        try bench.link(asCentral: isCentral)
        let tester = try bench.begins(SMFeatures(.keyboardOnly, mitm: true), asCentral: isCentral)
        try tester.exchangeFeatures()
        try tester.exchangePublicKeys()
        try tester.authenticate()
        try tester.deriveKeys()
        if isCentral { try tester.takeCheck() }
        var check = tester.ownCheck
        check[octet] ^= 1
        try tester.send(SMTester.Code.check, check)
        try tester.expectsFailure(.diffieHellmanKeyCheckFailed)
        try bench.toldPairingFailed(.refused(.diffieHellmanKeyCheckFailed))
        try bench.isUnpaired()
        try bench.finish()
    }

    /// All goes well up to this round, counted from 0.
    private func reach(_ tester: SMTester, _ round: Int) throws {
        try tester.exchangeFeatures()
        try tester.exchangePublicKeys()
        try tester.settlePasskey()
        for earlier in 0..<round { try tester.exchange(round: earlier) }
    }
}
