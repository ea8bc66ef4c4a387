// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP
import Testing

/// Whole pairings of two machines.
struct PairingTests {
    private func loop(
        initiator: (inout PairingSettings) -> Void = { _ in }, responder: (inout PairingSettings) -> Void = { _ in }
    ) -> PairingLoop {
        PairingLoop(
            initiator: PairingSample.machine(.central, initiator),
            responder: PairingSample.machine(.peripheral, responder))
    }

    @Test func `two devices without input or output get the same key, and each other's identity`() throws {
        var loop = loop()
        loop.run()
        let initiator = try #require(loop.result(.central))
        let responder = try #require(loop.result(.peripheral))
        #expect(initiator.keys == responder.keys)
        guard case .secureConnections(let key) = initiator.keys else { Issue.record("no Secure Connections"); return }
        #expect(key != .zero)
        #expect(loop.effects[.central]?.contains(.encrypt(key)) == true)
        #expect(initiator.model == .justWorks && !initiator.isAuthenticated && !responder.isAuthenticated)
        #expect(initiator.keySize == 16 && initiator.isBonding && responder.isBonding)
        #expect(initiator.identity == PairingSample.settings(.peripheral).identity)
        #expect(initiator.identityKey == PairingSample.settings(.peripheral).identityKey)
        #expect(responder.identity == PairingSample.settings(.central).identity)
        #expect(responder.identityKey == PairingSample.settings(.central).identityKey)
        for role in [LinkRole.central, .peripheral] {
            #expect(
                loop.security(role)
                    == LinkSecurity(
                        isEncrypted: true, isAuthenticated: false, isSecureConnections: true, keySize: 16))
            #expect(loop.endings(role) == 1)
            #expect(loop.machines[role]?.deadline == nil)
        }
        #expect(loop.questions(to: .central) == [])
        #expect(loop.questions(to: .peripheral) == [.consent])
    }

    @Test func `legacy pairing distributes a key of each side`() throws {
        var loop = loop {
            $0.allowsLegacy = true
        } responder: {
            $0.allowsLegacy = true
            $0.offersSecureConnections = false
        }
        loop.run()
        guard case .legacy(let toInitiator?, let ofInitiator?) = loop.result(.central)?.keys,
            case .legacy(let toResponder?, let ofResponder?) = loop.result(.peripheral)?.keys
        else { Issue.record("no keys"); return }
        #expect(toInitiator == ofResponder && toResponder == ofInitiator && ofInitiator != ofResponder)
        #expect(loop.security(.central)?.isSecureConnections == false)
        #expect(loop.security(.central) == loop.security(.peripheral))
    }

    @Test func `a pairing that is not kept exchanges no keys`() {
        var loop = loop { $0.isBonding = false }
        loop.run()
        #expect(loop.result(.central)?.isBonding == false && loop.result(.peripheral)?.isBonding == false)
        #expect(loop.result(.central)?.identityKey == nil && loop.result(.peripheral)?.identity == nil)
        #expect(!loop.sent.contains { (0x06...0x0A).contains($0.octets[0]) })
    }

    @Test func `a device without an identity key keeps its identity for itself`() {
        var loop = loop { $0.identityKey = nil }
        loop.run()
        #expect(loop.result(.peripheral)?.identity == nil && loop.result(.peripheral)?.identityKey == nil)
        #expect(loop.result(.central)?.identity != nil)
    }

    @Test func `an identity key of zeros is none`() throws {
        var loop = loop()
        loop.alter = { $1.octets.first == 0x08 ? [0x08] + [UInt8](repeating: 0, count: 16) : $1.octets }
        loop.run()
        let result = try #require(loop.result(.central))
        #expect(result.identityKey == nil && result.identity != nil)
    }

    @Test func `who is asked may say no, and the peer hears it`() {
        var loop = loop()
        loop.answers = { _, _ in .no }
        loop.run()
        #expect(loop.failure(.peripheral) == .refused(.pairingNotSupported))
        #expect(loop.failure(.central) == .refusedByPeer(.pairingNotSupported))
        #expect(loop.sent.count == 2)
    }

    @Test(arguments: [LinkRole.central, .peripheral])
    func `digits that differ end the pairing`(denier: LinkRole) {
        let change = { (settings: inout PairingSettings) in
            settings.ioCapability = .displayYesNo
            settings.requiresAuthentication = true
        }
        var loop = loop(initiator: change, responder: change)
        loop.answers = { role, _ in role == denier ? .no : .yes }
        loop.run()
        #expect(loop.failure(denier) == .refused(.numericComparisonFailed))
        #expect(loop.result(.central) == nil && loop.result(.peripheral) == nil)
    }

    @Test(arguments: [false, true])
    func `a wrong passkey, none, or one of seven digits ends the pairing`(isLegacy: Bool) {
        for (answer, reason) in [
            (PairingAnswer.passkey(1), PairingFailedReason.confirmValueFailed), (.no, .passkeyEntryFailed),
            (.passkey(1_000_000), .passkeyEntryFailed),
        ] {
            var loop = loop {
                $0.ioCapability = .keyboardOnly
                $0.requiresAuthentication = true
                $0.allowsLegacy = isLegacy
                $0.offersSecureConnections = !isLegacy
            } responder: {
                $0.ioCapability = .displayOnly
                $0.allowsLegacy = isLegacy
            }
            loop.answers = { _, _ in answer }
            loop.run()
            let failures = [loop.failure(.central), loop.failure(.peripheral)]
            #expect(failures.contains(.refused(reason)) && failures.contains(.refusedByPeer(reason)))
            #expect(loop.result(.central) == nil && loop.result(.peripheral) == nil)
        }
    }

    @Test func `a passkey that is known beforehand is entered by nobody`() {
        var loop = PairingLoop(
            initiator: PairingSample.machine(.central) {
                $0.ioCapability = .keyboardOnly
                $0.requiresAuthentication = true
                $0.passkey = 19655
            },
            responder: PairingSample.machine(
                .peripheral, secrets: PairingSample.secrets(PairingSample.responderPair, seed: 9, passkey: 19655)
            ) { $0.ioCapability = .displayOnly })
        loop.run()
        #expect(loop.questions(to: .central) == [])
        #expect(loop.questions(to: .peripheral) == [.display(passkey: 19655)])
        #expect(loop.result(.central)?.model == .passkeyEntry)
        #expect(loop.result(.central)?.keys == loop.result(.peripheral)?.keys)
    }

    @Test(arguments: [7, 10, 15] as [UInt8])
    func `keys are as short as the weaker side wants, where the other takes it`(size: UInt8) throws {
        for isLegacy in [false, true] {
            var loop = loop {
                $0.minimumKeySize = 7
                $0.allowsLegacy = isLegacy
                $0.offersSecureConnections = !isLegacy
            } responder: {
                $0.minimumKeySize = size
                $0.maximumKeySize = size
                $0.allowsLegacy = isLegacy
            }
            loop.run()
            let result = try #require(loop.result(.central))
            #expect(result.keySize == size && loop.security(.peripheral)?.keySize == size)
            let keys: [SecretKey?] =
                switch result.keys {
                case .secureConnections(let key): [key]
                case .legacy(let peer, let local): [peer?.key, local?.key]
                }
            for key in keys { #expect(key?.octets.prefix(16 - Int(size)).allSatisfy { $0 == 0 } == true) }
            for case .encrypt(let key) in loop.effects[.central] ?? [] {
                #expect(key.octets.prefix(16 - Int(size)).allSatisfy { $0 == 0 })
            }
        }
    }
}
