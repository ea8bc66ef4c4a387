// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import SMP
import Testing

@testable import HostBench

/// Secure Connections with data from out of band.
struct SMOutOfBandTests {
    struct Row: CustomStringConvertible {
        var hostHas = true
        var testerHas = true
        var authReq: UInt8 = 0
        var description: String { "host has data: \(hostHas), tester has data: \(testerHas), AuthReq \(authReq)" }
    }

    private static let rows = [Row(), Row(testerHas: false), Row(hostHas: false)]
    private static let reserved = [0x40, 0x80, 0xC0].map { Row(authReq: $0) }
    private static let reasons: [PairingFailedReason] = [
        .authenticationRequirements, .unspecifiedReason, .pairingNotSupported, .repeatedAttempts,
        .outOfBandNotAvailable,
    ]

    @Test(arguments: [("SM/CEN/SCOB/BV-01-C", true), ("SM/PER/SCOB/BV-02-C", false)])
    func `data of either side or both are enough`(_ id: String, isCentral: Bool) throws {
        try conformance(id, rows: Self.rows) { bench, row in
            let tester = try begins(bench, row, isCentral)
            try tester.pair()
            let bond = try bench.isPaired(tester)
            try require(bond.isAuthenticated && bond.isSecureConnections, "the bond is \(bond)")
        }
    }

    @Test(arguments: [("SM/PER/SCOB/BV-03-C", false), ("SM/CEN/SCOB/BV-04-C", true)])
    func `reserved bits of AuthReq do not matter out of band`(_ id: String, isCentral: Bool) throws {
        try conformance(id, rows: Self.reserved) { bench, row in
            let tester = try begins(bench, row, isCentral)
            try tester.pair()
            try bench.isPaired(tester)
        }
    }

    // MARK: Failures

    @Test(arguments: [("SM/CEN/SCOB/BI-01-C", true), ("SM/PER/SCOB/BI-02-C", false)])
    func `the peer ends the pairing`(_ id: String, isCentral: Bool) throws {
        try conformance(id, rows: Self.reasons) { bench, reason in
            let tester = try begins(bench, Row(), isCentral)
            if isCentral { try tester.takeRequest() } else { try tester.exchangeFeatures() }
            if reason == .outOfBandNotAvailable {
                if isCentral { try tester.sendResponse() }
                try tester.exchangePublicKeys()
                // As the initiator our host has sent its nonce already.
                if isCentral { _ = try tester.number(of: SMTester.Code.random) }
            }
            try tester.fails(reason)
            try bench.toldPairingFailed(.refusedByPeer(reason))
            try bench.expectsNothing()
            try bench.isUnpaired()
            // Another attempt on a new link succeeds.
            try bench.relink(asCentral: isCentral)
            bench.forgetTold()
            let next = try begins(bench, Row(), isCentral, isLinked: true)
            try next.pair()
            try bench.isPaired(next)
        }
    }

    @Test(arguments: [("SM/CEN/SCOB/BI-04-C", true), ("SM/PER/SCOB/BI-03-C", false)])
    func `data that are not the peer's end the pairing`(_ id: String, isCentral: Bool) throws {
        try conformance(id, rows: ["confirm", "random", "key"]) { bench, wrong in
            let tester = try begins(bench, Row(), isCentral) { data in
                if wrong == "confirm" { data.confirm = data.confirm.map { [$0[0] ^ 1] + $0.dropFirst() } }
                if wrong == "random" { data.random = data.random.map { $0.dropLast() + [$0[15] ^ 1] } }
            }
            // Another device's key, which does not match the data.
            if wrong == "key" { tester.ownKey = bench.keyPair().publicKey }
            try tester.exchangeFeatures()
            if isCentral { try tester.takePublicKey() }
            try tester.sendPublicKey()
            // Our host can compare as soon as it has the key; the SIG allows it to wait for the nonce, too.
            bench.run(for: .milliseconds(500))
            if !isCentral, bench.peer.frames[Bench.securityManager]?.first?.first == SMTester.Code.publicKey {
                try tester.takePublicKey()
            }
            if isCentral, bench.peer.frames[Bench.securityManager]?.first?.first == SMTester.Code.random {
                _ = try tester.number(of: SMTester.Code.random)
            }
            if bench.peer.frames[Bench.securityManager]?.isEmpty != false {
                try tester.send(SMTester.Code.random, bench.randomOctets(16))
            }
            try tester.expectsFailure(.confirmValueFailed)
            try bench.toldPairingFailed(.refused(.confirmValueFailed))
            try bench.isUnpaired()
        }
    }

    // MARK: Parts

    /// A link, and on both sides the data of the row.
    private func begins(
        _ bench: Bench, _ row: Row, _ isCentral: Bool, isLinked: Bool = false,
        _ alter: (inout OutOfBandData) -> Void = { _ in }
    ) throws -> SMTester {
        bench.host.policy = Bench.open()
        if !isLinked { try bench.link(asCentral: isCentral) }
        var features = SMFeatures()
        features.hasOutOfBand = row.testerHas
        features.authReq |= row.authReq
        let tester = SMTester(bench, isInitiator: !isCentral, features)
        let local = LocalOutOfBandData(keyPair: bench.keyPair(), random: bench.randomOctets(16))
        if row.testerHas { tester.hostOutOfBand = local }
        let settings = { (settings: inout PairingSettings) in
            if row.hostHas {
                var data = tester.outOfBandData
                alter(&data)
                settings.peerOutOfBand = data
            }
            if row.testerHas { settings.localOutOfBand = local }
        }
        if isCentral { try bench.pairs(settings) } else { try bench.asksForSecurity(settings) }
        return tester
    }
}
