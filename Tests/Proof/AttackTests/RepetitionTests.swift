// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import TestSupport
import Testing

@testable import BluetoothHost
@testable import HostBench

/// Procedures that a host repeats for years leave no state behind: many rounds in virtual time, each of which may add nothing to any
/// collection in the host. `make leaks` watches the memory of a whole gateway.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(10)))
struct RepetitionTests {
    /// Another number with MARTLET_REPETITIONS.
    private static let times = Repetitions.rounds(1_000)

    /// After a few rounds no collection in the host has grown.
    private func repeats(_ side: AttackBench.Side, _ round: (AttackBench) throws -> Void) throws {
        let scene = try AttackBench(side)
        for number in 0..<Self.times {
            try round(scene)
            if number == 3 {
                try scene.leave()
                scene.remember()
                try scene.enter()
            }
            scene.bench.forgetTold()
            // Attempts of an hour are remembered, up to a bound.
            scene.bench.host.pairing.forgetAttempts()
        }
        try scene.finish()
    }

    @Test(arguments: [AttackBench.Side.central, .peripheral])
    func `of many connections nothing stays in the host`(side: AttackBench.Side) throws {
        try repeats(side) { try $0.reenter() }
    }

    @Test(arguments: [AttackBench.Side.central, .peripheral])
    func `of many pairings with bonds that are removed again nothing stays in the host`(
        side: AttackBench.Side
    ) throws {
        try repeats(side) { scene in
            // Phones enter the passkey on our host's display.
            let tester = try scene.attackerPairs(side == .central ? .passkeyShown : .comparison)
            try require(try !tester.pairs(until: SMTester.mostSteps), "the pairing has too many steps")
            try scene.bench.isPaired(tester)
            try require(scene.bench.host.bond(for: RawPeer.publicAddress) != nil, "there is no bond")
            try scene.forgetsAttacker()
        }
    }

    @Test func `of many pairings that fail nothing stays in the host`() throws {
        try repeats(.central) { scene in
            let tester = try scene.attackerPairs(.comparison)
            try tester.exchangeFeatures()
            try scene.bench.send(security: "05 08")
            try scene.endsPairing()
            try scene.reenter()
        }
    }
}
