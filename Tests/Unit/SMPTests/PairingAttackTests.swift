// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP
import Testing

/// Attacks that have broken other hosts, by their public numbers.
struct PairingAttackTests {
    private static let prime = PairingSample.octets("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")

    private func refusal(_ reason: PairingFailedReason) -> [PairingMachine.Effect] {
        [.send([0x05, reason.rawValue]), .failed(.refused(reason))]
    }

    private func expectRefused(_ key: PairingPublicKey, _ comment: Comment) throws {
        for role in [LinkRole.central, .peripheral] {
            for scenario in [PairingScenario.justWorks, .numericComparison, .passkeyEntered, .outOfBand] {
                var machine = try scenario.machine(role, waitingFor: 0x0C)
                let effects = machine.received(SMPPDU.pairingPublicKey(key).octets[...], at: .zero)
                #expect(effects == refusal(.diffieHellmanKeyCheckFailed), comment)
            }
        }
    }

    @Test func `public keys off the curve are refused (CVE-2018-5383)`() throws {
        let key = PairingSample.keyPair("55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd").publicKey
        let zero = [UInt8](repeating: 0, count: 32)
        let ones = [UInt8](repeating: 0xFF, count: 32)
        let wrong: [(x: [UInt8], y: [UInt8], name: Comment)] = [
            (key.x, [UInt8](repeating: 0x42, count: 32), "y is another"), (key.x, zero, "y is zero"),
            (zero, zero, "the point at infinity"), (zero, key.y, "x is zero"), (Self.prime, key.y, "x is p"),
            (key.x, Self.prime, "y is p"), (ones, ones, "both are beyond p"), (key.y, key.x, "exchanged"),
            (key.x.reversed(), key.y.reversed(), "the other order of octets"),
        ]
        for (x, y, name) in wrong { try expectRefused(try #require(PairingPublicKey(x: x, y: y)), name) }
    }

    @Test func `our own public key is not the peer's (CVE-2020-26558), nor is its negative (CVE-2021-37577)`() throws {
        for pair in [PairingSample.initiatorPair, PairingSample.responderPair] {
            let role: LinkRole = pair.publicKey == PairingSample.initiatorPair.publicKey ? .central : .peripheral
            for y in [pair.publicKey.y, negative(pair.publicKey.y)] {
                let key = try #require(PairingPublicKey(x: pair.publicKey.x, y: y))
                #expect(PairingSample.debugPair.sharedSecret(with: key) != nil)
                var machine = try PairingScenario.passkeyEntered.machine(role, waitingFor: 0x0C)
                let effects = machine.received(SMPPDU.pairingPublicKey(key).octets[...], at: .zero)
                #expect(effects == refusal(.diffieHellmanKeyCheckFailed))
            }
        }
    }

    private func negative(_ y: [UInt8]) -> [UInt8] {
        var borrow = 0
        var result: [UInt8] = []
        for (prime, octet) in zip(Self.prime.reversed(), y.reversed()) {
            let difference = Int(prime) - Int(octet) - borrow
            borrow = difference < 0 ? 1 : 0
            result.append(UInt8(truncatingIfNeeded: difference))
        }
        return result.reversed()
    }

    @Test func `the key pair that everybody knows is refused, or kept by nobody where it is taken`() throws {
        let debug = PairingSample.debugPair.publicKey
        try expectRefused(debug, "debug key")
        try expectRefused(try #require(PairingPublicKey(x: debug.x, y: negative(debug.y))), "its negative")

        let machine = PairingMachine(
            role: .central, initiator: PairingSample.initiator, responder: PairingSample.responder,
            settings: PairingSample.settings(.central),
            secrets: PairingSample.secrets(PairingSample.debugPair, seed: 4))
        var loop = PairingLoop(
            initiator: machine, responder: PairingSample.machine(.peripheral) { $0.allowsDebugKey = true })
        loop.run()
        #expect(loop.result(.peripheral)?.isBonding == false)
    }

    @Test func `a confirm value sent back ends the pairing, with and without a passkey`() throws {
        // The initiator reveals its number first in legacy pairing, and in each round of Passkey Entry.
        for scenario in [PairingScenario.legacyJustWorks, .legacyPasskeyEntered, .passkeyEntered, .passkeyDisplayed] {
            var loop = scenario.loop
            var own: [UInt8] = []
            loop.alter = { _, sent in
                if sent.octets[0] == 0x03, sent.from == .central { own = sent.octets }
                return sent.octets[0] == 0x03 && sent.from == .peripheral ? own : sent.octets
            }
            loop.run()
            #expect(loop.failure(.central) == .refused(.confirmValueFailed))
            #expect(!loop.sent.contains { $0.from == .central && $0.octets[0] == 0x04 }, "no random number was said")
        }
    }

    @Test(arguments: [0, 1, 10, 18, 19] as [UInt32])
    func `a wrong bit of the passkey shows in its round`(bit: UInt32) {
        let passkey: UInt32 = 123_456
        let scenario = PairingScenario.passkeyDisplayed
        var loop = PairingLoop(
            initiator: PairingSample.machine(
                .central, secrets: PairingSample.secrets(PairingSample.initiatorPair, seed: 8, passkey: passkey)
            ) { scenario.configure(&$0, .central) }, responder: scenario.machine(.peripheral))
        loop.answers = { _, _ in .passkey(passkey ^ 1 << bit) }
        loop.run()
        #expect(loop.result(.central) == nil && loop.result(.peripheral) == nil)
        #expect(loop.failure(.peripheral) == .refused(.confirmValueFailed))
        #expect(loop.failure(.central) == .refusedByPeer(.confirmValueFailed))
        #expect(loop.sent.count { $0.octets[0] == 0x03 } == 2 * (Int(bit) + 1))
        // The rounds before have shown their bits to a listener.
        #expect(loop.machines[.central]?.provedRounds == Int(bit))
        #expect(loop.machines[.peripheral]?.provedRounds == Int(bit))
    }

    @Test(arguments: [nil, 123_456] as [UInt32?])
    func `digits that people may have seen before are a used secret, and fresh ones are none`(shown: UInt32?) {
        let scenario = PairingScenario.passkeyDisplayed
        var loop = PairingLoop(
            initiator: scenario.machine(.central) { $0.shownPasskey = shown }, responder: scenario.machine(.peripheral))
        loop.run()
        #expect(loop.result(.central)?.model == .passkeyEntry)
        #expect(shown == nil || loop.shown(by: .central) == shown)
        #expect(loop.machines[.central]?.hasUsedLocalSecret == (shown != nil))
        #expect(loop.machines[.peripheral]?.hasUsedLocalSecret == false)
    }

    @Test func `passkeys are made anew for each pairing`() {
        let passkeys = (0..<50).map { seed in
            var loop = PairingLoop(
                initiator: PairingSample.machine(
                    .central, secrets: PairingSample.secrets(PairingSample.initiatorPair, seed: UInt8(seed))
                ) { PairingScenario.passkeyDisplayed.configure(&$0, .central) },
                responder: PairingScenario.passkeyDisplayed.machine(.peripheral) { $0.passkey = 0 })
            loop.run()
            return loop.shown(by: .central)
        }
        #expect(Set(passkeys).count == 50 && !passkeys.contains(nil))
        #expect(passkeys.allSatisfy { ($0 ?? .max) <= 999_999 })
    }

    @Test(arguments: PairingScenario.allCases)
    func `there is a key for the initiator at one moment alone (CVE-2020-13593, CVE-2019-19194)`(
        scenario: PairingScenario
    ) throws {
        var loop = scenario.loop
        loop.run()
        var keys = 0
        for moment in loop.moments {
            for machine in moment.machines.values {
                #expect(machine.key(ediv: 1, rand: 0) == nil && machine.key(ediv: 0, rand: 1) == nil)
                guard let key = machine.key(ediv: 0, rand: 0) else { continue }
                keys += 1
                #expect(key != .zero && machine.role == .peripheral && !machine.isEnded)
                let last = loop.arrivals.prefix(moment.arrived).last { $0.to == .peripheral }?.octets[0]
                #expect(last == (scenario.isLegacy ? 0x04 : 0x0D))
                #expect(loop.effects[.central]?.contains(.encrypt(key)) == true)
            }
        }
        #expect(keys > 0)
    }

    @Test(arguments: PairingScenario.allCases)
    func `a link that becomes encrypted before the time ends the pairing`(scenario: PairingScenario) {
        var loop = scenario.loop
        loop.run()
        for moment in loop.moments where moment.arrived < 4 {
            for machine in moment.machines.values {
                var machine = machine
                #expect(machine.encrypted(at: .zero) == refusal(.unspecifiedReason))
            }
        }
    }

    @Test func `a public key has no place in legacy pairing (CVE-2019-17520)`() throws {
        for role in [LinkRole.central, .peripheral] {
            for code in [0x03, 0x04] as [UInt8] {
                var machine = try PairingScenario.legacyJustWorks.machine(role, waitingFor: code)
                let key = PairingSample.debugPair.publicKey
                #expect(
                    machine.received(SMPPDU.pairingPublicKey(key).octets[...], at: .zero)
                        == refusal(.unspecifiedReason))
            }
        }
    }

    @Test func `a random number has no place before the public key (CVE-2025-44531)`() throws {
        for role in [LinkRole.central, .peripheral] {
            var machine = try PairingScenario.justWorks.machine(role, waitingFor: 0x0C)
            let random = SMPPDU.pairingRandom([UInt8](repeating: 1, count: 16)).octets
            #expect(machine.received(random[...], at: .zero) == refusal(.unspecifiedReason))
        }
    }

    @Test func `what was asked for is not what was achieved (CVE-2026-31773)`() throws {
        for scenario in [PairingScenario.legacyJustWorks, .justWorks] {
            // The peer asks for protection, with a capability that gives none.
            var responder = scenario.machine(.peripheral)
            let flags: UInt8 = scenario.isLegacy ? 0x05 : 0x0D
            #expect(responder.received([0x01, 0x03, 0x00, flags, 16, 2, 2], at: .zero) == [.ask(.consent)])
            #expect(responder.model == .justWorks)
        }
        var loop = PairingScenario.legacyJustWorks.loop
        loop.run()
        #expect(loop.security(.peripheral)?.isAuthenticated == false)
        #expect(loop.result(.peripheral)?.isAuthenticated == false)
    }

    @Test func `no key of the other transport is made or taken (CVE-2020-15802, CVE-2022-20361)`() {
        for scenario in PairingScenario.allCases {
            var loop = scenario.loop
            loop.run()
            for pdu in loop.sent where pdu.octets[0] <= 0x02 {
                #expect(pdu.octets[3] & 0x20 == 0 && pdu.octets[5] & 0xFC == 0 && pdu.octets[6] & 0xFC == 0)
            }
        }
    }

    @Test func `a peer that falls silent is given up after 30 s, and not heard any more`() throws {
        var machine = PairingSample.machine(.central)
        _ = machine.begin(at: .zero)
        #expect(machine.deadline == .zero + .seconds(30))
        _ = machine.received([0x02, 0x03, 0x00, 0x09, 16, 2, 2], at: .zero + .seconds(20))
        #expect(machine.deadline == .zero + .seconds(50))
        // Neither unknown codes nor meaningless notifications keep the pairing alive.
        _ = machine.received([0x7F], at: .zero + .seconds(40))
        #expect(machine.expire(at: .zero + .seconds(49)) == [])
        #expect(machine.expire(at: .zero + .seconds(50)) == [.failed(.timedOut)])
        let key = SMPPDU.pairingPublicKey(PairingSample.responderPair.publicKey).octets
        #expect(machine.received(key[...], at: .zero + .seconds(51)) == [])
    }

    @Test func `notifications of keys pressed do not keep a pairing alive, nor change it`() throws {
        var machine = try PairingScenario.passkeyEntered.machine(.central, waitingFor: 0x03)
        let deadline = machine.deadline
        for type in 0...5 as ClosedRange<UInt8> {
            #expect(machine.received([0x0E, type], at: .zero + .seconds(10)) == [])
        }
        #expect(machine.deadline == deadline)
    }

    @Test func `Out of Band data of somebody else does not fit`() {
        for role in [LinkRole.central, .peripheral] {
            var loop = PairingLoop(
                initiator: PairingScenario.outOfBand.machine(.central) {
                    if role == .central { $0.peerOutOfBand?.confirm?[15] ^= 1 }
                },
                responder: PairingScenario.outOfBand.machine(.peripheral) {
                    if role == .peripheral { $0.peerOutOfBand?.confirm?[0] ^= 0x80 }
                })
            loop.run()
            #expect(loop.failure(role) == .refused(.confirmValueFailed))
        }
    }

    @Test func `devices that were told other capabilities of each other do not pair (CVE-2020-10134, CVE-2022-25836)`()
    {
        for (index, capability) in [(0, IOCapability.keyboardOnly), (1, .keyboardOnly), (0, .keyboardDisplay)] {
            for digits in [nil, 0, 123_456] as [UInt32?] {
                var loop = PairingScenario.numericComparison.loop
                loop.alter = { number, sent in
                    var octets = sent.octets
                    if number == index { octets[1] = capability.rawValue }
                    return octets
                }
                // People enter the digits that they see, even digits for a comparison.
                loop.answers = { _, question in question == .enterPasskey ? digits.map { .passkey($0) } : .yes }
                loop.run()
                #expect(loop.result(.central) == nil && loop.result(.peripheral) == nil)
                #expect(!(loop.effects[.central] ?? []).contains { if case .encrypt = $0 { true } else { false } })
            }
        }
    }

    @Test func `a peer that does not know our Out of Band number is found out by its check value`() {
        var loop = PairingLoop(
            initiator: PairingScenario.outOfBand.machine(.central) {
                $0.localOutOfBand = LocalOutOfBandData(
                    keyPair: PairingSample.initiatorPair, random: [UInt8](repeating: 0x77, count: 16))
            }, responder: PairingScenario.outOfBand.machine(.peripheral))
        loop.run()
        // The responder's confirm value belongs to the responder's own number: only the check values tell.
        #expect(loop.result(.central) == nil && loop.result(.peripheral) == nil)
        #expect(
            loop.failure(.central) == .refused(.diffieHellmanKeyCheckFailed)
                || loop.failure(.peripheral) == .refused(.diffieHellmanKeyCheckFailed))
    }

    @Test func `an initiator whose people are quicker than ours is waited for, once`() throws {
        var machine = try PairingScenario.passkeyDisplayed.machine(.peripheral, waitingFor: 0x03)
        let confirm = SMPPDU.pairingConfirm([UInt8](repeating: 9, count: 16)).octets
        #expect(machine.received(confirm[...], at: .zero) == [])
        var twice = machine
        #expect(twice.received(confirm[...], at: .zero) == refusal(.unspecifiedReason))
        let effects = machine.answer(.passkey(1), at: .zero)
        #expect(effects.count == 1)
        // An initiator that waits for digits has sent nothing yet, so no answer to it is possible.
        var loop = PairingScenario.passkeyEntered.loop
        loop.answers = { _, _ in nil }
        loop.alter = { $1.octets[0] == 0x03 ? nil : $1.octets }
        loop.run()
        var asked = try #require(loop.moments.first { $0.arrived == 4 }?.machines[.central])
        #expect(asked.received(confirm[...], at: .zero) == refusal(.unspecifiedReason))
    }

    @Test func `a peer that ends a pairing is not answered, whatever it says of the reason`() throws {
        for octets in [[0x05], [0x05, 0x08, 1, 2], [0x05, 0x7F]] as [[UInt8]] {
            var machine = try PairingScenario.justWorks.machine(.central, waitingFor: 0x0C)
            let reason = PairingFailedReason(rawValue: octets.dropFirst().first ?? 0x08)
            #expect(machine.received(octets[...], at: .zero) == [.failed(.refusedByPeer(reason))])
        }
    }
}
