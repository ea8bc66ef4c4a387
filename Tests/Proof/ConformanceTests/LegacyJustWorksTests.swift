// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import SMP
import Testing

@testable import HostBench

/// LE legacy pairing without a passkey, with a tester that may use it.
struct LegacyJustWorksTests {
    @Test func `SM/CEN/JW/BV-01-C legacy Just Works as initiator`() throws {
        try conformance("SM/CEN/JW/BV-01-C", rows: IOCapability.allCases) { bench, io in
            bench.host.policy = Bench.legacy(io)
            try bench.link(asCentral: true)
            let features = SMFeatures(.keyboardDisplay, isSecure: false, isBonding: false)
            let tester = try bench.begins(features, asCentral: true) { $0.asksForAuthentication = false }
            try tester.pair()
            try bench.isPairedForNow(tester)
            try require(!tester.isAuthenticated, "\(tester.model)")
        }
    }

    @Test func `SM/PER/JW/BV-02-C legacy Just Works as responder`() throws {
        try conformance("SM/PER/JW/BV-02-C", rows: IOCapability.allCases) { bench, io in
            bench.host.policy = Bench.legacy(io)
            try bench.link(asCentral: false)
            var features = SMFeatures(isSecure: false)
            features.responderKeys = SMFeatures.encryptionKey
            let tester = SMTester(bench, isInitiator: true, features)
            try tester.pair()
            try bench.isPaired(tester)
            try bench.unlink(asCentral: false)
            try bench.encryptsAgain(tester, asCentral: false)
        }
    }

    @Test(arguments: [("SM/PER/JW/BI-03-C", false), ("SM/CEN/JW/BI-04-C", true)])
    func `reserved bits of AuthReq do not matter to legacy Just Works`(_ id: String, isCentral: Bool) throws {
        try conformance(id, rows: [0x40, 0x80, 0xC0] as [UInt8]) { bench, bits in
            bench.host.policy = Bench.legacy(.displayYesNo)
            try bench.link(asCentral: isCentral)
            var features = SMFeatures(isSecure: false, isBonding: false)
            features.authReq |= bits
            let tester = try bench.begins(features, asCentral: isCentral)
            try tester.pair()
            try bench.isPairedForNow(tester)
        }
    }

    // MARK: Failures

    @Test func `SM/CEN/JW/BV-05-C the peripheral ends the legacy pairing`() throws {
        try conformance("SM/CEN/JW/BV-05-C") { (bench: Bench) in
            bench.host.policy = Bench.legacy()
            try bench.link(asCentral: true)
            for reason in [.unspecifiedReason, .pairingNotSupported, .repeatedAttempts, .busy] as [PairingFailedReason]
            {
                let tester = try bench.begins(asCentral: true)
                try tester.takeRequest()
                try tester.fails(reason)
                try bench.toldPairingFailed(.refusedByPeer(reason))
                try bench.expectsNothing()
                try bench.isUnpaired()
                try bench.relink(asCentral: true)
                bench.forgetTold()
            }
            let tester = try bench.begins(SMFeatures(isSecure: false, isBonding: false), asCentral: true)
            try tester.pair()
            try bench.isPairedForNow(tester)
        }
    }

    @Test(arguments: [("SM/CEN/JW/BI-01-C", true), ("SM/PER/JW/BI-02-C", false)])
    func `a wrong confirm value ends the legacy pairing`(_ id: String, isCentral: Bool) throws {
        try conformance(id, rows: [0, 7, 15]) { bench, octet in
            bench.host.policy = Bench.legacy()
            try bench.link(asCentral: isCentral)
            let tester = try bench.begins(SMFeatures(isSecure: false), asCentral: isCentral)
            try tester.exchangeFeatures()
            tester.ownNonce = bench.randomOctets(16)
            var confirm = tester.legacyConfirm(tester.ownNonce)
            confirm[octet] ^= 1
            if isCentral { _ = try tester.number(of: SMTester.Code.confirm) }
            try tester.send(SMTester.Code.confirm, confirm)
            if isCentral {
                _ = try tester.number(of: SMTester.Code.random)
            } else {
                _ = try tester.number(of: SMTester.Code.confirm)
            }
            try tester.send(SMTester.Code.random, tester.ownNonce)
            try tester.expectsFailure(.confirmValueFailed)
            try bench.toldPairingFailed(.refused(.confirmValueFailed))
            try bench.isUnpaired()
        }
    }

    @Test func `SM/CEN/JW/BI-06-C our own confirm value sent back`() throws {
        try conformance("SM/CEN/JW/BI-06-C") { (bench: Bench) in
            bench.host.policy = Bench.legacy()
            try bench.link(asCentral: true)
            let tester = try bench.begins(SMFeatures(isSecure: false, isBonding: false), asCentral: true)
            try tester.exchangeFeatures()
            try tester.reflects()
        }
    }
}

extension SMTester {
    /// As the responder: the peer returns our host's own numbers.
    func reflects() throws {
        let confirm = try number(of: Code.confirm)
        try send(Code.confirm, confirm)
        bench.run(for: .milliseconds(500))
        if bench.peer.frames[Bench.securityManager]?.first?.first == Code.random {
            try send(Code.random, try number(of: Code.random))
        }
        try expectsFailure(.confirmValueFailed)
        try bench.toldPairingFailed(.refused(.confirmValueFailed))
        try bench.isUnpaired()
    }
}
