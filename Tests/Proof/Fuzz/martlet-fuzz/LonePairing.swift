// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import FuzzSeeds
import SMP

/// One of our machines and a peer without rules, with the secrets of the input: recorded pairings, and their mutations. The pairing ends
/// once, and its result was agreed and allowed.
struct LonePairing {
    private let setup: PairingSetup
    /// The behaviour of people, as in ``SMPTarget``.
    private let people: UInt8
    private var machine: PairingMachine
    private var now = MonotonicTime.zero
    private var sent = 0
    private var received = 0
    private var endings = 0
    /// As the initiator.
    private var key: SecretKey?
    private var isEncrypted = false
    private var peerHasDebugKey = false

    /// Nil without a key pair.
    init?(people: UInt8, _ input: inout FuzzInput) {
        setup = PairingSetup { input.take($0) }
        guard let machine = setup.machine else { return nil }
        (self.machine, self.people) = (machine, people)
    }

    mutating func run(_ input: inout FuzzInput) {
        if setup.role == .central { perform { $0.begin(at: $1) } }
        while !input.isAtEnd, !machine.isEnded {
            switch PairingTape.Step.allCases[input.pick(PairingTape.Step.allCases.count)] {
            case .received: receive(input.counted())
            case .encrypted:
                guard hasKey else { continue }
                isEncrypted = true
                perform { $0.encrypted(at: $1) }
            case .encryptedOtherwise:
                guard !hasKey else { continue }
                perform { $0.encrypted(at: $1) }
                promise(machine.isEnded, "a pairing goes on over another key")
            case .waits:
                now = now + .seconds(Int(input.u8() & 31))
                guard let deadline = machine.deadline, deadline <= now else { continue }
                perform { $0.expire(at: $1) }
                promise(machine.isEnded, "time-out does not end it")
            case .cancelled: perform { $0.cancel(.unspecifiedReason, at: $1) }
            case .encryptionFails: perform { $0.encryptionFailed(at: $1) }
            case .disconnected: perform { $0.disconnected(at: $1) }
            case .answersAgain:
                guard people & 2 == 0 else { continue }
                perform { $0.answer(.yes, at: $1) }
            }
        }
        now = now + PairingMachine.timeout
        perform { $0.disconnected(at: $1) }
        promise(machine.isEnded && machine.deadline == nil && endings == 1, "a pairing without an end")
    }

    private var hasKey: Bool { setup.role == .central ? key != nil : machine.key(ediv: 0, rand: 0) != nil }

    private mutating func receive(_ pdu: [UInt8]) {
        received += 1
        if case .pairingPublicKey(let key)? = try? SMPPDU(pdu) { peerHasDebugKey = peerHasDebugKey || key.isDebugKey }
        perform { $0.received(pdu[...], at: $1) }
    }

    private mutating func perform(_ action: (inout PairingMachine, MonotonicTime) -> [PairingMachine.Effect]) {
        let hadEnded = machine.isEnded
        let effects = action(&machine, now)
        promise(!hadEnded || effects.isEmpty, "an ended pairing does \(effects)")
        for effect in effects {
            switch effect {
            case .send(let octets):
                sent += 1
                // Keys of three kinds at the end; before that, one PDU for each PDU of the peer.
                promise(sent <= 2 * received + 8, "\(sent) PDUs for \(received)")
                promise((try? SMPPDU(octets))?.octets == octets, "\(octets) is no PDU")
            case .ask(let question): answer(question)
            case .encrypt(let key):
                promise(setup.role == .central, "the responder encrypts")
                self.key = key
            case .finished(let result):
                endings += 1
                key = nil
                check(result)
            case .failed:
                endings += 1
                key = nil
            }
        }
        promise(!machine.isEnded || machine.key(ediv: 0, rand: 0) == nil, "an ended pairing gives a key")
    }

    private mutating func answer(_ question: PairingQuestion) {
        guard people & 2 == 0 else { return }
        let isHonest = people & 4 == 0
        switch question {
        case .consent, .compare: perform { $0.answer(isHonest ? .yes : .no, at: $1) }
        case .enterPasskey:
            let digits = setup.entered
            perform { $0.answer(.passkey(isHonest ? digits : digits &+ 1), at: $1) }
        case .display(let passkey): promise(passkey <= 999_999, "\(passkey) has more than 6 digits")
        }
    }

    private func check(_ result: PairingResult) {
        promise(isEncrypted, "a key without an encrypted link")
        promise((7...setup.maximumKeySize).contains(result.keySize), "a key of \(result.keySize) octets")
        promise(result.model != .justWorks || !setup.requiresAuthentication, "nobody makes sure of \(result)")
        promise(result.identity?.isIdentity ?? true, "an identity that is none")
        promise(result.identityKey != .zero, "an identity key of zeros")
        promise(!result.isBonding || setup.isBonding, "a bond that nobody wants")
        promise(!result.isBonding || !peerHasDebugKey, "a key is kept that everybody knows")
        let security = machine.security
        promise(security?.isAuthenticated == (result.model != .justWorks), "\(result.model) claims too much")
        promise(security?.isSecureConnections == true || setup.allowsLegacy, "a legacy pairing that is not allowed")
        // If neither device has a display, our host asks a person in every model but Out of Band.
        let isAsked = result.model != .outOfBand && (result.model != .justWorks || setup.role == .peripheral)
        promise(people & 2 == 0 || !isAsked || result.model == .passkeyEntry, "\(result.model) without people")
    }
}
