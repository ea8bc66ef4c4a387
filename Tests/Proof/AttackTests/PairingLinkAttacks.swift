// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import SMP
import Testing
import TestSupport

@testable import BluetoothHost
@testable import HostBench

/// Pairings on several links, from many addresses and with a stolen address: rows 105, 106 and 114.
struct PairingLinkAttacks {
    // MARK: Two links

    private static let honest = DeviceAddress(kind: .public, value: 0x02_00_00_00_00_CC)

    @Test func `row 105: TrouBLE d1b0315, two links pair at once and their commands are crossed`() throws {
        try attack(105, "TrouBLE d1b0315") { scene in
            let bench = scene.bench
            let other = bench.addPeer(Self.honest)
            // Three links at once need more room than two.
            bench.peer = other
            if scene.side == .central { try bench.accept() } else { try joins(other, bench) }
            try other.disconnect()
            bench.run(for: .seconds(2))
            try scene.leave()
            scene.remember()
            try scene.enter()
            for play in [PairingPlay.justWorks, .passkeyEntered] {
                for isCopied in [true, false] {
                    bench.host.policy = play.policy
                    bench.peer = other
                    if scene.side == .central { try bench.accept() } else { try joins(other, bench) }
                    let tester = SMTester(bench, isInitiator: scene.side == .central, play.features)
                    tester.ownAddress = Self.honest
                    tester.alters = { command in
                        bench.peer = scene.attacker
                        defer { bench.peer = other }
                        // The attacker's link carries the honest peer's command, or a command that would end the honest pairing.
                        let crossed = isCopied ? command : [SMTester.Code.failed, 0x08]
                        if scene.isLinked { try bench.send(security: crossed) }
                        bench.run(for: .milliseconds(100))
                        guard command[0] == 0x09 else { return command }
                        return [0x09, Self.honest.kind.rawValue] + address48(Self.honest)
                    }
                    if scene.side == .peripheral { try bench.pairs() }
                    try tester.exchangeFeatures()
                    try tester.makeKey()
                    if scene.side == .central, scene.isLinked {
                        // The finished key belongs to the other link.
                        bench.peer = scene.attacker
                        try bench.peer.order(
                            .leEnableEncryption,
                            little(try bench.peer.link) + Bench.noNumbers + tester.key.littleEndian)
                        bench.run(for: .seconds(1))
                        let status = bench.peer.takeEvent { $0[0] == 0x08 ? $0[2] : nil }
                        try require(status == 0x06, "the other link's key serves: \(String(describing: status))")
                        bench.peer = other
                    }
                    try tester.encrypt()
                    try tester.distribute()
                    let bond = try bench.toldPaired()
                    try require(bond.identity == Self.honest, "the bond is \(bond)")
                    try require(bond.keys == .secureConnections(tester.key), "the bond has another key")
                    let paired = bench.host.links.values.filter { $0.encryption.isEncrypted }.map(\.peer)
                    try require(paired == [Self.honest], "protected: \(paired)")
                    try other.disconnect()
                    bench.run(for: .seconds(2))
                    bench.peer = scene.attacker
                    scene.forgetBond(with: Self.honest)
                    try scene.leave()
                    try require(bench.host.takeBondChanges().isEmpty && bench.host.bonds.count == 0, "there is a bond")
                    scene.startsAnew()
                    other.forget()
                    try scene.enter()
                }
            }
        }
    }

    private func joins(_ other: RawPeer, _ bench: Bench) throws {
        try other.advertise()
        try bench.join(Self.honest)
        try bench.expects(att: "02 ?? ??")
        try bench.send(att: "03 17 00")
        try bench.wait(for: "the MTU") { if case .mtuExchanged = $0 { true } else { nil } }
    }

    // MARK: Without end

    @Test func `row 106: repeated pairing, without end and from ever new addresses`() throws {
        try attack(106, "repeated pairing") { scene in
            guard scene.side == .central else { return try asksWithoutEnd(scene) }
            try waitsLonger(scene)
            scene.startsAnew()
            try floods(scene)
            scene.startsAnew()
            try rotates(scene)
            scene.startsAnew()
        }
    }

