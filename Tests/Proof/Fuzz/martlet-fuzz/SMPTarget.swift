// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import FuzzSeeds
import SMP

/// Whole pairings of two of our machines, with an attacker between them: it alters, loses, repeats, delays and invents PDUs. Each side ends
/// once, and no alteration before the encryption leads to a key. Both sides get the same key, and the key has the requested strength. Also
/// one machine alone, with a peer without rules.
struct SMPTarget: FuzzTarget {
    static let name = "smp"
    static let maximumLength = FuzzFormats.Limit.pairing

    static var seeds: [[UInt8]] {
        let actions: [[UInt8]] = [
            [], [0x90, 2, 1], [0, 0x90, 5, 0x80], [0, 0, 0, 0x91], [0, 0, 0x92], [0, 0, 0, 0, 0x93],
            [0, 0, 0x94, 3, 0x0B, 1, 2], [0, 0, 0, 0x95, 17, 4] + [UInt8](repeating: 7, count: 16), [0, 0, 0x96, 31],
            [0x97], [0, 0, 0x98], [0, 0, 0, 0, 0, 0x90, 9, 1], [0, 0, 0, 0, 0, 0, 0, 0x90, 1, 0xFF], [0, 0, 0x99],
        ]
        var seeds: [[UInt8]] = [
            [9, 0, 1, 4, 0, 13, 16, 2, 2], [9, 0] + Array(0...24), [3, 1], [4, 2], [1, 4], [0, 8],
        ]
        for scene in PairingScene.allCases.indices {
            for action in actions { seeds.append([UInt8(scene), 0] + action) }
        }
        return seeds
    }

    /// One of the two devices.
    private struct Side {
        var machine: PairingMachine
        var result: PairingResult?
        var endings = 0
        /// With which the initiator wants the link encrypted.
        var key: SecretKey?
        var shown: UInt32?
        var questions: [PairingQuestion] = []
    }

    private var sides: [Side] = []
    /// `isCopy`: the attacker's copy of a PDU that was sent.
    private var underway: [(to: Int, octets: [UInt8], isCopy: Bool)] = []
    private var now = MonotonicTime.zero
    private var isEncrypted = false
    /// Before the encryption a PDU was altered on its way.
    private var isAltered = false
    private var sent = 0
    /// The behaviour of people: they refuse, mistype, or stay silent.
    private var people: UInt8 = 0

    init() {}

    mutating func run(_ octets: [UInt8]) {
        var input = FuzzInput(octets)
        let choice = input.pick(PairingScene.cast.count + 2)
        people = input.u8()
        if choice == Int(FuzzFormats.lonePairing) {
            var pairing = LonePairing(people: people, &input)
            pairing?.run(&input)
            return
        }
        guard choice < PairingScene.cast.count else { return code(input.rest()) }
        let (scene, central, peripheral) = PairingScene.cast[choice]
        sides = [Side(machine: central), Side(machine: peripheral)]
        (underway, now, isEncrypted, isAltered, sent) = ([], .zero, false, false, 0)
        perform(0) { $0.begin(at: $1) }
        while true {
            if !underway.isEmpty {
                deliver(&input, scene)
            } else if let asked = sides.firstIndex(where: { !$0.questions.isEmpty }) {
                answer(sides[asked].questions.removeFirst(), asked)
            } else if let key = sides[0].key {
                sides[0].key = nil
                encrypt(with: key)
            } else {
                break
            }
        }
        check(scene)
        // A side that has not ended by now ends only by its timer or its link.
        now = now + PairingMachine.timeout
        perform(0) { $0.expire(at: $1) }
        let isLost = people & 1 == 1
        perform(1) { isLost ? $0.disconnected(at: $1) : $0.expire(at: $1) }
        promise(sides[0].machine.isEnded, "time-out does not end it")
        for side in sides { promise(side.machine.deadline == nil || !side.machine.isEnded, "the end has a deadline") }
    }

    /// The decoder reads each PDU as the encoder wrote it.
    private func code(_ octets: [UInt8]) {
        guard let pdu = try? SMPPDU(octets) else { return }
        promise(pdu.octets == octets, "\(octets) is written as \(pdu.octets)")
        if case .unknown = pdu { return }
        promise(octets.count <= SMPPDU.maximumLength, "\(octets.count) octets")
    }

    // MARK: Between the two

    private mutating func deliver(_ input: inout FuzzInput, _ scene: PairingScene) {
        let (receiver, original, isCopy) = underway.removeFirst()
        var (to, octets) = (receiver, original)
        let action = input.u8()
        switch action < 0x90 ? 0 : action {
        case 0x90:
            let (position, change) = (Int(input.u8()), input.u8())
            octets[position % octets.count] ^= change
            if position >= 128 { octets.append(change) }
        case 0x91: return
        case 0x92: underway.append((to, octets, true))
        case 0x93:
            underway.append((to, octets, isCopy))
            return
        case 0x94:
            // The attacker sends a PDU of its own to either side.
            let invented = input.counted()
            perform(input.pick(2)) { $0.received(invented[...], at: $1) }
        case 0x95: octets = input.counted()
        case 0x96: wait(.seconds(Int(input.u8() & 31)))
        case 0x97: perform(to) { $0.cancel(.unspecifiedReason, at: $1) }
        case 0x98: perform(to) { $0.disconnected(at: $1) }
        case 0x99:
            promise(sides[1].machine.key(ediv: 1, rand: 0) == nil, "a key for another name")
            // Encrypted with an older key, while there is none of this pairing.
            if sides[1].machine.key(ediv: 0, rand: 0) == nil { perform(1) { $0.encrypted(at: $1) } }
        case 0x9A: octets = Array(octets.dropLast())
        case 0x9B: to = 1 - to
        default: break
        }
        if !isEncrypted, !isCopy, octets != original, !isUnprotected(original, octets, scene) { isAltered = true }
        perform(to) { $0.received(octets[...], at: $1) }
    }

