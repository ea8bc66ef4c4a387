// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import SMP
import Testing

@testable import BluetoothHost
@testable import HostBench

/// Attempts to take, replace and lose bonds: rows 97 to 100, and 104.
struct PairingBondAttacks {
    // MARK: A foreign identity

    /// Pairs, and claims `identity`, whose private addresses come from `identityKey`.
    private func claims(
        _ identity: DeviceAddress, _ identityKey: SecretKey, _ scene: AttackBench, _ play: PairingPlay
    ) throws -> SMTester {
        let tester = try scene.attackerPairs(play.features)
        tester.ownIdentityKey = identityKey
        tester.alters = { $0[0] == 0x09 ? [0x09, identity.kind.rawValue] + address48(identity) : $0 }
        try tester.exchangeFeatures()
        try tester.makeKey()
        try tester.encrypt()
        _ = Result { try tester.distribute() }
        scene.bench.run(for: .seconds(2))
        return tester
    }

    private struct Collision {
        let play: PairingPlay
        var replacement = SecurityPolicy.Replacement.unlessWeaker
        var keys = LongTermKeys.secureConnections(Bench.key)
        var isAuthenticated = false
    }

    private static let collisions = [
        Collision(play: .justWorks, replacement: .never), Collision(play: .passkeyShown, replacement: .never),
        Collision(play: .justWorks, isAuthenticated: true), Collision(play: .legacyJustWorks),
        Collision(play: .legacyPasskeyShown, isAuthenticated: true),
        Collision(play: .legacyPasskeyShown),
        Collision(play: .justWorks, keys: Bench.legacyKeys, isAuthenticated: true),
        Collision(play: .passkeyShown, isAuthenticated: true),
        Collision(play: .passkeyShown),
    ]

    @Test func `row 97: CVE-2021-3436, the identity of another bond is given`() throws {
        try attack(97, "CVE-2021-3436") { scene in
            let bench = scene.bench
            for collision in Self.collisions {
                if !scene.isLinked { try scene.enter() }
                let bond = try scene.storeBond(
                    with: AttackBench.absent, collision.keys, isAuthenticated: collision.isAuthenticated,
                    identityKey: Bench.secret(0x44))
                bench.host.policy = collision.play.policy
                bench.host.policy.replacement = collision.replacement
                _ = try claims(AttackBench.absent, Bench.testerIdentityKey, scene, collision.play)
                try scene.keeps(bond)
                try require(!scene.isLinked, "\(collision): the link goes on")
                try require(bench.host.bond(for: RawPeer.publicAddress) == nil, "\(collision): there is another bond")
                try scene.leave()
                scene.forgetBond(with: AttackBench.absent)
                scene.startsAnew()
            }
            // The identity key alone, under another address: our host would take the victim's private addresses for the attacker's.
            try scene.enter()
            bench.host.policy = PairingPlay.passkeyShown.policy
            bench.host.policy.replacement = .unlessWeaker
            let bond = try scene.storeBond(with: AttackBench.absent, identityKey: Bench.secret(0x44))
            _ = try claims(RawPeer.publicAddress, Bench.secret(0x44), scene, .passkeyShown)
            try scene.keeps(bond)
            let own = bench.host.bond(for: RawPeer.publicAddress)
            try require(own != nil && own?.identityKey == nil, "two peers have one key: \(String(describing: own))")
            try scene.leave()
            scene.forgetBond(with: RawPeer.publicAddress)
            scene.forgetBond(with: AttackBench.absent)
            scene.startsAnew()
            try scene.enter()
        }
    }

    // MARK: A bonded peer's place

    @Test func `row 98: CVE-2025-62235, an impostor without the key asks for security`() throws {
        try attack(98, "CVE-2025-62235") { scene in
            let bench = scene.bench
            for authReq in [0x00, 0x01, 0x09, 0x0D, 0xFF] as [UInt8] {
                for isOpen in [false, true] {
                    let closed = SecurityPolicy(encryptsAtConnection: false)
                    bench.host.policy = isOpen ? PairingPlay.justWorks.policy : closed
                    let bond = try scene.storeBond(isAuthenticated: true)
                    try scene.reenter()
                    if scene.side == .peripheral {
                        try bench.send(security: [0x0B, authReq])
                        try bench.keyIsWanted()
                        try bench.hasNoKey()
                        try bench.toldEncryptionFailed(.pinOrKeyMissing)
                        let isOver = bench.run(for: .seconds(5)) { !scene.isLinked }
                        try require(isOver, "the link goes on without a key")
                        try bench.didNotPair()
                    } else {
                        try bench.send(security: [0x01, 0x03, 0x00, authReq & 0x0D, 0x10, 0x02, 0x02])
                        try bench.expects(security: "05 05")
                        // Our host gives its key to its controller; the attacker's key differs.
                        let order = Bench.noNumbers + Bench.secret(0x66).littleEndian
                        try bench.peer.order(.leEnableEncryption, little(try bench.peer.link) + order)
                        let isOver = bench.run(for: .seconds(5)) { !scene.isLinked }
                        try require(isOver, "the link goes on with another key")
                    }
                    try scene.keeps(bond)
                    let began = bench.events.contains { event in
                        guard case .pairing(_, _, _, let step) = event else { return false }
                        // Our host reports a refusal, so that the log has it.
                        if case .refused = step { return false }
                        return true
                    }
                    try require(!began, "our host pairs: \(bench.events)")
                    try scene.leave()
                    scene.forgetBond(with: bond.identity)
                    scene.startsAnew()
                    try scene.enter()
                }
            }
        }
    }