    private static let request = hex("01 03 00 09 10 02 02")

    /// Fails once; false when our host refuses the attempt.
    private func tries(_ bench: Bench) throws -> Bool {
        try bench.send(security: Self.request)
        let answer = try bench.expects(security: "*")
        guard answer[0] == SMTester.Code.response else {
            try require(answer == [0x05, 0x09], "our host says \(text(answer))")
            return false
        }
        try bench.send(security: "05 08")
        bench.run(for: .milliseconds(50))
        return true
    }

    private func waitsLonger(_ scene: AttackBench) throws {
        let bench = scene.bench
        bench.host.policy = PairingPlay.justWorks.policy
        var waits: [Duration] = []
        for _ in 0..<15 {
            let begun = bench.now
            while try !tries(bench) {
                let wait = bench.host.pairing.wait(for: RawPeer.publicAddress, isOurs: false, at: bench.now)
                bench.run(for: wait ?? .zero)
            }
            waits.append(bench.now - begun)
        }
        try require(waits[..<3].allSatisfy { $0 < .seconds(1) }, "the first three wait: \(waits)")
        for (earlier, later) in zip(waits[3...], waits[4...]) {
            try require(later > earlier * 1.7 || later >= .seconds(899), "the waits do not grow: \(waits)")
        }
        try require(waits.allSatisfy { $0 <= .seconds(902) }, "the waits have no end: \(waits)")
        // A new link makes no new start.
        try scene.reenter()
        try require(try !tries(bench), "a new link is a new start")
        try scene.isUnpaired()
    }

