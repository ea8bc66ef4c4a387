// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import SMP
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// How the end of a pairing affects later pairings.
struct PairingEndTests {
    private func guessing() throws -> PairingScene {
        let scene = try PairingScene()
        scene.duet.a.host.policy.ioCapability = .displayOnly
        scene.duet.b.host.policy.ioCapability = .keyboardOnly
        scene.setPolicy { $0.requiresAuthentication = true }
        scene.open(0)
        return scene
    }

    private func misread(_ count: Int, in scene: PairingScene) {
        scene.misreads = true
        for _ in 0..<count {
            scene.forget()
            #expect(scene.pair(by: 1) == .started)
            #expect(scene.run(for: .seconds(30)) { scene.failure(0) != nil && scene.failure(1) != nil })
        }
        scene.misreads = false
        scene.forget()
    }

    @Test func `a pairing that succeeds makes its peer's failures of before undone`() throws {
        let scene = try guessing()
        misread(PairingAttempts.limit - 1, in: scene)
        #expect(scene.pair(by: 1) == .started && scene.finish())
        scene.duet.players[0].host.removeBond(with: scene.address(of: 1))
        scene.duet.players[1].host.removeBond(with: scene.address(of: 0))
        try scene.reconnect()
        misread(PairingAttempts.limit - 1, in: scene)
        #expect(scene.pair(by: 1) == .started && scene.finish())
    }

    @Test func `a Peripheral that asks for security has to wait after failures, as all others`() throws {
        let scene = try guessing()
        scene.open(1)
        misread(PairingAttempts.limit, in: scene)
        let started = scene.counters(1).pairingsStarted
        scene.inject([0x0B, 0x0D], to: 1)
        #expect(scene.counters(1).pairingsStarted == started)
        scene.run(for: .milliseconds(500))
        #expect(scene.sentPairingPDUs(1) == [[0x05, 0x09]])
        scene.run(for: .seconds(2))
        scene.inject([0x0B, 0x0D], to: 1)
        #expect(scene.counters(1).pairingsStarted == started + 1)
    }

    @Test func `a link that is lost in the middle of a pairing is a failure that counts`() throws {
        let scene = try PairingScene()
        scene.setPolicy { ($0.ioCapability, $0.requiresAuthentication) = (.displayYesNo, true) }
        scene.comparison = nil
        scene.open(0)
        for _ in 0..<PairingAttempts.limit {
            let before = scene.questions.map(\.count)
            #expect(scene.pair(by: 1) == .started)
            #expect(scene.run { zip(scene.questions, before).allSatisfy { $0.count > $1 } })
            try scene.reconnect()
        }
        // Both sides have counted.
        if case .tooSoon = scene.pair(by: 1) {} else { Issue.record("the Central begins at once") }
        scene.forget()
        scene.inject([0x01, 0x01, 0x00, 0x0D, 0x10, 0x00, 0x00], to: 0)
        scene.run(for: .milliseconds(200))
        #expect(scene.sentPairingPDUs(0) == [[0x05, 0x09]])
    }

    @Test func `encryption with the old key is not the new bond that a Peripheral's client wants`() throws {
        let scene = try PairingScene()
        scene.open(0)
        #expect(scene.pair(by: 1) == .started && scene.finish())
        scene.setPolicy { ($0.encryptsAtConnection, $0.replacement) = (false, .unlessWeaker) }
        try scene.reconnect()
        #expect(scene.pair(by: 0) == .started)
        #expect(scene.run { scene.security(0)?.isEncrypted == true })
        #expect(scene.pair(by: 0) == .isPairing)
        #expect(scene.run(for: .seconds(35)) { scene.failure(0) == .timedOut })
    }

    /// Two Peripherals are connected, and one claims the identity of the other.
    @Test func `nobody pairs as a device that we are talking to under another link`() throws {
        let duet = Duet(ControllerSettings())
        for _ in 0..<2 { duet.add(ControllerSettings()) }
        for player in 1...2 {
            duet.players[player].host.setAdvertising(
                AdvertisingDemand(data: Duet.data), for: Duet.client, at: duet.now)
            duet.connect(by: 0, to: player)
        }
        #expect(
            duet.run(for: .seconds(30)) {
                duet.count(0) { if case .connected = $0 { true } else { false } } == 2
            })
        duet.players[0].host.policy.acceptsPairing = .open
        let other = duet.players[2].address
        let link = try #require(
            duet.players[1].events.lazy.compactMap { if case .linkUp(let link, _, _) = $0 { link } else { nil } }.first)
        let start = duet.players[1].host.pair(link, at: duet.now) {
            ($0.identity, $0.identityKey) = (other, Sample.key(7))
        }
        #expect(start == .started)
        let failure = { () -> PairingFailure? in
            duet.players[0].events.lazy.compactMap { event in
                if case .pairing(_, _, _, .failed(let failure)) = event { failure } else { nil }
            }.first
        }
        #expect(duet.run(for: .seconds(20)) { failure() != nil })
        #expect(failure() == .refused(.unspecifiedReason) && duet.players[0].host.bonds.all.isEmpty)
        #expect(duet.violations == [])
    }
}
