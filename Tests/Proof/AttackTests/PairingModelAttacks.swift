// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import GATT
import SMP
import Testing

@testable import HostBench

/// Confused association models and guessed passkeys: rows 88, 89, 102 and 108.
struct PairingModelAttacks {
    /// Each device believes in different features of the other device.
    @Test func `row 88: CVE-2020-10134, the two sides are led to different models`() throws {
        try attack(88, "CVE-2020-10134") { scene in
            let bench = scene.bench
            // Our host is shown another capability than the attacker's victim has: the devices do not agree in the end.
            for capability in [IOCapability.keyboardOnly, .keyboardDisplay, .displayOnly, .noInputNoOutput] {
                let tester = try scene.attackerPairs(.comparison)
                tester.alters = { command in
                    guard [SMTester.Code.request, SMTester.Code.response].contains(command[0]) else { return command }
                    return [command[0], capability.rawValue] + command[2...]
                }
                // People enter digits where they are asked for some.
                let completed = Result { try tester.pair() }
                if case .success = completed { throw ScriptFailure("\(capability): they have paired") }
                try scene.endsPairing()
            }
            try isToldTheModel(scene)
            // Digits are no answer to a comparison, and a yes is no passkey.
            bench.person = Person(agreesToDigits: nil, enters: nil)
            for (play, answer, reason) in [
                (PairingPlay.comparison, PairingAnswer.passkey(0), PairingFailedReason.numericComparisonFailed),
                (.passkeyEntered, .yes, .passkeyEntryFailed), (.legacyPasskeyEntered, .yes, .passkeyEntryFailed),
                (.passkeyEntered, .passkey(1_000_000), .passkeyEntryFailed),
            ] {
                let tester = try scene.attackerPairs(play)
                if play == .comparison {
                    try tester.exchangeFeatures()
                    try tester.exchangePublicKeys()
                    try tester.exchangeNonces()
                    _ = try bench.askedToCompare()
                } else {
                    try tester.exchangeFeatures()
                    if !play.isLegacy { try tester.exchangePublicKeys() }
                    try bench.askedToEnter()
                }
                bench.host.answer(answer, onPairing: try bench.link, at: bench.now)
                try scene.refuses(tester, reason)
            }
            bench.person = Person()
            // Our host refuses a forbidden model before it asks a person.
            for (play, allowed) in [
                (PairingPlay.passkeyShown, Set([AssociationModel.numericComparison])), (.comparison, [.passkeyEntry]),
                (.justWorks, [.passkeyEntry, .numericComparison, .outOfBand]), (.legacyPasskeyEntered, [.outOfBand]),
            ] {
                if !scene.isLinked { try scene.enter() }
                bench.host.policy = play.policy
                bench.host.policy.models = allowed
                let tester = try scene.attackerPairs(play.features)
                if scene.side == .central {
                    try tester.sendRequest()
                } else {
                    try tester.takeRequest()
                    try tester.sendResponse()
                }
                try require(bench.questions.isEmpty, "\(play): somebody was asked \(bench.questions)")
                try scene.refuses(tester, .authenticationRequirements)
            }
        }
    }

    /// The question to a person names the model.
    private func isToldTheModel(_ scene: AttackBench) throws {
        let models: [(PairingPlay, AssociationModel)] = [
            (.comparison, .numericComparison), (.passkeyShown, .passkeyEntry), (.passkeyEntered, .passkeyEntry),
            (.legacyPasskeyEntered, .passkeyEntry),
        ]
        for (play, model) in models {
            let tester = try scene.attackerPairs(play)
            scene.bench.models = []
            try tester.exchangeFeatures()
            try tester.makeKey()
            try require(
                !scene.bench.models.isEmpty && scene.bench.models.allSatisfy { $0 == model },
                "\(play): the agent was told \(scene.bench.models)")
            try scene.endsPairing()
        }
    }

    @Test func `row 89: CVE-2022-25836, a passkey is used for two models and for two attempts`() throws {
        try attack(89, "CVE-2022-25836") { scene in
            let bench = scene.bench
            var shown: [UInt32] = []
            for play in [PairingPlay.legacyPasskeyShown, .passkeyShown, .legacyPasskeyShown, .passkeyShown] {
                let tester = try scene.attackerPairs(play)
                try tester.exchangeFeatures()
                if !play.isLegacy { try tester.exchangePublicKeys() }
                try tester.settlePasskey()
                let passkey = tester.passkey
                // The attacker tries the passkey of the attempt before, in the other model.
                tester.passkey = shown.last ?? passkey ^ 1
                shown.append(passkey)
                let rounds = (0..<SMTester.passkeyRounds).prefix { (tester.passkey ^ passkey) >> UInt32($0) & 1 == 0 }
                if play.isLegacy {
                    try guessesWrongly(tester, scene) { try tester.sendLegacyConfirm() }
                } else {
                    for round in rounds { try tester.exchange(round: round) }
                    try guessesWrongly(tester, scene) { try tester.sendConfirm(round: rounds.count) }
                }
            }
            try require(Set(shown).count == shown.count, "our host has shown \(shown)")
            // Digits from a person serve only the pairing that has asked.
            bench.person = Person(enters: nil)
            for play in [PairingPlay.passkeyEntered, .legacyPasskeyEntered, .passkeyEntered] {
                let tester = try scene.attackerPairs(play)
                try tester.exchangeFeatures()
                if !play.isLegacy { try tester.exchangePublicKeys() }
                try bench.askedToEnter()
                let link = try bench.link
                try scene.endsPairing()
                // The answer is too late: no question is open.
                bench.host.answer(.passkey(123_456), onPairing: link, at: bench.now)
                bench.host.answer(.yes, onPairing: link, at: bench.now)
                try bench.expectsNothing(for: .milliseconds(300))
            }
            bench.person = Person()
        }
    }

