// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import SMP
import Testing

@testable import HostBench

/// Tests the check for growth: it counts elements hidden from mirrors by secret types.
struct FootprintTests {
    @Test func `what is kept of bonds and pairings counts as growth`() throws {
        try AttackBench(.central).counts("attempts.peers") { scene in
            let peer = RawPeer.publicAddress
            scene.bench.host.policy = PairingPlay.justWorks.policy
            let tester = try scene.attackerPairs(.justWorks)
            try tester.exchangeFeatures()
            try scene.bench.send(security: "05 08")
            try scene.bench.toldPairingFailed(.refusedByPeer(.unspecifiedReason))
            try require(scene.bench.host.bond(for: peer) == nil, "there is a bond")
        }
        try AttackBench(.central).counts("bonds.all.clientState", "bonds.all") { scene in
            let bond = Bond(
                identity: AttackBench.absent, keys: .secureConnections(Bench.key), clientState: counting(10))
            try require(scene.bench.host.store(try #require(bond)), "the bond was not taken")
        }
        // An older bond has more octets: nothing else has grown.
        let scene = try AttackBench(.central)
        var bond = try scene.storeBond()
        scene.remember()
        bond.clientState = counting(300)
        try require(scene.bench.host.store(bond), "the bond was not taken")
        let failure = #expect(throws: ScriptFailure.self) { try scene.finish() }
        #expect(failure?.description.contains("bonds.all.clientState: 0 → 300") == true)
    }

    @Test func `what a pairing under way holds counts as growth`() throws {
        for side in [AttackBench.Side.central, .peripheral] {
            try AttackBench(side).counts("links.pairing.run", "links.pairing.run.secrets") { scene in
                let tester = try scene.attackerPairs(.legacyJustWorks)
                try tester.exchangeFeatures()
                if side == .peripheral { _ = try tester.number(of: SMTester.Code.confirm) }
                try tester.sendLegacyConfirm()
                scene.bench.run(for: .milliseconds(300))
                try require(scene.growth.contains { $0.hasPrefix("links.pairing.run.phase") }, "\(scene.growth)")
            }
        }
    }
}

extension AttackBench {
    /// After `body` these have grown.
    fileprivate func counts(_ paths: String..., body: (AttackBench) throws -> Void) throws {
        try body(self)
        for path in paths {
            try require(growth.contains { $0.contains(path + ":") }, "\(path) is not among \(growth)")
        }
    }
}
