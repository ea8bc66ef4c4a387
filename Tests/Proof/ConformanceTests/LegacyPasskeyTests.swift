// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import SMP
import Testing

@testable import HostBench

/// LE legacy pairing with a passkey, with a tester that may use it.
struct LegacyPasskeyTests {
    private static let able: [IOCapability] = [.displayOnly, .displayYesNo, .keyboardOnly, .keyboardDisplay]

    // MARK: Success

    @Test func `SM/CEN/PKE/BV-01-C legacy passkey as initiator`() throws {
        try conformance("SM/CEN/PKE/BV-01-C", rows: Self.able) { bench, io in
            bench.host.policy = Bench.legacy(io)
            try bench.link(asCentral: true)
            let features = SMFeatures(.keyboardOnly, mitm: true, isSecure: false, isBonding: false)
            let tester = try bench.begins(features, asCentral: true)
            try tester.pair()
            try bench.isPairedForNow(tester)
        }
    }

    @Test func `SM/PER/PKE/BV-02-C legacy passkey as responder`() throws {
        try conformance("SM/PER/PKE/BV-02-C", rows: Self.able) { bench, io in
            bench.host.policy = Bench.legacy(io)
            try bench.link(asCentral: false)
            var features = SMFeatures(.keyboardDisplay, mitm: true, isSecure: false)
            features.responderKeys = SMFeatures.encryptionKey
            let tester = SMTester(bench, isInitiator: true, features)
            try tester.pair()
            let bond = try bench.isPaired(tester)
            try require(bond.isAuthenticated, "the bond is \(bond)")
        }
    }

    @Test func `SM/CEN/PKE/BV-04-C legacy pairing that cannot be authenticated, and need not`() throws {
        try conformance("SM/CEN/PKE/BV-04-C", rows: Self.able) { bench, io in
            bench.host.policy = Bench.legacy(io)
            try bench.link(asCentral: true)
            let tester = try bench.begins(SMFeatures(isSecure: false, isBonding: false), asCentral: true)
            try tester.pair()
            try bench.isPairedForNow(tester)
            try require(!tester.isAuthenticated, "\(tester.model)")
        }
    }

    @Test func `SM/PER/PKE/BV-05-C legacy pairing that cannot be authenticated, and has to be`() throws {
        try conformance("SM/PER/PKE/BV-05-C", rows: Self.able) { bench, io in
            bench.host.policy = Bench.legacy(io)
            bench.host.policy.requiresAuthentication = true
            try bench.link(asCentral: false)
            let tester = SMTester(bench, isInitiator: true, SMFeatures(isSecure: false, isBonding: false))
            try tester.sendRequest()
            try tester.expectsFailure(.authenticationRequirements)
            try bench.toldPairingFailed(.refused(.authenticationRequirements))
            try bench.isUnpaired()
        }
    }

    @Test func `SM/CEN/PKE/BV-05-C a new passkey for each legacy pairing`() throws {
        try conformance("SM/CEN/PKE/BV-05-C") { (bench: Bench) in
            bench.host.policy = Bench.legacy(.displayOnly)
            try bench.link(asCentral: true)
            var shown: Set<UInt32> = []
            var keys: Set<SecretKey> = []
            for round in 0..<3 {
                if round > 0 { try bench.relink(asCentral: true) }
                let features = SMFeatures(.keyboardOnly, mitm: true, isSecure: false, isBonding: false)
                let tester = try bench.begins(features, asCentral: true)
                try tester.pair()
                try bench.isPairedForNow(tester)
                shown.insert(tester.passkey)
                keys.insert(tester.key)
                bench.forgetTold()
            }
            try require(shown.count == 3 && keys.count == 3, "a passkey or a key came twice: \(shown)")
        }
    }

    // MARK: Failures

    @Test func `SM/CEN/PKE/BI-01-C the peripheral enters another passkey`() throws {
        try conformance("SM/CEN/PKE/BI-01-C", rows: Self.able) { bench, io in
            let tester = try begins(bench, io)
            _ = try tester.number(of: SMTester.Code.confirm)
            tester.passkey ^= 1
            try tester.sendLegacyConfirm()
            _ = try tester.number(of: SMTester.Code.random)
            try tester.send(SMTester.Code.random, tester.ownNonce)
            try tester.expectsFailure(.confirmValueFailed)
            try bench.toldPairingFailed(.refused(.confirmValueFailed))
            try bench.isUnpaired()
        }
    }

    @Test func `SM/CEN/PKE/BI-02-C the peripheral enters no passkey`() throws {
        try conformance("SM/CEN/PKE/BI-02-C", rows: Self.able) { bench, io in
            let tester = try begins(bench, io)
            // Our host is ready, and has sent its confirm value.
            _ = try tester.number(of: SMTester.Code.confirm)
            try tester.fails(.passkeyEntryFailed)
            try bench.toldPairingFailed(.refusedByPeer(.passkeyEntryFailed))
            try bench.expectsNothing()
            try bench.isUnpaired()
        }
    }

    @Test func `SM/PER/PKE/BI-03-C the central enters another passkey`() throws {
        try conformance("SM/PER/PKE/BI-03-C", rows: Self.able) { bench, io in
            bench.host.policy = Bench.legacy(io)
            try bench.link(asCentral: false)
            let tester = SMTester(bench, isInitiator: true, SMFeatures(.keyboardOnly, mitm: true, isSecure: false))
            try tester.exchangeFeatures()
            try tester.settleTemporaryKey()
            tester.passkey ^= 1
            try tester.sendLegacyConfirm()
            _ = try tester.number(of: SMTester.Code.confirm)
            try tester.send(SMTester.Code.random, tester.ownNonce)
            try tester.expectsFailure(.confirmValueFailed)
            try bench.toldPairingFailed(.refused(.confirmValueFailed))
            try bench.isUnpaired()
        }
    }

    @Test func `SM/CEN/PKE/BI-03-C our own confirm value sent back, with a passkey`() throws {
        try conformance("SM/CEN/PKE/BI-03-C", rows: Self.able) { bench, io in
            try begins(bench, io).reflects()
        }
    }

    /// Our host is the initiator, and everything is ready for the passkey.
    private func begins(_ bench: Bench, _ io: IOCapability) throws -> SMTester {
        bench.host.policy = Bench.legacy(io)
        try bench.link(asCentral: true)
        let features = SMFeatures(.keyboardOnly, mitm: true, isSecure: false, isBonding: false)
        let tester = try bench.begins(features, asCentral: true)
        try tester.exchangeFeatures()
        try tester.settleTemporaryKey()
        return tester
    }
}