    /// Ten thousand attempts of all kinds on one link leave no state behind.
    private func floods(_ scene: AttackBench) throws {
        let bench = scene.bench
        bench.host.policy = PairingPlay.justWorks.policy
        var generator = SeededGenerator(seed: 106)
        _ = try tries(bench)
        // The last long frame stays where frames are put together.
        try bench.send(security: [0x0C] + counting(64))
        bench.run(for: .seconds(1))
        let before = Footprint(of: bench.host)
        for number in 0..<10_000 {
            var pdu = Self.request
            if number % 3 == 0 {
                pdu[Int.random(in: 1...6, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            if number % 7 == 0 { pdu = Array(pdu.prefix(Int.random(in: 1...6, using: &generator))) }
            try bench.send(security: pdu)
            if number % 5 == 0 { try bench.send(security: [0x0C] + counting(64)) }
            try bench.send(security: "05 08")
            if number % 20 == 0 { bench.run(for: .milliseconds(100)) }
            if number % 500 == 0 { bench.run(for: .seconds(901)) }
            scene.attacker.forget()
            bench.events = []
            bench.questions = []
            bench.models = []
        }
        bench.run(for: .seconds(1))
        let growth = Footprint(of: bench.host).growth(since: before)
        try require(growth.isEmpty, "something has grown: \(growth)")
        try require(scene.isLinked, "the link has ended")
        try scene.isUnpaired()
        try scene.thrives()
    }

    /// Each attempt comes from another address, as with phones that change theirs.
    private func rotates(_ scene: AttackBench) throws {
        let bench = scene.bench
        bench.host.policy = PairingPlay.justWorks.policy
        try scene.leave()
        let begun = bench.now
        var attempts = 0
        for number in 0..<150 as Range<UInt64> {
            try scene.attacker.setRandomAddress(DeviceAddress(kind: .random, value: 0xC000_0000_1000 | number))
            bench.events = []
            try bench.accept(as: .random)
            if try tries(bench) { attempts += 1 }
            try scene.leave()
        }
        let limit = PairingAttempts.overallLimit
        let hours = (bench.now - begun) / .seconds(3600)
        try require(hours < 1, "it took \(hours) hours")
        try require((limit...(limit + 12)).contains(attempts), "\(attempts) attempts in less than an hour")
        let remembered = Footprint(of: bench.host).count(endingIn: ".attempts.peers")
        try require(remembered <= PairingAttempts.capacity, "\(remembered) addresses are remembered")
        // Our own pairing with another peer need not wait.
        let wait = bench.host.pairing.wait(for: RawPeer.publicAddress, isOurs: true, at: bench.now)
        try require(wait == nil, "our own pairings have to wait \(String(describing: wait))")
        try scene.isUnpaired()
        try scene.enter()
    }

    /// A Peripheral asks for security, and never accepts it.
    private func asksWithoutEnd(_ scene: AttackBench) throws {
        let bench = scene.bench
        bench.host.policy = PairingPlay.justWorks.policy
        var begun = 0
        for _ in 0..<200 {
            try bench.send(security: "0B 09")
            let answer = try bench.expects(security: "*")
            if answer[0] == SMTester.Code.request {
                begun += 1
                try bench.send(security: "05 08")
            } else {
                try require(answer == [0x05, 0x09], "our host says \(text(answer))")
            }
            bench.run(for: .milliseconds(100))
        }
        try require((3...10).contains(begun), "our host has begun \(begun) times")
        scene.startsAnew()
    }

    // MARK: A stolen address

    @Test func `row 114: replayed private address, of a bonded peer`() throws {
        try attack(114, "replayed private address") { scene in
            let bench = scene.bench
            let bond = try scene.storeBond(isAuthenticated: true, identityKey: Bench.testerIdentityKey)
            try scene.leave()
            for number in 1...4 as ClosedRange<UInt32> {
                let address = DeviceAddress.resolvable(Bench.testerIdentityKey, random: number)
                let isAwaited = number > 2
                try scene.attacker.setRandomAddress(address)
                bench.events = []
                if scene.side == .central {
                    bench.host.policy = SecurityPolicy()
                    // Our client may wait for the bonded peer: it gets neither this link nor the link's values.
                    if isAwaited { bench.host.connect(RawPeer.publicAddress, for: Bench.client, at: bench.now) }
                    bench.values = []
                    try bench.accept(as: .random)
                    if isAwaited { _ = try bench.takeSecurityRequest() }
                    for lie in AttackBench.lies { try bench.send(att: lie) }
                    bench.run(for: .milliseconds(300))
                    try scene.isNotTaken()
                    scene.attacker.forget()
                    for handle in [GuardedTable.sealed, GuardedTable.encrypted, GuardedTable.authenticated] {
                        try scene.asks([0x0A] + little(handle), refused: 0x0F, at: handle)
                    }
                    let authorized = GuardedTable.authorized
                    try scene.asks([0x0A] + little(authorized), refused: 0x08, at: authorized)
                    scene.offerSecrets()
                    try bench.expectsNothing(for: .milliseconds(300))
                    if !isAwaited {
                        try bench.send(security: Self.request)
                        try bench.expects(security: "05 05")
                    }
                    let order = Bench.noNumbers + SecretKey.zero.littleEndian
                    try bench.peer.order(.leEnableEncryption, little(try bench.peer.link) + order)
                } else {
                    bench.host.policy = SecurityPolicy()
                    try scene.attacker.advertise(from: .random)
                    bench.host.connect(RawPeer.publicAddress, for: Bench.client, at: bench.now)
                    let isLinked = bench.run(for: .seconds(20)) { scene.isLinked }
                    try require(isLinked, "our host does not connect")
                    for lie in AttackBench.lies { try bench.send(att: lie) }
                    try bench.keyIsWanted()
                    try bench.hasNoKey()
                }
                let isOver = bench.run(for: .seconds(30)) { !scene.isLinked }
                try require(isOver, "the link goes on")
                let isHonest = bench.values.allSatisfy { $0.octets.first == 0xB5 }
                try require(isHonest, "the client was told \(bench.values)")
                let wasTrusted = bench.events.contains { if case .encryptionChanged = $0 { true } else { false } }
                try require(!wasTrusted, "the impostor was trusted")
                try scene.keeps(bond)
                bench.host.disconnect(RawPeer.publicAddress, for: Bench.client, at: bench.now)
                bench.run(for: .seconds(2))
                scene.startsAnew()
            }
            scene.forgetBond(with: bond.identity)
            try scene.attacker.setRandomAddress(RawPeer.randomAddress)
            bench.host.policy = SecurityPolicy(encryptsAtConnection: false)
            try scene.enter()
        }
    }
}
