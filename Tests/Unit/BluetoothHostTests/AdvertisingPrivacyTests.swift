// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import SMP
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// Private addresses while we advertise for bonded phones, and at no other time.
struct AdvertisingPrivacyTests {
    static let controllers = [
        ControllerSettings(), ControllerSettings(extendedAdvertising: true),
        ControllerSettings(extendedAdvertising: true, resolvingListSize: 4),
    ]
    private static let ownKey = Sample.key(0x21)
    private static let phone = Sample.identity(9)

    /// `a` advertises, with privacy for bonded phones; `b` looks on.
    private func make(_ index: Int, hasRandomness: Bool = true, hasPublicAddresses: Bool = true) -> Duet {
        let duet = Duet(Self.controllers[index], ControllerSettings(), hasPublicAddresses: hasPublicAddresses)
        duet.players[0].host.setPrivacy(.resolvable, .advertising, identityKey: Self.ownKey, at: duet.now)
        if hasRandomness { provideRandomness(duet) }
        duet.scan()
        return duet
    }

    private func bondPhone(_ duet: Duet, identityKey: SecretKey? = Sample.key(0x22)) throws {
        let bond = try #require(
            Bond(identity: Self.phone, keys: .secureConnections(Sample.key(1)), identityKey: identityKey))
        #expect(duet.players[0].host.store(bond) == true)
    }

    /// Enough for eight addresses.
    private func provideRandomness(_ duet: Duet) {
        duet.players[0].host.provide(randomness: (1...64).map { UInt8($0) }, at: duet.now)
    }

    /// Lets time pass. Returns the addresses of `a` that `b` has heard.
    private func addresses(_ duet: Duet, in time: Duration) -> Set<DeviceAddress> {
        duet.players[1].advertisements = []
        duet.run(for: time)
        return Set(duet.b.advertisements.map(\.advertisement.address))
    }

    @Test(arguments: controllers.indices)
    func `we advertise under a private address as long as there is a bonded phone, and for ten seconds more`(
        index: Int
    ) throws {
        let duet = make(index)
        duet.advertise()
        #expect(addresses(duet, in: .seconds(5)) == [duet.a.address], "nobody would recognise another one")
        try bondPhone(duet, identityKey: nil)
        #expect(addresses(duet, in: .seconds(5)) == [duet.a.address], "nor does a peer without a key")
        try bondPhone(duet)
        _ = addresses(duet, in: .seconds(1))
        let heard = addresses(duet, in: .seconds(5))
        #expect(heard.count == 1 && heard.allSatisfy { $0.isResolved(by: Self.ownKey) })
        duet.players[0].host.removeBond(with: Self.phone)
        duet.players[0].host.setScan(nil, for: Duet.client, at: duet.now)
        #expect(addresses(duet, in: .seconds(5)) == heard)
        duet.run(for: .seconds(900))
        #expect(addresses(duet, in: .seconds(5)) == [duet.a.address])
        #expect(duet.violations == [])
    }

    @Test(arguments: controllers.indices)
    func `the address changes every 15 minutes, and all advertisers share it`(index: Int) throws {
        let duet = make(index)
        try bondPhone(duet)
        duet.advertise()
        duet.advertise(for: Duet.other)
        let heard = addresses(duet, in: .seconds(3 * 900 - 30))
        #expect(heard.count == 3 && heard.allSatisfy { $0.isResolved(by: Self.ownKey) })
        #expect(duet.violations == [])
    }

    @Test(arguments: controllers.indices)
    func `scanning and connecting go on under the address of the controller`(index: Int) throws {
        let duet = make(index)
        try bondPhone(duet)
        duet.advertise()
        let peer = SecurityPeer(duet.air, number: 1, at: duet.now)
        _ = addresses(duet, in: .seconds(2))
        duet.players[0].host.connect(Sample.identity(1), for: Duet.client, at: duet.now)
        #expect(
            duet.run(for: .seconds(30)) {
                peer.turn(at: duet.now)
                return peer.centralAddress != nil
            })
        #expect(peer.centralAddress == duet.a.address)
        #expect(duet.a.host.links.values.first { $0.peer == Sample.identity(1) }?.addresses.local == duet.a.address)
        #expect(duet.violations == [])
    }

    @Test(arguments: [0x43_43A1_121F_AC, 0xAAAA_AAAA_AAAA] as [UInt64])
    func `an address that several chips have is as good as none`(unassigned: UInt64) {
        let duet = Duet()
        duet.add(ControllerSettings(), hasPublicAddress: false, unassigned: unassigned)
        duet.add(ControllerSettings())
        duet.scan()
        duet.advertise()
        let heard = addresses(duet, in: .seconds(2))
        #expect(duet.a.host.identityAddress == duet.a.address)
        #expect(heard == [duet.a.address])
        #expect(duet.violations == [])
    }

    @Test(arguments: controllers.indices, [false, true])
    func `without a public address the static one is used wherever that goes`(index: Int, advertises: Bool) throws {
        let duet = make(index, hasPublicAddresses: false)
        try bondPhone(duet)
        duet.advertise()
        _ = addresses(duet, in: .seconds(1))
        let heard = addresses(duet, in: .seconds(5))
        #expect(heard.count == 1 && heard.allSatisfy { $0.isResolved(by: Self.ownKey) })
        if !advertises { duet.players[0].host.setAdvertising(nil, for: Duet.client, at: duet.now) }
        duet.run(for: .seconds(1))
        let peer = SecurityPeer(duet.air, number: 1, at: duet.now)
        duet.players[0].host.connect(Sample.identity(1), for: Duet.client, at: duet.now)
        #expect(
            duet.run(for: .seconds(30)) {
                peer.turn(at: duet.now)
                return peer.centralAddress != nil
            })
        // Sets have addresses of their own; the legacy advertiser shares the controller's.
        let isShared = advertises && !Self.controllers[index].extendedAdvertising
        #expect(peer.centralAddress == (isShared ? heard.first : duet.a.address))
        duet.run(for: .seconds(1))
        #expect(
            duet.a.host.links.values.first { $0.peer == Sample.identity(1) }?.addresses.local == peer.centralAddress)
        #expect(duet.violations == [])
    }

    @Test(arguments: controllers.indices)
    func `without randomness nothing is advertised under the identity address`(index: Int) throws {
        let duet = make(index, hasRandomness: false)
        try bondPhone(duet)
        duet.advertise()
        duet.run(for: .seconds(5))
        #expect(duet.b.advertisements.isEmpty && duet.a.host.wantsRandomness)
        provideRandomness(duet)
        #expect(!addresses(duet, in: .seconds(5)).isEmpty)
    }

    @Test(arguments: controllers.indices)
    func `a phone that connects to the private address is on a link with that address`(index: Int) throws {
        let duet = make(index)
        try bondPhone(duet)
        duet.advertise()
        let heard = try #require(addresses(duet, in: .seconds(5)).first)
        duet.players[1].host.connect(heard, for: Duet.client, at: duet.now)
        #expect(duet.run(for: .seconds(10)) { duet.centralLink != nil && duet.link(of: 1) != nil })
        #expect(duet.a.host.links.values.first { _ in true }?.addresses.local == heard)
    }

    @Test(arguments: controllers.indices)
    func `a phone that has just found us connects although the last bond is gone meanwhile`(index: Int) throws {
        let duet = make(index)
        try bondPhone(duet)
        duet.advertise()
        _ = addresses(duet, in: .seconds(1))
        let heard = try #require(addresses(duet, in: .seconds(5)).first)
        duet.players[0].host.removeBond(with: Self.phone)
        // The host has carried out the removal, and then a new demand, before the phone connects.
        duet.run(for: .seconds(2))
        duet.advertise()
        duet.run(for: .seconds(2))
        duet.players[1].host.connect(heard, for: Duet.client, at: duet.now)
        #expect(duet.run(for: .seconds(60)) { duet.centralLink != nil && duet.link(of: 1) != nil })
        #expect(duet.violations == [])
    }

    // MARK: The machine

    private static let fallback = Sample.identity(0xFF)

    @Test func `with privacy for advertising alone, the address is private while it is needed`() throws {
        var machine = PrivacyMachine()
        machine.set(.resolvable, .advertising, identityKey: Self.ownKey)
        #expect(machine.mode == .off && machine.isWanted && machine.distributedKey == Self.ownKey)
        #expect(!machine.wantsAddressChange && !machine.wantsRandomness)
        machine.setNeed(.advertising, at: .zero)
        #expect(machine.mode == .off && !machine.wantsAddressChange)
        machine.setNeed(.recognition, at: .zero)
        #expect(machine.mode == .resolvable && machine.wantsAddressChange && machine.wantsRandomness)
        #expect(machine.ownAddressKind(hasPublicAddress: true) == .public)
        #expect(machine.ownAddressKind(hasPublicAddress: false) == .random)
        machine.provide(randomness: (1...16).map { UInt8($0) })
        let made = machine.makeAddress(fallback: Self.fallback, at: .zero)
        #expect(made?.isResolved(by: Self.ownKey) == true && machine.deadline == .zero + .seconds(900))
        machine.setNeed(.recognition, at: .zero)
        #expect(!machine.wantsAddressChange)
        machine.setNeed(.none, at: .zero)
        #expect(machine.mode == .off && machine.wantsAddressChange && machine.deadline == nil)
        #expect(machine.makeAddress(fallback: Self.fallback, at: .zero) == Self.fallback)
    }

    /// A machine with a private address since ``MonotonicTime/zero``, that no peer needs any more.
    private func makeKept() -> PrivacyMachine {
        var machine = PrivacyMachine()
        machine.set(.resolvable, .advertising, identityKey: Self.ownKey)
        machine.setNeed(.recognition, at: .zero)
        machine.provide(randomness: (1...16).map { UInt8($0) })
        _ = machine.makeAddress(fallback: Self.fallback, at: .zero)
        machine.setNeed(.advertising, at: .zero)
        return machine
    }

    @Test func `a private address that is not needed any more stays for ten seconds`() {
        var machine = makeKept()
        machine.advance(to: .zero + .seconds(9))
        #expect(machine.mode == .resolvable && !machine.wantsAddressChange)
        machine.advance(to: .zero + .seconds(10))
        #expect(machine.mode == .off && machine.wantsAddressChange)
        #expect(machine.makeAddress(fallback: Self.fallback, at: .zero + .seconds(10)) == Self.fallback)
        #expect(machine.deadline == nil)
    }

    @Test func `a kept address goes on with a new bond, and goes with the advertising, the key and the controller`() {
        var bonded = makeKept()
        bonded.setNeed(.recognition, at: .zero + .seconds(9))
        bonded.advance(to: .zero + .seconds(899))
        #expect(!bonded.wantsAddressChange)
        bonded.advance(to: .zero + .seconds(900))
        #expect(bonded.mode == .resolvable && bonded.wantsAddressChange)
        var silent = makeKept()
        silent.setNeed(.none, at: .zero)
        #expect(silent.mode == .off && silent.wantsAddressChange)
        var other = makeKept()
        other.set(.resolvable, .advertising, identityKey: Sample.key(0x23))
        #expect(other.mode == .off && other.wantsAddressChange)
        var restarted = makeKept()
        restarted.restart()
        #expect(restarted.mode == .off && !restarted.wantsAddressChange)
        // An address that was never made is not kept.
        var early = PrivacyMachine()
        early.set(.resolvable, .advertising, identityKey: Self.ownKey)
        early.setNeed(.recognition, at: .zero)
        early.setNeed(.advertising, at: .zero)
        #expect(early.mode == .off)
    }

    @Test func `with privacy for everything, it does not matter who needs it`() {
        var machine = PrivacyMachine()
        machine.set(.resolvable, identityKey: Self.ownKey)
        machine.provide(randomness: (1...16).map { UInt8($0) })
        _ = machine.makeAddress(fallback: Self.fallback, at: .zero)
        machine.setNeed(.recognition, at: .zero)
        machine.setNeed(.advertising, at: .zero)
        machine.advance(to: .zero + .seconds(10))
        machine.setNeed(.none, at: .zero)
        #expect(machine.mode == .resolvable && !machine.wantsAddressChange)
    }

    @Test func `addresses that nobody can resolve are not for peers to recognise us by`() {
        var machine = PrivacyMachine()
        #expect(machine.distributedKey == nil)
        machine.set(.nonResolvable, identityKey: Self.ownKey)
        #expect(machine.distributedKey == nil)
        machine.set(.resolvable, identityKey: .zero)
        #expect(machine.distributedKey == nil)
    }
}
