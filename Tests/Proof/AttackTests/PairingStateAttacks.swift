// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import HCI
import SMP
import Testing
import TestSupport

@testable import HostBench

/// Commands out of place in a pairing: rows 90, 91, 93 to 96, and 107.
struct PairingStateAttacks {
    /// Steps that differ from each other; the rounds of a passkey are alike.
    private static let steps = 9
    private static let plays: [PairingPlay] = [.justWorks, .comparison, .passkeyEntered, .legacyJustWorks]

    // MARK: Encryption too early

    private func encryptsEarly(_ scene: AttackBench, _ plays: [PairingPlay]) throws {
        let bench = scene.bench
        let keys: [(numbers: [UInt8], key: SecretKey)] = [
            (Bench.noNumbers, .zero), ([1] + Bench.noNumbers.dropFirst(), .zero), (Bench.legacyNumbers, Bench.key),
        ]
        for play in plays {
            for (index, attempt) in keys.enumerated() {
                try scene.atEachStep(of: play, upTo: Self.steps) { tester, step, held in
                    // After the encryption the link has its key, and keys of later steps have no place here.
                    guard !(bench.host.security(of: try bench.link)?.isEncrypted ?? false) else {
                        try scene.endsPairing()
                        return
                    }
                    let isTime = held.isEmpty && index == 0
                    bench.events = []
                    try bench.peer.order(
                        .leEnableEncryption, little(try bench.peer.link) + attempt.numbers + attempt.key.littleEndian)
                    bench.run(for: .seconds(2))
                    let status = bench.peer.takeEvent { $0[0] == 0x08 ? $0[2] : nil }
                    // At the right moment our host has a key, which the attacker does not know: the link ends.
                    try require(
                        isTime ? status != 0 : status == 0x06, "its controller says \(String(describing: status))")
                    let security = bench.links.last.flatMap { bench.host.security(of: $0) }
                    try require(security?.isEncrypted != true, "the link is \(String(describing: security))")
                    // Before the first command there is no pairing that could fail.
                    if step > 0 {
                        let hasFailed = bench.events.contains {
                            if case .pairing(_, _, _, .failed) = $0 { true } else { false }
                        }
                        try require(hasFailed, "the pairing goes on: \(bench.events)")
                    }
                    try scene.endsPairing()
                }
            }
        }
    }

    @Test func `row 90: CVE-2020-13593, encryption before the DHKey check`() throws {
        try attack(90, "CVE-2020-13593", by: [.central]) { scene in
            try encryptsEarly(scene, [.justWorks, .comparison, .passkeyShown])
        }
    }

    @Test func `row 91: CVE-2019-19194, encryption in the middle of pairing`() throws {
        try attack(91, "CVE-2019-19194", by: [.central]) { scene in
            try encryptsEarly(scene, [.passkeyEntered, .legacyJustWorks, .legacyPasskeyShown, .legacyPasskeyEntered])
        }
    }

    // MARK: Commands

    /// Octets of each command's parameters. Core 5.4, Vol 3, Part H, 3.3.
    private static let lengths: [UInt8: Int] = [
        0x01: 6, 0x02: 6, 0x03: 16, 0x04: 16, 0x06: 16, 0x07: 10, 0x08: 16, 0x09: 7, 0x0A: 16, 0x0B: 1, 0x0C: 64,
        0x0D: 16, 0x0E: 1,
    ]

    private func command(_ code: UInt8, _ generator: inout SeededGenerator) -> [UInt8] {
        var parameters = (0..<(Self.lengths[code] ?? 3)).map { _ in UInt8.random(in: 0...255, using: &generator) }
        // An invalid kind of address. With a valid kind, or without an identity, the peer would have paired.
        if code == 0x09 { parameters[0] = 0x55 }
        if code == 0x0B { parameters[0] = 0x09 }
        return [code] + parameters
    }

    /// Our host accepts the command in place of `held`, or ignores it. Every other command ends the pairing.
    private func serves(_ code: UInt8, _ held: [UInt8], _ play: PairingPlay, _ side: AttackBench.Side) -> Bool {
        switch code {
        case held.first, SMTester.Code.failed: true
        // A Peripheral may ask for security at any time, and a person types while the passkey is agreed on.
        case SMTester.Code.securityRequest: side == .peripheral
        case 0x0E: play == .passkeyEntered
        // The first key may overtake the event of encryption where our host has begun the encryption. Our host uses the key only after the
        // event.
        case 0x06 where held.isEmpty && side == .peripheral: play.isLegacy
        case 0x08 where held.isEmpty && side == .peripheral: !play.isLegacy
        default: Self.lengths[code] == nil
        }
    }

