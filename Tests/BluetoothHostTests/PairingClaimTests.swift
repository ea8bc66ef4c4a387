// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP
import Testing

@testable import BluetoothHost

/// What a peer brings about, or says of itself, without anybody here having asked for it.
struct PairingClaimTests {
    @Test(arguments: [PairingAnswer.yes, .no])
    func `a Security Request makes no unauthenticated key before somebody has agreed`(answer: PairingAnswer) throws {
        let scene = try PairingScene()
        scene.open(1)
        scene.duet.players[1].host.policy.hasAgent = true
        scene.consent = answer
        #expect(scene.pair(by: 0) == .started)
        #expect(scene.run { scene.hasFinished(1) || scene.failure(1) != nil })
        #expect(scene.questions[1] == [.consent])
        #expect(scene.failure(1) == (answer == .yes ? nil : .refused(.pairingNotSupported)))
        #expect((scene.bond(1) != nil) == (answer == .yes))
    }

    @Test func `nobody with another address pairs under an identity that is reserved`() throws {
        let scene = try PairingScene()
        scene.open(1)
        scene.duet.players[1].host.policy.reservedIdentities = [Sample.identity(7)]
        scene.pair(by: 0) { ($0.identity, $0.identityKey) = (Sample.identity(7), Sample.key(7)) }
        #expect(scene.run { scene.isDown(1) })
        #expect(scene.failure(1) == .refused(.unspecifiedReason))
        #expect(scene.duet.players[1].host.bonds.all.isEmpty)
    }

    @Test func `a peer with an address that stays is kept under that, whatever it says`() throws {
        let scene = try PairingScene()
        scene.open(1)
        scene.pair(by: 0) { ($0.identity, $0.identityKey) = (Sample.identity(7), Sample.key(7)) }
        #expect(scene.run { scene.hasFinished(1) || scene.failure(1) != nil })
        #expect(scene.duet.players[1].host.bonds.all.map(\.identity) == [scene.address(of: 0)])
    }
}
