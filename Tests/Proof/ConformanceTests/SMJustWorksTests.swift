// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import SMP
import Testing

@testable import HostBench

/// Secure Connections without a passkey: Just Works and Numeric Comparison.
struct SMJustWorksTests {
    struct Row: CustomStringConvertible {
        let host: IOCapability
        let tester: IOCapability
        let isHostInitiator: Bool

        var description: String { "host \(host), tester \(tester)" }
        var association: AssociationModel {
            (isHostInitiator ? SMModel(host, tester, isSecure: true) : SMModel(tester, host, isSecure: true))
                .association
        }
    }

    /// The combinations of input and output without a passkey.
    private static func rows(isHostInitiator: Bool) -> [Row] {
        IOCapability.allCases.flatMap { host in
            IOCapability.allCases.map { Row(host: host, tester: $0, isHostInitiator: isHostInitiator) }
        }.filter { $0.association != .passkeyEntry }
    }

    @Test(arguments: [("SM/CEN/SCJW/BV-01-C", true), ("SM/PER/SCJW/BV-02-C", false)])
    func `pairings without a passkey succeed, with new nonces each time`(_ id: String, isHostInitiator: Bool) throws {
        let rows = Self.rows(isHostInitiator: isHostInitiator)
        try #require(rows.count == 16)
        try conformance(id, rows: rows) { bench, row in
            bench.host.policy = Bench.open(row.host)
            bench.host.policy.requiresAuthentication = row.association == .numericComparison
            try bench.link(asCentral: isHostInitiator)
            var nonces: Set<[UInt8]> = []
            var keys: Set<[UInt8]> = []
            for round in 0..<3 {
                if round > 0 { try bench.relink(asCentral: isHostInitiator) }
                let features = SMFeatures(row.tester, isBonding: false)
                let tester = try bench.begins(features, asCentral: isHostInitiator)
                try tester.pair()
                try bench.isPairedForNow(tester)
                try require(tester.model.association == row.association, "\(tester.model), not \(row.association)")
                nonces.insert(tester.hostNonce)
                keys.insert(tester.hostX)
                bench.forgetTold()
            }
            try require(nonces.count == 3 && keys.count == 3, "a nonce or a public key came twice")
        }
    }

    @Test(arguments: [("SM/PER/SCJW/BV-03-C", false), ("SM/CEN/SCJW/BV-04-C", true)])
    func `reserved bits of AuthReq do not matter to Just Works`(_ id: String, isCentral: Bool) throws {
        try conformance(id, rows: [0x40, 0x80, 0xC0] as [UInt8]) { bench, bits in
            bench.host.policy = Bench.open(.displayYesNo)
            try bench.link(asCentral: isCentral)
            var features = SMFeatures()
            features.authReq |= bits
            let tester = try bench.begins(features, asCentral: isCentral)
            try tester.pair()
            try bench.isPaired(tester)
        }
    }

    // MARK: Failures

    @Test func `SM/CEN/SCJW/BI-01-C the peripheral ends the pairing`() throws {
        let before: [PairingFailedReason] = [
            .authenticationRequirements, .unspecifiedReason, .pairingNotSupported, .repeatedAttempts,
        ]
        try conformance("SM/CEN/SCJW/BI-01-C", rows: [IOCapability.noInputNoOutput, .displayYesNo]) { bench, io in
            bench.host.policy = Bench.open(io)
            try bench.link(asCentral: true)
            let features = SMFeatures(io, mitm: io == .displayYesNo)
            for reason in before {
                let tester = try bench.begins(features, asCentral: true)
                try tester.takeRequest()
                try tester.fails(reason)
                try bench.toldPairingFailed(.refusedByPeer(reason))
                try bench.expectsNothing()
                try bench.isUnpaired()
                try bench.relink(asCentral: true)
                bench.forgetTold()
            }
            for stage in 0..<3 {
                let tester = try bench.begins(features, asCentral: true)
                try tester.exchangeFeatures()
                if stage > 0 { try tester.exchangePublicKeys() } else { try tester.takePublicKey() }
                if stage > 1 { try tester.exchangeNonces() }
                if stage > 1, io == .displayYesNo {
                    // Our host continues as soon as our person agrees; the peer's person does not agree.
                    _ = try bench.askedToCompare()
                }
                if stage > 1 { _ = try bench.expects(security: "0D *") }
                try tester.fails(.numericComparisonFailed)
                try bench.toldPairingFailed(.refusedByPeer(.numericComparisonFailed))
                try bench.expectsNothing()
                try bench.isUnpaired()
                try bench.relink(asCentral: true)
                bench.forgetTold()
            }
            // After all these failures a pairing succeeds.
            let tester = try bench.begins(features, asCentral: true)
            try tester.pair()
            try bench.isPaired(tester)
        }
    }

    @Test func `SM/PER/SCJW/BI-02-C the central ends the pairing`() throws {
        try conformance("SM/PER/SCJW/BI-02-C", rows: Array(0..<4)) { bench, stage in
            bench.host.policy = Bench.open()
            try bench.link(asCentral: false)
            let tester = SMTester(bench, isInitiator: true)
            try tester.exchangeFeatures()
            if stage > 0 {
                try tester.exchangePublicKeys()
                // The confirm value of our host.
                _ = try tester.number(of: SMTester.Code.confirm)
            }
            if stage > 1 {
                try tester.send(SMTester.Code.random, bench.randomOctets(16))
                _ = try tester.number(of: SMTester.Code.random)
            }
            if stage == 3 { try tester.send([SMTester.Code.failed]) } else { try tester.fails(.confirmValueFailed) }
            if stage == 3 {
                // Without a reason the pairing ends all the same.
                try bench.toldPairingFailed(.refusedByPeer(.unspecifiedReason))
            } else {
                try bench.toldPairingFailed(.refusedByPeer(.confirmValueFailed))
            }
            try bench.expectsNothing()
            try bench.isUnpaired()
        }
    }

    struct Disagreement: CustomStringConvertible, Sendable {
        let isCentral: Bool
        let isDigits: Bool
        var description: String { "central \(isCentral), \(isDigits ? "digits" : "consent")" }
    }

    @Test(arguments: [
        Disagreement(isCentral: true, isDigits: true), Disagreement(isCentral: false, isDigits: true),
        Disagreement(isCentral: false, isDigits: false),
    ])
    func `somebody at our host who says no ends the pairing`(_ row: Disagreement) throws {
        let bench = try Bench()
        let io: IOCapability = row.isDigits ? .displayYesNo : .noInputNoOutput
        bench.host.policy = Bench.open(io)
        bench.person.agreesToDigits = false
        bench.person.consents = false
        try bench.link(asCentral: row.isCentral)
        let tester = try bench.begins(SMFeatures(io, mitm: row.isDigits), asCentral: row.isCentral)
        if row.isDigits {
            try tester.exchangeFeatures()
            try tester.exchangePublicKeys()
            try tester.exchangeNonces()
            try tester.expectsFailure(.numericComparisonFailed)
            try bench.toldPairingFailed(.refused(.numericComparisonFailed))
        } else {
            try tester.sendRequest()
            // The host may choose the step of its refusal, but not after a key.
            bench.run(for: .seconds(1))
            let last = bench.peer.frames[Bench.securityManager]?.last ?? []
            try require(last.first == SMTester.Code.failed, "our host answers \(text(last))")
            while bench.peer.takeFrame(on: Bench.securityManager) != nil {}
        }
        try bench.isUnpaired()
        try bench.finish()
    }
}