    @Test func `row 93: CVE-2019-17520, every command in every state`() throws {
        var generator = SeededGenerator(seed: 93)
        try attack(93, "CVE-2019-17520") { scene in
            let codes = ([0x00, 0x0F, 0xFF] as [UInt8]) + Self.lengths.keys.sorted()
            for play in Self.plays {
                for code in codes {
                    try scene.atEachStep(of: play, upTo: Self.steps) { _, _, held in
                        let ran = scene.isPairing
                        try scene.bench.send(security: command(code, &generator))
                        let failure = try scene.endsPairing()
                        // The attacker gives up where our host has not refused.
                        if ran, !serves(code, held, play, scene.side) {
                            try require(failure?.isRefusal == true, "\(code): \(String(describing: failure))")
                        }
                    }
                }
                try scene.thrives()
            }
            try floods(scene, &generator)
        }
    }

    /// Commands of any kind, length and order, in any state.
    private func floods(_ scene: AttackBench, _ generator: inout SeededGenerator) throws {
        for play in PairingPlay.allCases {
            for _ in 0..<12 {
                let tester = try scene.attackerPairs(play)
                let step = Int.random(in: 0..<Self.steps, using: &generator)
                guard try tester.pairs(until: step) else {
                    try scene.forgetsAttacker()
                    continue
                }
                for _ in 0..<40 where scene.isLinked {
                    var pdu = command(UInt8.random(in: 0...0x10, using: &generator), &generator)
                    switch Int.random(in: 0..<4, using: &generator) {
                    case 0: pdu = Array(pdu.prefix(Int.random(in: 0...pdu.count, using: &generator)))
                    case 1: pdu += [UInt8](repeating: 7, count: Int.random(in: 0...80, using: &generator))
                    default: break
                    }
                    try scene.bench.send(security: pdu)
                    scene.bench.run(for: .milliseconds(50))
                }
                try scene.endsPairing()
            }
            try scene.thrives()
        }
    }

    @Test func `row 94: CVE-2025-44531, a random number before the public key`() throws {
        try attack(94, "CVE-2025-44531") { scene in
            for play in [PairingPlay.justWorks, .comparison, .passkeyShown, .passkeyEntered] {
                for code in [SMTester.Code.random, SMTester.Code.confirm, SMTester.Code.check] {
                    let tester = try scene.attackerPairs(play)
                    try tester.exchangeFeatures()
                    if scene.side == .peripheral { try tester.takePublicKey() }
                    try tester.send(code, scene.bench.randomOctets(16))
                    try scene.refuses(tester, .unspecifiedReason)
                }
            }
        }
    }

    @Test func `row 95: CVE-2022-2993, keys that are too short, too long or nothing`() throws {
        try attack(95, "CVE-2022-2993") { scene in
            for play in [PairingPlay.justWorks, .legacyJustWorks] {
                for code in [0x06, 0x07, 0x08, 0x09] as [UInt8] where play.isLegacy || code > 0x07 {
                    let length = Self.lengths[code] ?? 0
                    for count in [0, 1, length - 1, length + 1, 64, 250] {
                        try distributes(scene, play) { command in
                            command[0] == code ? [code] + [UInt8](repeating: 3, count: count) : nil
                        }
                    }
                }
                // A well-known key, and invalid identities.
                let identities: [[UInt8]] = [
                    [2] + address48(RawPeer.publicAddress), [1, 1, 2, 3, 4, 5, 0x06], [1, 1, 2, 3, 4, 5, 0x46],
                    [0xFF, 1, 2, 3, 4, 5, 0xC6],
                ]
                for identity in identities { try distributes(scene, play) { $0[0] == 0x09 ? [9] + identity : nil } }
                if play.isLegacy {
                    try distributes(scene, play) { $0[0] == 0x06 ? [6] + [UInt8](repeating: 0, count: 16) : nil }
                }
            }
        }
    }

    /// A pairing with one wrong command among its keys fails, and its link ends.
    private func distributes(_ scene: AttackBench, _ play: PairingPlay, _ wrong: @escaping ([UInt8]) -> [UInt8]?) throws
    {
        let tester = try scene.attackerPairs(play)
        var wasWrong = false
        tester.alters = { command in
            guard let other = wrong(command) else { return command }
            wasWrong = true
            return other
        }
        try tester.exchangeFeatures()
        try tester.makeKey()
        try tester.encrypt()
        // Our host may end the link before the attacker has said everything.
        _ = Result { try tester.distribute() }
        try require(wasWrong, "\(play): the command was not sent")
        let isOver = scene.bench.run(for: .seconds(5)) { !scene.isLinked }
        try require(isOver, "\(play): the link goes on under a key of nothing")
        try scene.endsPairing()
    }

    // MARK: Unrequested encryption

