// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import FuzzSeeds
import SMP
import Testing

/// A machine plays each side of each transcript, with this side's secrets; the transcript is the other side.
struct TranscriptTests {
    /// Both sides have more features than Passkey Entry needs: devices that follow the table compare numbers instead. The test checks its
    /// values one by one.
    private static let unchoosable = "sc-passkey-999999"

    @Test(
        arguments: PairingTranscript.all.filter { $0.name != unchoosable }, [LinkRole.central, .peripheral])
    func `a machine says octet for octet what the transcript does`(transcript: PairingTranscript, role: LinkRole) throws
    {
        var machine = try machine(transcript, role)
        try play(transcript, role, &machine)
    }

    @Test(
        arguments: PairingTranscript.all.filter { $0.name != unchoosable }, [LinkRole.central, .peripheral])
    func `a machine that the fuzzer makes says the same`(transcript: PairingTranscript, role: LinkRole) throws {
        let setup = try setup(transcript, role)
        var octets = setup.octets[...]
        let read = PairingSetup { count in
            defer { octets = octets.dropFirst(count) }
            return Array(octets.prefix(count))
        }
        #expect(octets.isEmpty && read.octets == setup.octets)
        var machine = try #require(read.machine)
        try play(transcript, role, &machine)
        write(transcript, role, setup)
    }