    /// The key sizes and the keys to distribute are in no check value of Secure Connections: lowering the first is
    /// noticed by its limit alone.
    private func isUnprotected(_ original: [UInt8], _ octets: [UInt8], _ scene: PairingScene) -> Bool {
        // A side that does not hear of the other's failure waits in vain.
        if original.first == 0x05 { return true }
        guard !scene.isLegacy, original.count == 7, [0x01, 0x02].contains(original[0]) else { return false }
        return octets.count == 7 && octets.prefix(4).elementsEqual(original.prefix(4))
    }

    private mutating func wait(_ duration: Duration) {
        now = now + duration
        for index in sides.indices {
            guard let deadline = sides[index].machine.deadline, deadline <= now else { continue }
            perform(index) { $0.expire(at: $1) }
            promise(sides[index].machine.isEnded, "time-out does not end it")
        }
    }

    // MARK: The two

    private mutating func perform(
        _ index: Int, _ action: (inout PairingMachine, MonotonicTime) -> [PairingMachine.Effect]
    ) {
        let hadEnded = sides[index].machine.isEnded
        let effects = action(&sides[index].machine, now)
        promise(!hadEnded || effects.isEmpty, "an ended pairing does \(effects)")
        for effect in effects {
            switch effect {
            case .send(let octets):
                sent += 1
                promise(sent < 256, "PDUs without end")
                promise(octets.count <= SMPPDU.maximumLength, "a PDU of \(octets.count) octets")
                promise((try? SMPPDU(octets))?.octets == octets, "\(octets) is no PDU")
                underway.append((1 - index, octets, false))
            case .ask(.display(let passkey)):
                promise(passkey <= 999_999, "\(passkey) has more than 6 digits")
                sides[index].shown = passkey
            case .ask(let question): sides[index].questions.append(question)
            case .encrypt(let key):
                promise(index == 0, "the responder encrypts")
                sides[0].key = key
            case .finished(let result): end(index, result)
            case .failed: end(index, nil)
            }
        }
    }

    private mutating func end(_ index: Int, _ result: PairingResult?) {
        sides[index].endings += 1
        // No encryption follows a pairing that has ended.
        sides[index].key = nil
        sides[index].result = result
        promise(sides[index].endings == 1, "a pairing ends twice")
        promise(sides[index].machine.isEnded, "a pairing goes on after its end")
        promise(sides[index].machine.key(ediv: 0, rand: 0) == nil, "an ended pairing gives a key")
    }

    /// The responder's controller asks for the key; the link is encrypted when both keys are equal.
    private mutating func encrypt(with key: SecretKey) {
        guard sides[1].machine.key(ediv: 0, rand: 0) == key else {
            return perform(0) { $0.encryptionFailed(at: $1) }
        }
        promise(!isAltered, "a link is encrypted though a PDU was altered")
        isEncrypted = true
        perform(1) { $0.encrypted(at: $1) }
        perform(0) { $0.encrypted(at: $1) }
    }

    private mutating func answer(_ question: PairingQuestion, _ index: Int) {
        guard people & 2 == 0 else { return }
        let isHonest = people & 4 == 0
        switch question {
        case .consent, .compare: perform(index) { $0.answer(isHonest ? .yes : .no, at: $1) }
        case .enterPasskey:
            let digits = (sides[1 - index].shown ?? 271_828) &+ (isHonest ? 0 : 1)
            perform(index) { $0.answer(.passkey(digits), at: $1) }
        case .display: break
        }
    }

    // MARK: Promises

    private func check(_ scene: PairingScene) {
        for side in sides {
            guard let result = side.result else { continue }
            promise(isEncrypted, "a key without an encrypted link")
            promise(!isAltered, "a key though a PDU was altered")
            promise(result.keySize == 16, "a key of \(result.keySize) octets")
            promise(result.model == scene.model, "\(scene) became \(result.model)")
            promise(result.identity?.isIdentity ?? true, "an identity that is none")
            promise(result.identityKey != .zero, "an identity key of zeros")
            promise(side.machine.security?.isSecureConnections == !scene.isLegacy, "\(scene) is of another kind")
            promise(side.machine.security?.isAuthenticated == (scene.model != .justWorks), "\(scene) claims too much")
            promise(people & 6 == 0 || scene.model == .outOfBand, "\(scene) without people's consent")
        }
        guard let first = sides[0].result, let second = sides[1].result, !scene.isLegacy else { return }
        promise(first.keys == second.keys, "each side has another key")
    }
}