    @Test func `row 96: CVE-2024-5754, encryption is told that nobody has asked for`() throws {
        try attack(96, "CVE-2024-5754") { scene in
            let bench = scene.bench
            scene.controllerIsTrue = false
            for play in Self.plays {
                for (code, tail) in [(0x08, [1]), (0x08, [2]), (0x30, []), (0x59, [1, 16])] as [(UInt8, [UInt8])] {
                    try scene.atEachStep(of: play, upTo: Self.steps) { _, step, held in
                        // The controller may report the encryption which our host has requested as the Central.
                        if held.isEmpty, scene.side == .peripheral { return try endsPairing(scene) }
                        let wasEncrypted = bench.host.security(of: try bench.link)?.isEncrypted == true
                        bench.events = []
                        scene.tell(code, [0] + little(try scene.hostHandle()) + tail)
                        bench.run(for: .seconds(2))
                        let security = bench.links.last.flatMap { bench.host.security(of: $0) }
                        try require(security?.isEncrypted != true, "the link is \(String(describing: security))")
                        let wasTold = bench.events.contains {
                            if case .encryptionChanged = $0 { true } else { false }
                        }
                        try require(!wasTold, "encryption is told: \(bench.events)")
                        if !wasEncrypted, code == 0x08 || code == 0x59 || step > 0 {
                            try require(!scene.isLinked, "the link goes on: \(bench.events)")
                        }
                        try endsPairing(scene)
                    }
                }
                // A failure of an unrequested encryption changes nothing.
                let tester = try scene.attackerPairs(play)
                _ = try tester.pairs(until: 1)
                scene.tell(0x08, [0x06] + little(try scene.hostHandle()) + [0])
                bench.run(for: .milliseconds(300))
                try require(scene.isLinked, "the link has ended")
                try endsPairing(scene)
            }
            try keepsKeySize(scene)
        }
    }

    private func endsPairing(_ scene: AttackBench) throws {
        try scene.endsPairing()
        if !scene.isLinked { try scene.enter() }
    }

    /// The key in use is shorter than the bond's: the controller has the last word.
    private func keepsKeySize(_ scene: AttackBench) throws {
        guard scene.side == .peripheral else { return }
        let bench = scene.bench
        bench.host.policy = SecurityPolicy(encryptsAtConnection: false)
        let bond = try scene.storeBond()
        try scene.reenter()
        try require(bench.host.encrypt(try bench.link, at: bench.now) == .started, "encryption does not start")
        try bench.keyIsWanted()
        scene.tell(0x59, [0] + little(try scene.hostHandle()) + [1, 7])
        let isOver = bench.run(for: .seconds(5)) { !scene.isLinked }
        try require(isOver, "the link goes on with a key of 7 octets")
        try scene.keeps(bond)
        scene.forgetBond(with: bond.identity)
        scene.startsAnew()
        try scene.enter()
    }

    // MARK: Silence

    @Test func `row 107: SMP timeout, pairing stops half way and goes on later`() throws {
        try attack(107, "SMP timeout") { scene in
            let bench = scene.bench
            for play in PairingPlay.allCases {
                try scene.atEachStep(of: play, upTo: Self.steps) { tester, step, held in
                    guard step > 0 || scene.side == .peripheral else { return }
                    let hasKey = bench.host.security(of: try bench.link)?.isEncrypted == true
                    try bench.expectsNothing(for: .seconds(20))
                    bench.run(for: .seconds(15))
                    let hasFailed = bench.events.contains {
                        if case .pairing(_, _, _, .failed) = $0 { true } else { false }
                    }
                    try require(hasFailed, "the pairing has not failed: \(bench.events)")
                    // The link layer waits for no key: there the link ends.
                    if hasKey || held.isEmpty && scene.side == .peripheral {
                        let isOver = bench.run(for: .seconds(20)) { !scene.isLinked }
                        try require(isOver, "a link whose key is not agreed on goes on")
                    }
                    if scene.isLinked {
                        if held.isEmpty {
                            let status = try bench.encrypts(with: tester.key)
                            try require(status == 0x06, "the key serves still")
                        } else {
                            try bench.send(security: held)
                        }
                        try bench.send(security: "01 03 00 09 10 00 00")
                        try bench.send(security: "0B 09")
                        try bench.expectsNothing(for: .seconds(2))
                        try require(!scene.isPairing, "our host pairs on this link")
                    }
                    try scene.isUnpaired()
                    scene.startsAnew()
                    if scene.isLinked { try scene.leave() }
                    try scene.enter()
                }
            }
        }
    }
}

extension Bench {
    func send(security octets: [UInt8]) throws { try peer.send(octets, on: Self.securityManager) }
}