    /// The attacker commits itself to a wrong number, and our host notices.
    private func guessesWrongly(_ tester: SMTester, _ scene: AttackBench, _ confirm: () throws -> Void) throws {
        let isResponder = scene.side == .peripheral
        if isResponder { _ = try tester.number(of: SMTester.Code.confirm) }
        try confirm()
        _ = try tester.number(of: isResponder ? SMTester.Code.random : SMTester.Code.confirm)
        try tester.send(SMTester.Code.random, tester.ownNonce)
        try scene.refuses(tester, .confirmValueFailed)
    }

    @Test func `row 102: CVE-2026-31773, Just Works that asks for protection`() throws {
        try attack(102, "CVE-2026-31773") { scene in
            let bench = scene.bench
            for play in [PairingPlay.justWorks, .legacyJustWorks] {
                for io in [IOCapability.displayYesNo, .keyboardDisplay, .keyboardOnly, .noInputNoOutput] {
                    let tester = try scene.attackerPairs(play) {
                        $0.io = io
                        $0.authReq |= SMFeatures.mitm
                    }
                    try tester.pair()
                    let bond = try bench.isPaired(tester)
                    try require(!bond.isAuthenticated, "\(bond)")
                    // A value that needs an authenticated key stays closed, because the link's key is not authenticated.
                    for handle in [GuardedTable.authenticated, GuardedTable.authenticatedConfiguration] {
                        try scene.asks([0x12] + little(handle) + [1, 0], refused: 0x05, at: handle)
                    }
                    for handle in [GuardedTable.authenticated, GuardedTable.secureConnections] {
                        try scene.asks([0x0A] + little(handle), refused: 0x05, at: handle)
                    }
                    try scene.asks([0x0A] + little(GuardedTable.authorized), refused: 0x08, at: GuardedTable.authorized)
                    try scene.forgetsAttacker()
                }
                // No key is made if our host asks for authentication.
                if !scene.isLinked { try scene.enter() }
                bench.host.policy = play.policy
                bench.host.policy.requiresAuthentication = true
                let tester = try scene.attackerPairs(play.features) { $0.authReq |= SMFeatures.mitm }
                if scene.side == .central {
                    try tester.sendRequest()
                } else {
                    try tester.takeRequest()
                    try tester.sendResponse()
                }
                try scene.refuses(tester, .authenticationRequirements)
            }
        }
    }

    @Test func `row 108: passkey reuse, a passkey is learnt bit by bit`() throws {
        try attack(108, "passkey reuse") { scene in
            var shown: [UInt32] = []
            for round in 0..<SMTester.passkeyRounds {
                let tester = try scene.attackerPairs(.passkeyShown)
                try tester.exchangeFeatures()
                try tester.exchangePublicKeys()
                try tester.settlePasskey()
                shown.append(tester.passkey)
                for earlier in 0..<round { try tester.exchange(round: earlier) }
                // One bit is wrong, and the attacker has learnt the right bit.
                try guessesWrongly(tester, scene) { try tester.sendConfirm(round: round, isRight: false) }
            }
            try require(Set(shown).count == SMTester.passkeyRounds, "a passkey came twice: \(shown)")
            try require(shown.allSatisfy { $0 <= 999_999 }, "no passkeys: \(shown)")
            try risksKnownPasskey(scene)
        }
    }

    /// A passkey from a label never changes. An attacker in the device's place must not get enough attempts to learn it.
    private func risksKnownPasskey(_ scene: AttackBench) throws {
        let bench = scene.bench
        let features = SMFeatures(.displayOnly, mitm: true)
        var policy = SecurityPolicy(encryptsAtConnection: false)
        policy.acceptsPairing = .open
        policy.passkeys[RawPeer.publicAddress] = 123_456
        bench.host.policy = policy
        var tries = 0
        for number in 0..<10 {
            let tester = SMTester(bench, isInitiator: scene.side == .central, features)
            if scene.side == .peripheral {
                if number % 2 == 0 {
                    try bench.ask(.read(handle: 9))
                    try bench.answers("0A 09 00", with: "01 0A 09 00 05")
                } else {
                    try bench.send(security: "0B 0D")
                }
            } else {
                try tester.sendRequest()
            }
            bench.run(for: .milliseconds(500))
            let answer = scene.attacker.frames[Bench.securityManager]?.first ?? []
            if [SMTester.Code.request, SMTester.Code.response].contains(answer.first) {
                tries += 1
                if scene.side == .central {
                    try tester.takeResponse()
                } else {
                    try tester.takeRequest()
                    try tester.sendResponse()
                }
                try tester.exchangePublicKeys()
                try tester.send(SMTester.Code.failed, [])
            }
            // The waits pass, and in one round so much time that our host forgets the failures.
            bench.run(for: .seconds(number == 5 ? 3_601 : 901))
            try scene.isUnpaired()
            bench.forgetTold()
            scene.attacker.forget()
        }
        try require(tries == PairingAttempts.knownPasskeyLimit, "the passkey was risked \(tries) times")
        // A peer that is present may try again, and then succeeds.
        guard scene.side == .peripheral else { return scene.startsAnew() }
        let tester = try scene.attackerPairs(features)
        tester.passkey = 123_456
        try tester.exchangeFeatures()
        try tester.exchangePublicKeys()
        for round in 0..<SMTester.passkeyRounds { try tester.exchange(round: round) }
        try tester.exchangeChecks()
        try tester.encrypt()
        try tester.distribute()
        let bond = try bench.isPaired(tester)
        try require(bond.isAuthenticated, "\(bond)")
        try scene.forgetsAttacker()
    }
}
