// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import HCI
import Logging
import SMP
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// A peer met under a private address, and known by its identity after the pairing.
struct IdentityTests {
    private static let key = Sample.key(0x21)

    /// `a` has private addresses, and `b` has connected to the present one. Returns the address and the link of `b`.
    private func met() throws -> (duet: Duet, address: DeviceAddress, link: LinkID) {
        let duet = Duet(ControllerSettings(), ControllerSettings())
        duet.players[0].host.setPrivacy(.resolvable, identityKey: Self.key, at: duet.now)
        duet.players[0].host.provide(randomness: (1...64).map { UInt8($0) }, at: duet.now)
        duet.advertise()
        duet.run(for: .seconds(1))
        let address = try #require(duet.a.host.privacy.address)
        duet.players[1].host.connect(address, for: Duet.client, at: duet.now)
        #expect(duet.run(for: .seconds(10)) { duet.link(of: 1) != nil && duet.centralLink != nil })
        return (duet, address, try #require(duet.link(of: 1)))
    }

    private func bond(_ duet: Duet) throws -> Bond {
        try #require(
            Bond(identity: duet.a.address, keys: .secureConnections(Sample.key(1)), identityKey: Self.key))
    }

    private func learned(_ duet: Duet) -> [[DeviceAddress]] {
        duet.b.events.compactMap { event in
            if case .identityLearned(let old, let identity) = event { [old, identity] } else { nil }
        }
    }

    @Test func `a link is its peer's from the pairing on, whoever it was before`() throws {
        let (duet, address, link) = try met()
        #expect(try duet.players[1].host.store(bond(duet)) == true)
        duet.players[1].host.learnedIdentity(duet.a.address, on: link, at: duet.now)
        duet.run(for: .seconds(1))
        #expect(learned(duet) == [[address, duet.a.address]])
        let handle = try #require(duet.b.host.links.handle(of: link))
        let state = try #require(duet.b.host.links[handle])
        #expect(state.peer == duet.a.address && state.identity == duet.a.address && state.isBonded)
        #expect(state.information.peer == duet.a.address)
        #expect(state.addresses.peer == address, "the pairing was made with this one")
        #expect(Array(duet.b.host.connected.keys) == [duet.a.address])
        // A client that has not heard of the identity yet still knows the device by its former address.
        duet.players[1].host.disconnect(address, for: Duet.client, at: duet.now)
        #expect(duet.run(for: .seconds(5)) { !duet.b.host.hasLinks })
        let ends = duet.b.events.compactMap { if case .disconnected(_, let peer, _, _) = $0 { peer } else { nil } }
        #expect(ends == [duet.a.address])
        #expect(duet.violations == [])
    }

