// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import SMP
import Testing

@testable import HostBench

/// LE legacy pairing with a Temporary Key from out of band, with a tester that may use it.
struct LegacyOutOfBandTests {
    private static let temporaryKey = SMFunctions.secret(hex("0102030405060708090A0B0C0D0E0F10"))
    private static let able: [IOCapability] = [.displayOnly, .displayYesNo, .keyboardOnly, .keyboardDisplay]

    // MARK: Both have the key

    @Test(arguments: [("SM/CEN/OOB/BV-01-C", true), ("SM/PER/OOB/BV-02-C", false)])
    func `both have the Temporary Key`(_ id: String, isCentral: Bool) throws {
        try conformance(id) { (bench: Bench) in
            var nonces: Set<[UInt8]> = []
            bench.host.policy = Bench.legacy()
            try bench.link(asCentral: isCentral)
            for round in 0..<5 {
                if round > 0 { try bench.relink(asCentral: isCentral) }
                let tester = try begins(bench, features(.noInputNoOutput, hasKey: true), isCentral, hostHasKey: true)
                try tester.pair()
                try bench.isPairedForNow(tester)
                try require(tester.isAuthenticated, "\(tester.model)")
                nonces.insert(tester.hostNonce)
                bench.forgetTold()
            }
            try require(nonces.count == 5, "a random number came twice")
        }
    }

    @Test(arguments: [("SM/CEN/OOB/BI-01-C", true), ("SM/PER/OOB/BI-02-C", false)])
    func `the two have different Temporary Keys`(_ id: String, isCentral: Bool) throws {
        try conformance(id) { (bench: Bench) in
            bench.host.policy = Bench.legacy()
            bench.host.policy.requiresAuthentication = true
            try bench.link(asCentral: isCentral)
            let tester = try begins(
                bench, features(.noInputNoOutput, hasKey: true, mitm: true), isCentral, hostHasKey: true)
            tester.temporaryKey = Bench.secret(0x77)
            try tester.exchangeFeatures()
            if isCentral { _ = try tester.number(of: SMTester.Code.confirm) }
            try tester.sendLegacyConfirm()
            _ = try tester.number(of: isCentral ? SMTester.Code.random : SMTester.Code.confirm)
            try tester.send(SMTester.Code.random, tester.ownNonce)
            try tester.expectsFailure(.confirmValueFailed)
            try bench.toldPairingFailed(.refused(.confirmValueFailed))
            try bench.isUnpaired()
        }
    }

    // MARK: Only one side has the key

    struct OneSided: CustomStringConvertible, Sendable {
        let id: String
        let isCentral: Bool
        let hostHasKey: Bool
        /// The tester wants protection against a machine in the middle: then it takes a passkey.
        let wantsAuthentication: Bool

        var description: String { id }
    }

    static let oneSided = [
        OneSided(id: "SM/CEN/OOB/BV-03-C", isCentral: true, hostHasKey: true, wantsAuthentication: true),
        OneSided(id: "SM/PER/OOB/BV-04-C", isCentral: false, hostHasKey: true, wantsAuthentication: true),
        OneSided(id: "SM/CEN/OOB/BV-05-C", isCentral: true, hostHasKey: false, wantsAuthentication: true),
        OneSided(id: "SM/PER/OOB/BV-06-C", isCentral: false, hostHasKey: false, wantsAuthentication: true),
        OneSided(id: "SM/CEN/OOB/BV-07-C", isCentral: true, hostHasKey: false, wantsAuthentication: false),
        OneSided(id: "SM/PER/OOB/BV-08-C", isCentral: false, hostHasKey: false, wantsAuthentication: false),
        OneSided(id: "SM/CEN/OOB/BV-09-C", isCentral: true, hostHasKey: true, wantsAuthentication: false),
        OneSided(id: "SM/PER/OOB/BV-10-C", isCentral: false, hostHasKey: true, wantsAuthentication: false),
    ]

    @Test(arguments: oneSided) func `one of the two has a Temporary Key`(_ row: OneSided) throws {
        try conformance(row.id, rows: Self.able) { bench, io in
            bench.host.policy = Bench.legacy(io)
            // The suite's responder asks for protection, too.
            bench.host.policy.requiresAuthentication = row.wantsAuthentication
            try bench.link(asCentral: row.isCentral)
            let own: IOCapability =
                row.wantsAuthentication ? (row.isCentral ? .keyboardOnly : .keyboardDisplay) : .noInputNoOutput
            let tester = try begins(
                bench, features(own, hasKey: !row.hostHasKey, mitm: row.wantsAuthentication), row.isCentral,
                hostHasKey: row.hostHasKey)
            try tester.pair()
            try bench.isPairedForNow(tester)
            try require(tester.hostFeatures.hasOutOfBand == row.hostHasKey, "our host says \(tester.hostFeatures)")
            try require(
                tester.model.association == (row.wantsAuthentication ? .passkeyEntry : .justWorks), "\(tester.model)")
        }
    }

    // MARK: Parts

    private func features(_ io: IOCapability, hasKey: Bool, mitm: Bool = false) -> SMFeatures {
        var features = SMFeatures(io, mitm: mitm, isSecure: false, isBonding: false)
        features.hasOutOfBand = hasKey
        return features
    }

    private func begins(
        _ bench: Bench, _ features: SMFeatures, _ isCentral: Bool, hostHasKey: Bool
    ) throws -> SMTester {
        let settings = { (settings: inout PairingSettings) in
            if hostHasKey { settings.peerOutOfBand = OutOfBandData(temporaryKey: Self.temporaryKey) }
        }
        let tester = SMTester(bench, isInitiator: !isCentral, features)
        tester.temporaryKey = Self.temporaryKey
        if isCentral { try bench.pairs(settings) } else { try bench.asksForSecurity(settings) }
        return tester
    }
}