    private func play(_ transcript: PairingTranscript, _ role: LinkRole, _ machine: inout PairingMachine) throws {
        var effects = role == .central ? machine.begin(at: .zero) : []
        var questions: [PairingQuestion] = []
        var said: [[UInt8]] = []
        var key: SecretKey?

        func perform(_ machine: inout PairingMachine) {
            while !effects.isEmpty {
                switch effects.removeFirst() {
                case .send(let octets): said.append(octets)
                case .ask(let question):
                    questions.append(question)
                    switch question {
                    case .consent, .compare: effects += machine.answer(.yes, at: .zero)
                    case .enterPasskey: effects += machine.answer(.passkey(transcript.enteredPasskey), at: .zero)
                    case .display: break
                    }
                case .encrypt(let value): key = value
                case .finished, .failed: Issue.record("ended in \(transcript.name)")
                }
            }
        }
        perform(&machine)
        for line in transcript.lines where line.from != role {
            effects = machine.received(line.octets[...], at: .zero)
            perform(&machine)
        }
        #expect(said == transcript.lines.filter { $0.from == role }.map(\.octets))
        if role == .peripheral { key = machine.key(ediv: 0, rand: 0) }
        #expect(key?.octets == PairingSample.octets(transcript.key))
        #expect(machine.security?.isSecureConnections == (transcript.initiatorPrivateKey != nil))
        if let number = transcript.number { #expect(questions == [.compare(number)]) }
        #expect(machine.security?.isAuthenticated == !transcript.name.contains("just-works"))
    }

    private func machine(_ transcript: PairingTranscript, _ role: LinkRole) throws -> PairingMachine {
        let own = try #require(try transcript.features(role))
        let pair = transcript.keyPair(role)
        let settings = PairingSample.settings(role) {
            $0.ioCapability = own.ioCapability
            $0.requiresAuthentication = own.requirements.contains(.protection)
            $0.offersSecureConnections = own.requirements.contains(.secureConnections)
            $0.allowsLegacy = own.initiatorKeys.contains(.encryption)
            $0.allowsDebugKey = true
            $0.maximumKeySize = own.maximumKeySize
            $0.minimumKeySize = 7
            let (ours, theirs) =
                role == .central
                ? (transcript.initiatorData, transcript.responderData)
                : (transcript.responderData, transcript.initiatorData)
            if own.hasOutOfBandData {
                $0.peerOutOfBand = OutOfBandData(
                    confirm: theirs.map { PairingSample.octets($0.confirm) },
                    random: theirs.map { PairingSample.octets($0.random) },
                    temporaryKey: transcript.temporaryKey.map(PairingSample.key))
            }
            if let ours {
                $0.localOutOfBand = LocalOutOfBandData(keyPair: pair, random: PairingSample.octets(ours.random))
            }
        }
        let secrets = PairingSample.secrets(
            pair, seed: 1, nonces: transcript.nonces(role), passkey: transcript.enteredPasskey)
        return PairingMachine(
            role: role, initiator: transcript.initiator, responder: transcript.responder, settings: settings,
            secrets: secrets)
    }

    /// Writes a seed, where seeds are wanted: the machine's setup and its events.
    private func write(_ transcript: PairingTranscript, _ role: LinkRole, _ setup: PairingSetup) {
        guard let folder = SeedFolder.current else { return }
        var tape = PairingTape(setup)
        for line in transcript.lines where line.from != role { tape.received(line.octets) }
        tape.encrypted()
        tape.write(to: folder)
    }

    private func setup(_ transcript: PairingTranscript, _ role: LinkRole) throws -> PairingSetup {
        let own = try #require(try transcript.features(role))
        let privateKey = role == .central ? transcript.initiatorPrivateKey : transcript.responderPrivateKey
        let (ours, theirs) =
            role == .central
            ? (transcript.initiatorData, transcript.responderData)
            : (transcript.responderData, transcript.initiatorData)
        var setup = PairingSetup(
            role: role, initiator: transcript.initiator, responder: transcript.responder,
            privateKey: privateKey.map(PairingSample.octets) ?? [UInt8](repeating: 3, count: 32),
            nonces: transcript.nonces(role))
        setup.ioCapability = own.ioCapability
        setup.asksForAuthentication = own.requirements.contains(.protection)
        setup.offersSecureConnections = own.requirements.contains(.secureConnections)
        setup.allowsLegacy = own.initiatorKeys.contains(.encryption)
        setup.maximumKeySize = own.maximumKeySize
        setup.shown = (0..<8).map { UInt8(truncatingIfNeeded: UInt64(transcript.enteredPasskey) >> (56 - 8 * $0)) }
        setup.entered = transcript.enteredPasskey
        setup.localRandom = ours.map { PairingSample.octets($0.random) }
        if own.hasOutOfBandData {
            setup.peerData = theirs.map {
                PairingSetup.OutOfBand(
                    confirm: PairingSample.octets($0.confirm), random: PairingSample.octets($0.random))
            }
            setup.temporaryKey = transcript.temporaryKey.map(PairingSample.key)
        }
        return setup
    }

    @Test(arguments: PairingTranscript.passkeyEntry)
    func `every value of the rounds and both checks follow from the nonces`(transcript: PairingTranscript) throws {
        let passkey = try #require(transcript.passkey)
        let (initiator, responder) = (transcript.keyPair(.central), transcript.keyPair(.peripheral))
        let (u, v) = (initiator.publicKey.x, responder.publicKey.x)
        let (na, nb) = (transcript.nonces(.central), transcript.nonces(.peripheral))
        var expected: [[UInt8]] = []
        for round in 0..<20 {
            let z = UInt8(0x80 | passkey >> UInt32(round) & 1)
            expected += [
                SMPPDU.pairingConfirm(Cryptography.f4(u: u, v: v, x: na[round], z: z)).octets,
                SMPPDU.pairingConfirm(Cryptography.f4(u: v, v: u, x: nb[round], z: z)).octets,
                SMPPDU.pairingRandom(na[round]).octets, SMPPDU.pairingRandom(nb[round]).octets,
            ]
        }
        let secret = try #require(initiator.sharedSecret(with: responder.publicKey))
        let keys = Cryptography.f5(
            secret: secret, initiatorNonce: na[19], responderNonce: nb[19], initiator: transcript.initiator,
            responder: transcript.responder)
        #expect(keys.longTermKey == PairingSample.octets(transcript.key))
        let number = SecretKey(number: passkey).octets
        let (a, b) = ((na[19], transcript.initiator), (nb[19], transcript.responder))
        let request = Array(transcript.lines[0].octets[1...3].reversed())
        let response = Array(transcript.lines[1].octets[1...3].reversed())
        expected += [
            SMPPDU.pairingDHKeyCheck(
                Cryptography.f6(macKey: keys.macKey, first: a, second: b, random: number, capabilities: request)
            ).octets,
            SMPPDU.pairingDHKeyCheck(
                Cryptography.f6(macKey: keys.macKey, first: b, second: a, random: number, capabilities: response)
            ).octets,
        ]
        #expect(transcript.lines.dropFirst(4).map(\.octets) == expected)
    }

    @Test func `of two devices that can do everything, Secure Connections compare numbers`() throws {
        let transcript = try #require(PairingTranscript.all.first { $0.name == Self.unchoosable })
        var machine = try machine(transcript, .peripheral)
        _ = machine.received(transcript.lines[0].octets[...], at: .zero)
        #expect(machine.model == .numericComparison)
    }
}
