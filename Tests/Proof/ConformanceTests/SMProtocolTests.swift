// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import HCI
import SMP
import Testing

@testable import HostBench

/// Time-outs, key sizes, and Security Requests.
struct SMProtocolTests {
    // MARK: Time-outs

    @Test func `SM/CEN/PROT/BV-01-C the peripheral is silent`() throws {
        try conformance("SM/CEN/PROT/BV-01-C", rows: Array(0..<4)) { bench, stage in
            bench.host.policy = Bench.open()
            try bench.link(asCentral: true)
            let tester = try bench.begins(asCentral: true)
            try tester.takeRequest()
            if stage > 0 { try tester.sendResponse() }
            if stage > 1 { try tester.exchangePublicKeys() } else if stage == 1 { try tester.takePublicKey() }
            if stage > 2 { try tester.exchangeNonces() }
            if stage > 2 { _ = try bench.expects(security: "0D *") }
            try timesOut(bench)
            // The awaited command comes too late.
            switch stage {
            case 0: try tester.sendResponse()
            case 1: try tester.sendPublicKey()
            case 2: try tester.send(SMTester.Code.confirm, bench.randomOctets(16))
            default: try tester.send(SMTester.Code.check, bench.randomOctets(16))
            }
            try staysSilent(bench)
        }
    }

    @Test func `SM/PER/PROT/BV-02-C the central is silent`() throws {
        try conformance("SM/PER/PROT/BV-02-C", rows: Array(0..<3)) { bench, stage in
            bench.host.policy = Bench.open()
            try bench.link(asCentral: false)
            let tester = SMTester(bench, isInitiator: true)
            try tester.exchangeFeatures()
            if stage > 0 { try tester.exchangePublicKeys() }
            if stage > 0 { _ = try tester.number(of: SMTester.Code.confirm) }
            if stage > 1 {
                try tester.send(SMTester.Code.random, bench.randomOctets(16))
                _ = try tester.number(of: SMTester.Code.random)
            }
            try timesOut(bench)
            switch stage {
            case 0: try tester.sendPublicKey()
            case 1: try tester.send(SMTester.Code.random, bench.randomOctets(16))
            default: try tester.send(SMTester.Code.check, bench.randomOctets(16))
            }
            try staysSilent(bench)
            // Nor does a new pairing begin on this link.
            try tester.sendRequest()
            try staysSilent(bench)
            try bench.relink(asCentral: false)
            let next = SMTester(bench, isInitiator: true)
            try next.pair()
            try bench.isPaired(next)
        }
    }

    /// The timeout comes after 30 s, and not before; its consequence comes 10 s later.
    private func timesOut(_ bench: Bench) throws {
        try bench.expectsNothing(for: .seconds(29))
        let isEarly = bench.events.contains { if case .pairing(_, _, _, .failed) = $0 { true } else { false } }
        try require(!isEarly, "the pairing has failed before its time: \(bench.events)")
        try bench.toldPairingFailed(.timedOut, within: .seconds(2))
        try bench.expectsNothing(for: .seconds(10))
    }

    private func staysSilent(_ bench: Bench) throws {
        try bench.expectsNothing(for: .seconds(5))
        try bench.isUnpaired()
        let start = bench.host.pair(try bench.link, at: bench.now)
        try require(start == .noLink, "our host pairs again on this link: \(start)")
        try bench.expectsNothing()
    }

    // MARK: Key sizes

    private static let minima: [UInt8] = [16, 11, 7]

    @Test(arguments: [("SM/CEN/EKS/BV-01-C", true), ("SM/PER/EKS/BV-02-C", false)])
    func `a key of the least size that is allowed`(_ id: String, isCentral: Bool) throws {
        try conformance(id, rows: Self.minima) { bench, size in
            bench.host.policy = Bench.open(minimumKeySize: size)
            try bench.link(asCentral: isCentral)
            var features = SMFeatures()
            features.keySize = size
            let tester = try bench.begins(features, asCentral: isCentral)
            try tester.pair()
            let bond = try bench.isPaired(tester)
            try require(bond.keySize == size, "the bond is \(bond)")
            // This key works on the next link, too.
            try bench.unlink(asCentral: isCentral)
            try bench.encryptsAgain(tester, asCentral: isCentral)
        }
    }

    @Test(arguments: [("SM/CEN/EKS/BI-01-C", true), ("SM/PER/EKS/BI-02-C", false)])
    func `a key below the least size is refused`(_ id: String, isCentral: Bool) throws {
        try conformance(id, rows: Self.minima) { bench, minimum in
            bench.host.policy = Bench.open(minimumKeySize: minimum)
            try bench.link(asCentral: isCentral)
            var features = SMFeatures()
            features.keySize = minimum - 1
            let tester = try bench.begins(features, asCentral: isCentral)
            if isCentral { try tester.exchangeFeatures() } else { try tester.sendRequest() }
            try tester.expectsFailure(.encryptionKeySize)
            try bench.toldPairingFailed(.refused(.encryptionKeySize))
            try bench.isUnpaired()
        }
    }

    // MARK: Security Requests

    @Test func `SM/PER/PIS/BV-01-C as peripheral asks for a pairing`() throws {
        try conformance("SM/PER/PIS/BV-01-C") { (bench: Bench) in
            bench.host.policy = Bench.open(.displayOnly)
            bench.host.policy.requiresAuthentication = true
            try bench.link(asCentral: false)
            let authReq = try bench.asksForSecurity()
            try require(authReq == 0x0D, "our host asks for \(text([authReq]))")
            let tester = SMTester(bench, isInitiator: true, SMFeatures(.keyboardOnly, mitm: true))
            try tester.pair()
            try bench.isPaired(tester)
        }
    }

    @Test func `SM/CEN/PIS/BV-02-C as central answers a Security Request with a pairing`() throws {
        try conformance("SM/CEN/PIS/BV-02-C") { (bench: Bench) in
            // Our host reports a policy without pairing.
            try bench.link(asCentral: true)
            try bench.send(security: "0B 0D")
            try bench.expects(security: "05 05")
            try bench.expectsNothing()
            bench.host.policy = Bench.open(.displayOnly)
            try bench.send(security: "0B 0D")
            let tester = SMTester(bench, isInitiator: false, SMFeatures(.keyboardOnly, mitm: true))
            try tester.pair()
            try bench.isPaired(tester)
        }
    }

    @Test func `SM/PER/PIS/BV-02-C as peripheral asks for encryption`() throws {
        try conformance("SM/PER/PIS/BV-02-C") { (bench: Bench) in
            try bench.storeBond()
            try bench.acceptUnproven()
            let authReq = try bench.takeSecurityRequest()
            try require(authReq & SMFeatures.mitm == 0, "our host asks for \(text([authReq]))")
            try require(try bench.encrypts() == 0, "our host has not given its key")
            _ = try bench.toldEncrypted()
            try bench.becomeClient()
        }
    }

    @Test func `SM/CEN/PIS/BV-03-C as central without a key pairs, whatever else is asked for`() throws {
        try conformance("SM/CEN/PIS/BV-03-C") { (bench: Bench) in
            bench.host.policy = Bench.open()
            try bench.link(asCentral: true)
            try bench.send(security: "0B 01")
            let tester = SMTester(bench, isInitiator: false)
            try tester.takeRequest()
            try bench.send(security: "0B 01")
            try bench.expectsNothing()
            try require(bench.parameters(of: .leEnableEncryption).isEmpty, "our host encrypts without a key")
            try tester.sendResponse()
            try tester.completePairing()
            try bench.isPaired(tester)
        }
    }
}
