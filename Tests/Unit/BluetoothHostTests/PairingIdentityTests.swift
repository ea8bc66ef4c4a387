// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// Peers with the identities, or identity keys, of other peers.
struct PairingIdentityTests {
    private static let key = Sample.key(0x42)

    private func bond(isAuthenticated: Bool = true) throws -> Bond {
        try #require(
            Sample.bond(
                9, keys: .secureConnections(Sample.key(9)), identityKey: Sample.key(8), isAuthenticated: isAuthenticated
            ))
    }

    /// A Central on the air with a private address of the key 0x42, and `a` with these bonds.
    private func scene(with bonds: [Bond]) throws -> PairingScene {
        try PairingScene { duet in
            duet.a.host.provide(bonds: bonds)
            duet.players[1].host.setPrivacy(.resolvable, identityKey: Self.key, at: duet.now)
            duet.players[1].host.provide(randomness: (1...64).map { UInt8($0) &* 7 }, at: duet.now)
            duet.run(for: .seconds(1))
        }
    }

    // MARK: Identity keys of several devices

    @Test(arguments: [false, true])
    func `a second peer with the same identity key is kept without it, and the first one keeps it`(
        isAuthenticated: Bool
    ) throws {
        let first = try bond()
        let scene = try PairingScene { $0.a.host.provide(bonds: [first]) }
        scene.open(0)
        if isAuthenticated { scene.setPolicy { $0.ioCapability = .displayYesNo } }
        scene.pair(by: 1) { ($0.identity, $0.identityKey) = (Sample.identity(7), first.identityKey) }
        #expect(scene.finish())
        let second = try #require(scene.bond(0))
        #expect(second.identityKey == nil && second.keys == scene.bond(1)?.keys)
        #expect(second.isAuthenticated == isAuthenticated)
        #expect(Set(scene.duet.a.host.bonds.all.map(\.identity)) == [first.identity, scene.address(of: 1)])
        #expect(scene.duet.a.host.bond(for: first.identity) == first)
        #expect(scene.duet.a.host.takeBondChanges() == [.stored(second)])
        // Its address is found by itself, and the key is enough.
        try scene.reconnect()
        #expect(scene.run { scene.security(0)?.isEncrypted == true && scene.security(1)?.isEncrypted == true })
        #expect(scene.counters(0).pairingsStarted == 1 && scene.duet.violations == [])
    }

    @Test func `who has another's identity key and no address that stays is not paired with`() throws {
        let first = try bond()
        // A private address of no key: static and resolvable addresses have other top bits.
        let passing = DeviceAddress(kind: .random, value: 0x1122_3344_5566)
        let scene = try PairingScene { duet in
            duet.a.host.provide(bonds: [first])
            let node = duet.air.attachController(
                address: DeviceAddress(kind: .public, value: 0), settings: ControllerSettings())
            duet.players[1] = Duet.Player(
                controller: node, address: passing, host: HostMachine(randomAddress: passing))
            duet.players[1].host.start(at: duet.now)
            duet.run(for: .seconds(1))
        }
        scene.open(0)
        scene.pair(by: 1) { ($0.identity, $0.identityKey) = (Sample.identity(7), first.identityKey) }
        #expect(scene.run(for: .seconds(20)) { scene.hasFinished(0) || scene.failure(0) != nil })
        #expect(scene.failure(0) == .refused(.unspecifiedReason))
        #expect(scene.duet.a.host.bonds.all == [first] && scene.duet.a.host.takeBondChanges().isEmpty)
    }

    @Test func `a peer that pairs anew keeps its own identity key`() throws {
        let scene = try PairingScene()
        scene.open(0)
        scene.setPolicy { $0.replacement = .unlessWeaker }
        for _ in 1...2 {
            scene.pair(by: 1) { ($0.identity, $0.identityKey) = (Sample.identity(7), Self.key) }
            #expect(scene.finish())
            #expect(scene.bond(0)?.identityKey == Self.key)
            scene.forget()
        }
    }

    // MARK: Claims of an identity

    @Test func `an identity is believed only with the key that has made the peer's private address`() throws {
        let scene = try scene(with: [])
        scene.open(0)
        scene.pair(by: 1) { ($0.identity, $0.identityKey) = (Sample.identity(7), Sample.key(5)) }
        #expect(scene.run(for: .seconds(20)) { scene.hasFinished(0) || scene.failure(0) != nil })
        #expect(scene.failure(0) == .refused(.unspecifiedReason))
        #expect(scene.duet.a.host.bonds.all.isEmpty && scene.duet.a.host.takeBondChanges().isEmpty)
    }

    /// The pairing by which a peer under a private address claims the identity of a bond.
    enum Meeting: CaseIterable {
        case asStrong, legacy, short, unauthenticated
        /// The bond is as weak as the pairing: no person has seen either.
        case unproven

        var hasAuthenticatedBond: Bool { self == .asStrong || self == .unauthenticated }
        var isUnauthenticated: Bool { self == .unauthenticated || self == .unproven }
    }

    @Test(arguments: Meeting.allCases)
    func `a bond that is found under another address is never replaced by a weaker one`(meeting: Meeting) throws {
        let old = try bond(isAuthenticated: meeting.hasAuthenticatedBond)
        let scene = try scene(with: [old])
        let (own, peer) = (scene.address(of: 0), try #require(peerAddress(scene)))
        #expect(peer.isResolvablePrivate)
        scene.setPolicy {
            $0 = SecurityPolicy(minimumKeySize: 7)
            $0.acceptsPairing = .open
            $0.replacement = .unlessWeaker
            $0.legacyPeers = [own, peer]
            $0.ioCapability = .keyboardDisplay
        }
        scene.pair(by: 1) {
            ($0.identity, $0.identityKey) = (old.identity, Self.key)
            $0.requiresAuthentication = !meeting.isUnauthenticated
            if meeting.isUnauthenticated { ($0.ioCapability, $0.asksForAuthentication) = (.noInputNoOutput, false) }
            if meeting == .legacy { $0.offersSecureConnections = false }
            if meeting == .short { $0.maximumKeySize = 7 }
            $0.minimumKeySize = 7
        }
        #expect(scene.run(for: .seconds(20)) { scene.hasFinished(0) || scene.failure(0) != nil })
        let bonds = scene.duet.a.host.bonds.all
        if meeting == .asStrong {
            #expect(scene.hasFinished(0) && bonds.map(\.identity) == [old.identity])
            #expect(bonds.first?.keys != old.keys && bonds.first?.identityKey == Self.key)
        } else {
            #expect(scene.failure(0) == .refused(.unspecifiedReason))
            #expect(bonds == [old] && scene.duet.a.host.takeBondChanges().isEmpty)
            #expect(scene.run { scene.isDown(0) }, "its key was in use")
        }
    }

    private func peerAddress(_ scene: PairingScene) -> DeviceAddress? {
        scene.duet.a.events.lazy.compactMap { if case .linkUp(_, let peer, _) = $0 { peer } else { nil } }.first
    }
}
