// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import SMP

@testable import BluetoothHost
@testable import HostBench

/// A way to pair for our host and the attacker, as long as the attacker plays by the rules.
enum PairingPlay: CaseIterable {
    case justWorks
    case comparison
    /// Our host shows the digits.
    case passkeyShown
    /// They are entered at our host.
    case passkeyEntered
    case legacyJustWorks
    case legacyPasskeyShown
    case legacyPasskeyEntered

    var isLegacy: Bool {
        switch self {
        case .legacyJustWorks, .legacyPasskeyShown, .legacyPasskeyEntered: true
        case .justWorks, .comparison, .passkeyShown, .passkeyEntered: false
        }
    }

    private var capabilities: (host: IOCapability, attacker: IOCapability) {
        switch self {
        case .justWorks, .legacyJustWorks: (.noInputNoOutput, .noInputNoOutput)
        case .comparison: (.displayYesNo, .displayYesNo)
        case .passkeyShown, .legacyPasskeyShown: (.displayOnly, .keyboardOnly)
        case .passkeyEntered, .legacyPasskeyEntered: (.keyboardOnly, .displayOnly)
        }
    }

    /// Our host's policy: every peer may pair.
    var policy: SecurityPolicy {
        var policy = isLegacy ? Bench.legacy(capabilities.host) : Bench.open(capabilities.host)
        policy.encryptsAtConnection = false
        return policy
    }

    var features: SMFeatures {
        let isProtected = capabilities.host != .noInputNoOutput
        var features = SMFeatures(capabilities.attacker, mitm: isProtected, isSecure: !isLegacy)
        let keys = SMFeatures.identityKey | (isLegacy ? SMFeatures.encryptionKey : 0)
        features.initiatorKeys = keys
        features.responderKeys = keys
        return features
    }
}

extension PairingFailure {
    /// Our host has ended the pairing by itself.
    var isRefusal: Bool { if case .refused = self { true } else { false } }
}

/// Thrown where the attacker stops to play by the rules.
struct Interruption: Error {}

extension SMTester {
    /// Steps of the attacker in one pairing by the rules: its commands and the encryption.
    static let mostSteps = 64

    /// Pairs by the rules until the attacker's step of this number, counted from 0. False when the pairing has fewer steps and is complete.
    /// `held` takes the command of that step, which is not sent.
    func pairs(until step: Int, held: (([UInt8]) -> Void)? = nil) throws -> Bool {
        var passed = 0
        func pass(_ command: [UInt8]) throws {
            if passed == step {
                held?(command)
                throw Interruption()
            }
            passed += 1
        }
        let outer = alters
        alters = { command in
            try pass(command)
            return try outer?(command) ?? command
        }
        defer { alters = outer }
        do {
            try exchangeFeatures()
            try makeKey()
            try pass([])
            try encrypt()
            try distribute()
            return false
        } catch is Interruption {
            return true
        }
    }
}

/// Pairings with the attacker.
extension AttackBench {
    /// A bonded peer out of reach.
    static let absent = DeviceAddress(kind: .public, value: 0x02_00_00_00_00_BB)

    /// The attacker's Security Manager for the present link. As the Central, our host has begun to pair.
    func attackerPairs(_ play: PairingPlay, _ change: (inout SMFeatures) -> Void = { _ in }) throws -> SMTester {
        if !isLinked { try enter() }
        bench.host.policy = play.policy
        return try attackerPairs(play.features, change)
    }

    /// The attacker's Security Manager, under our host's present policy.
    func attackerPairs(_ features: SMFeatures, _ change: (inout SMFeatures) -> Void = { _ in }) throws -> SMTester {
        bench.peer = attacker
        var features = features
        change(&features)
        let tester = SMTester(bench, isInitiator: side == .central, features)
        if side == .peripheral { try bench.pairs() }
        return tester
    }

    /// Our host has said why, and nothing is left of the pairing.
    func refuses(_ tester: SMTester, _ reason: PairingFailedReason) throws {
        try tester.expectsFailure(reason)
        try hasFailed(.refused(reason))
    }

    func hasFailed(_ failure: PairingFailure, within limit: Duration = Bench.patience) throws {
        try bench.toldPairingFailed(failure, within: limit)
        try isUnpaired()
        startsAnew()
    }