    @Test func `the peer is found again under its identity when its address has changed`() throws {
        let (duet, address, link) = try met()
        let bond = try bond(duet)
        duet.players[0].host.provide(
            bonds: [try #require(Bond(identity: duet.b.address, keys: .secureConnections(Sample.key(1))))])
        #expect(duet.players[1].host.store(bond) == true)
        duet.players[1].host.learnedIdentity(duet.a.address, on: link, at: duet.now)
        duet.players[1].host.disconnect(duet.a.address, for: Duet.client, at: duet.now)
        duet.run(for: .seconds(1000))
        #expect(duet.a.host.privacy.address != address)
        duet.forget()
        duet.connect()
        #expect(duet.run(for: .seconds(20)) { duet.link(of: 1) != nil })
        #expect(Array(duet.b.host.connected.keys) == [duet.a.address])
    }

    @Test func `an identity that is only claimed is nobody's`() throws {
        let (duet, address, link) = try met()
        duet.players[1].host.learnedIdentity(duet.a.address, on: link, at: duet.now)
        duet.players[1].host.learnedIdentity(duet.a.address, on: LinkID(rawValue: 99), at: duet.now)
        duet.run(for: .seconds(1))
        #expect(learned(duet).isEmpty && Array(duet.b.host.connected.keys) == [address])
    }

    @Test func `a peer that was known by its identity stays as it is`() throws {
        let duet = Duet(ControllerSettings(), ControllerSettings())
        let links = try duet.connected()
        #expect(try duet.players[1].host.store(bond(duet)) == true)
        duet.players[1].host.learnedIdentity(duet.a.address, on: links.b, at: duet.now)
        duet.run(for: .seconds(1))
        #expect(learned(duet).isEmpty)
        let handle = try #require(duet.b.host.links.handle(of: links.b))
        #expect(duet.b.host.links[handle]?.isBonded == true)
    }

    @Test func `former addresses are remembered up to a bound`() throws {
        let (duet, _, link) = try met()
        for number: UInt64 in 1...40 {
            let bond = try #require(Sample.bond(number))
            #expect(duet.players[1].host.store(bond) == true)
            duet.players[1].host.learnedIdentity(bond.identity, on: link, at: duet.now)
        }
        #expect(duet.b.host.wishes.renamed.count == ConnectionWishes.renamedLimit)
    }

    @Test func `a bond that is removed takes the peer's former addresses along`() throws {
        let (duet, address, link) = try met()
        let bond = try #require(Sample.bond(1))
        #expect(duet.players[1].host.store(bond) == true)
        duet.players[1].host.learnedIdentity(bond.identity, on: link, at: duet.now)
        #expect(duet.b.host.wishes.currentName(of: address) == bond.identity)
        duet.players[1].host.removeBond(with: bond.identity)
        #expect(duet.b.host.wishes.currentName(of: address) == address)
    }

    // MARK: Identifiers

    private func temporary() -> String { NSTemporaryDirectory() + "/identity-" + UUID().uuidString }

    private let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
    private static let first = DeviceAddress.resolvable(key, random: 1)
    private static let second = DeviceAddress.resolvable(key, random: 2)
    private static let identity = Sample.identity(1)

    @Test func `the identifier of a private address goes on to the identity, and is kept`() {
        let path = temporary()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let directory = PeerDirectory(directory: path, logger: logger)
        let identifier = directory.identifier(for: Self.first)
        directory.learn(Self.identity, behind: Self.first)
        #expect(directory.identifier(for: Self.identity) == identifier)
        #expect(directory.address(for: identifier) == Self.identity)
        #expect(directory.identifier(for: Self.first) != identifier, "it is somebody else's from now on")
        directory.finishSaving()
        let later = PeerDirectory(directory: path, logger: logger)
        #expect(later.identifier(for: Self.identity) == identifier && later.address(for: identifier) == Self.identity)
    }

    @Test func `an identity that was known keeps its identifier, and the other one leads to it`() {
        let path = temporary()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let directory = PeerDirectory(directory: path, logger: logger)
        let known = directory.identifier(for: Self.identity)
        let (former, latest) = (directory.identifier(for: Self.first), directory.identifier(for: Self.second))
        directory.learn(Self.identity, behind: Self.first)
        #expect(directory.identifier(for: Self.identity) == known && directory.address(for: former) == Self.identity)
        directory.learn(Self.identity, behind: Self.second)
        #expect(directory.identifier(for: Self.identity) == known && directory.address(for: latest) == Self.identity)
        #expect(directory.address(for: former) == nil, "one former identifier a device")
        directory.finishSaving()
        let later = PeerDirectory(directory: path, logger: logger)
        #expect(later.address(for: known) == Self.identity && later.address(for: latest) == nil)
    }

    @Test func `an identity that nobody knew by another address is kept`() {
        let path = temporary()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let directory = PeerDirectory(directory: path, logger: logger)
        directory.learn(Self.identity, behind: Self.first)
        directory.learn(Self.identity, behind: Self.identity)
        let identifier = directory.identifier(for: Self.identity)
        directory.finishSaving()
        #expect(PeerDirectory(directory: path, logger: logger).address(for: identifier) == Self.identity)
    }

    @Test func `private addresses are not kept on disk, not even those of peers that were connected`() {
        let path = temporary()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let directory = PeerDirectory(directory: path, logger: logger)
        directory.keep(Self.first)
        directory.keep(Self.identity)
        let identifiers = (directory.identifier(for: Self.first), directory.identifier(for: Self.identity))
        #expect(directory.address(for: identifiers.0) == Self.first, "for this run it is")
        directory.finishSaving()
        let later = PeerDirectory(directory: path, logger: logger)
        #expect(later.address(for: identifiers.0) == nil && later.address(for: identifiers.1) == Self.identity)
    }

    @Test func `addresses that change do not push devices out`() {
        let directory = PeerDirectory(directory: nil, logger: logger)
        let device = directory.identifier(for: Self.identity)
        let held = directory.identifier(for: Self.first)
        directory.keep(Self.first)
        for number: UInt64 in 0..<10_000 {
            _ = directory.identifier(for: DeviceAddress(kind: .random, value: 0x4000_0000_0000 | number << 8))
            _ = directory.identifier(for: DeviceAddress(kind: .random, value: number << 8))
        }
        #expect(directory.address(for: device) == Self.identity)
        #expect(directory.address(for: held) == Self.first, "it was connected to")
    }
}