    private enum End: CaseIterable {
        case refusal
        case nonsense
        case loss
        case silence
    }

    /// A pairing with a bonded peer fails at each of its steps; the bond is unchanged, and still works.
    private func failsAtEachStep(_ scene: AttackBench, _ plays: [PairingPlay], _ ends: [End]) throws {
        let bench = scene.bench
        for play in plays {
            for end in ends {
                for step in 0..<10 {
                    let bond = try scene.storeBond()
                    bench.host.policy = play.policy
                    bench.host.policy.replacement = .unlessWeaker
                    try scene.reenter()
                    let tester = try scene.attackerPairs(play.features)
                    guard try tester.pairs(until: step) else { break }
                    switch end {
                    case .refusal: try bench.send(security: "05 08")
                    case .nonsense: try bench.send(security: "01 02 03")
                    case .loss: try scene.leave()
                    case .silence: bench.run(for: .seconds(35))
                    }
                    bench.run(for: .seconds(1))
                    try scene.keeps(bond)
                    try scene.leave()
                    try scene.enter()
                    // The old key still does, and no other.
                    if scene.side == .central {
                        let status = try bench.encrypts()
                        try require(status == 0, "\(play), step \(step), \(end): the old key does not do: \(status)")
                    } else {
                        try require(bench.host.encrypt(try bench.link, at: bench.now) == .started, "no encryption")
                        try bench.keyIsWanted()
                        try bench.givesKey()
                        _ = try bench.toldEncrypted()
                    }
                    try scene.leave()
                    scene.startsAnew()
                    try scene.enter()
                }
                try scene.leave()
                scene.forgetBond(with: RawPeer.publicAddress)
                scene.startsAnew()
                try scene.enter()
            }
        }
    }

    @Test func `row 99: NimBLE 2206, a second pairing fails`() throws {
        try attack(99, "NimBLE 2206") { scene in
            try failsAtEachStep(scene, [.justWorks, .passkeyEntered], [.refusal, .nonsense])
        }
    }

    @Test func `row 100: Zephyr 24086, a pairing with a bonded peer ends half way`() throws {
        try attack(100, "Zephyr 24086") { scene in
            try failsAtEachStep(scene, [.comparison], End.allCases)
            // With the defaults no pairing begins, so none can fail.
            let bond = try scene.storeBond()
            scene.bench.host.policy = PairingPlay.justWorks.policy
            try scene.reenter()
            if scene.side == .central {
                try scene.bench.send(security: "01 03 00 09 10 02 02")
                try scene.bench.expects(security: "05 05")
            } else {
                let start = scene.bench.host.pair(try scene.bench.link, at: scene.bench.now)
                try require(start == .isBonded, "our host pairs: \(start)")
            }
            try scene.keeps(bond)
            try scene.forgetsAttacker()
        }
    }

    // MARK: Keys of something else

    @Test func `row 104: CVE-2020-15802, keys are derived for the other transport`() throws {
        try attack(104, "CVE-2020-15802, CVE-2022-20361 (BLUR)") { scene in
            let bench = scene.bench
            for play in [PairingPlay.justWorks, .legacyJustWorks] {
                let tester = try scene.attackerPairs(play) {
                    $0.authReq |= SMFeatures.crossTransport
                    $0.initiatorKeys |= SMFeatures.linkKey
                    if scene.side == .central { $0.responderKeys |= SMFeatures.linkKey }
                }
                // The tester reads our host's flags: neither CT2 nor the link key's bit.
                try tester.pair()
                let bond = try bench.isPaired(tester)
                if !play.isLegacy { try require(bond.keys == .secureConnections(tester.key), "another key: \(bond)") }
                try scene.forgetsAttacker()
            }
            if scene.side == .peripheral {
                let tester = try scene.attackerPairs(.justWorks)
                try tester.takeRequest()
                try tester.send(hex("02 03 00 29 10 08 08"))
                try scene.refuses(tester, .invalidParameters)
            }
            // The controller asks for link keys, and gives some. Our host keeps none, and says nothing.
            let count = bench.commands.count
            let address = address48(RawPeer.publicAddress)
            scene.tell(0x17, address)
            scene.tell(0x18, address + counting(16) + [4])
            scene.tell(0x16, address)
            scene.tell(0x31, address)
            scene.tell(0x33, address + counting(4))
            bench.run(for: .milliseconds(500))
            let known: Set<UInt16> = [0x040B, 0x040C, 0x040D, 0x040E, 0x042B, 0x042C, 0x042D, 0x0434]
            let answers = bench.commands[count...].filter { known.contains(UInt16($0[0]) | UInt16($0[1]) << 8) }
            try require(answers.isEmpty, "our host answers: \(answers.map(text))")
            try require(bench.host.takeBondChanges().isEmpty, "our host has bonds to store")
        }
    }
}