    /// The pairing has left neither a bond nor protection.
    func isUnpaired() throws {
        let told = bench.events.contains { event in
            if case .pairing(_, _, _, .finished) = event { return true }
            if case .pairing(_, _, _, .finishedUnbonded) = event { return true }
            return false
        }
        try require(!told, "our host has paired: \(bench.events)")
        if isLinked { try bench.isUnpaired() }
        try require(bench.host.bond(for: RawPeer.publicAddress) == nil, "our host has a bond")
        try require(bench.host.takeBondChanges().isEmpty, "our host has bonds to store")
    }

    /// Every procedure between our host and the attacker has ended. Returns why the pairing ended, if there was one.
    @discardableResult
    func endsPairing() throws -> PairingFailure? {
        bench.run(for: .milliseconds(300))
        if isLinked, isPairing { try bench.send(security: "05 08") }
        // While encryption starts, the link layer holds back the attacker's packets.
        let isOver = bench.run(for: .seconds(35)) { !isLinked || !isPairing }
        try require(isOver, "the pairing does not end")
        bench.run(for: .milliseconds(300))
        let failure = bench.events.lazy.compactMap { event -> PairingFailure? in
            if case .pairing(_, _, _, .failed(let failure)) = event { failure } else { nil }
        }.first
        try isUnpaired()
        startsAnew()
        return failure
    }

    /// A pairing with the attacker runs.
    var isPairing: Bool {
        guard let link = bench.links.last, let handle = bench.host.links.handle(of: link) else { return false }
        return bench.host.links[handle]?.pairing.run != nil
    }

    /// Forgets failed attempts, so that the next attempt need not wait.
    func startsAnew() {
        bench.host.pairing.forgetAttempts()
        bench.forgetTold()
        attacker.forget()
    }

    /// Removes the attacker's bonds, and gives it a new link.
    func forgetsAttacker() throws {
        try leave()
        forgetBond(with: RawPeer.publicAddress)
        startsAnew()
        try enter()
    }

    func forgetBond(with peer: DeviceAddress) {
        bench.host.removeBond(with: peer)
        _ = bench.host.takeBondChanges()
        _ = bench.host.takeCacheChanges()
    }

    /// Our host has been told of a bond with this peer, and of nothing to write down.
    func storeBond(
        with peer: DeviceAddress = RawPeer.publicAddress, _ keys: LongTermKeys = .secureConnections(Bench.key),
        keySize: UInt8 = 16, isAuthenticated: Bool = false, identityKey: SecretKey? = nil
    ) throws -> Bond {
        try bench.storeBond(
            keys, keySize: keySize, identityKey: identityKey, isAuthenticated: isAuthenticated, with: peer)
        guard let bond = bench.host.bond(for: peer) else { throw ScriptFailure("the bond was not taken") }
        return bond
    }

    /// The bond is unchanged, apart from its peer's subscriptions.
    func keeps(_ bond: Bond) throws {
        guard var kept = bench.host.bond(for: bond.identity) else { throw ScriptFailure("\(bond) is gone") }
        kept.clientState = bond.clientState
        try require(kept == bond, "\(bond) has become \(kept)")
        let removed = bench.host.takeBondChanges().contains { if case .removed = $0 { true } else { false } }
        try require(!removed, "a bond was removed")
    }

    /// Begins pairings, and stops each at another step of the attacker. `held` is the command of that step, empty where the step would have
    /// begun or awaited encryption. `body` ends the pairing.
    func atEachStep(
        of play: PairingPlay, upTo most: Int = SMTester.mostSteps,
        _ body: (_ tester: SMTester, _ step: Int, _ held: [UInt8]) throws -> Void
    ) throws {
        for step in 0..<most {
            let tester = try attackerPairs(play)
            var held: [UInt8] = []
            do {
                guard try tester.pairs(until: step, held: { held = $0 }) else {
                    try require(step > 3, "\(play) has \(step) steps")
                    try bench.isPaired(tester)
                    return try forgetsAttacker()
                }
                try body(tester, step, held)
            } catch {
                throw ScriptFailure("\(play), step \(step): \(error)")
            }
        }
    }
}
