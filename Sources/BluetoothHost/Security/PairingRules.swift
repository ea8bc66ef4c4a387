// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP

/// Who may pair with us, how, and with which secrets: the policies for both roles, what earlier attempts have cost, and
/// what each pairing uses up.
struct PairingRules: Sendable {
    /// Pairings that may begin before more secrets are provided.
    static let secretsCapacity = 4

    /// What is changed while pairings run counts for those that begin afterwards.
    var policy = SecurityPolicy()
    /// The same for links on which we are the Peripheral; nil: ``policy`` holds for them as well.
    var peripheralPolicy: SecurityPolicy?
    /// The newest of ``SecurityPolicy/Once`` that a pairing has used up.
    private var usedOnce: UInt64 = 0
    private var attempts = PairingAttempts()
    /// For pairings to come; each is used once.
    private(set) var secrets: [PairingSecrets] = []

    // MARK: Policies

    /// What holds for links in this role.
    func policy(for role: LinkRole) -> SecurityPolicy {
        switch role {
        case .central: policy
        case .peripheral: peripheralPolicy ?? policy
        }
    }

    /// What the policy says of pairings with this peer. `identity` and `key`: ours.
    func settings(for link: Link, identity: DeviceAddress, key: SecretKey?) -> PairingSettings {
        let policy = policy(for: link.role)
        var settings = PairingSettings(identity: identity, identityKey: key)
        settings.ioCapability = policy.ioCapability
        settings.requiresAuthentication = policy.requiresAuthentication
        settings.isBonding = policy.isBondable
        // A person who can be asked is asked, where the peer can do its part.
        settings.asksForAuthentication = policy.ioCapability != .noInputNoOutput
        settings.minimumKeySize = policy.minimumKeySize
        settings.models = policy.models
        let names = [link.bondAddress, link.peer, link.addresses.peer]
        settings.allowsLegacy = names.contains(where: policy.legacyPeers.contains)
        if let passkey = names.lazy.compactMap({ policy.passkeys[$0] }).first {
            settings.passkey = passkey
            // Known beforehand, it counts as entered here; without authentication it would serve for nothing.
            settings.requiresAuthentication = true
            if policy.ioCapability == .noInputNoOutput { settings.ioCapability = .keyboardOnly }
        }
        return settings
    }

    /// Centrals that connect to us pair by rules of their own, or not at all.
    var hasDoorForCentrals: Bool { peripheralPolicy != nil || !policy.admitsCentrals }

    /// The device is known here: a peer with another address may not claim this identity.
    func reserves(_ identity: DeviceAddress) -> Bool {
        policy.reserves(identity) || peripheralPolicy?.reserves(identity) == true
    }

    // MARK: Attempts

    /// How long this peer has to wait; nil: not at all. `isOurs`: we begin, so nobody guesses.
    func wait(for peer: DeviceAddress, isOurs: Bool, at now: MonotonicTime) -> Duration? {
        attempts.wait(for: peer, isOurs: isOurs, at: now)
    }

    /// Somebody in the peer's place learns a passkey that stays the same within a few tries, so these are numbered.
    func mayRisk(_ settings: PairingSettings, with peer: DeviceAddress) -> Bool {
        settings.passkey == nil || attempts.mayRiskPasskey(with: peer)
    }

    mutating func succeeded(_ peer: DeviceAddress) { attempts.succeeded(peer) }

    mutating func failed(_ run: LinkPairing.Run, with peer: DeviceAddress, at now: MonotonicTime) {
        attempts.failed(peer, isOurs: run.isOurs, at: now)
        if run.risksPasskey { attempts.failedWithKnownPasskey(peer) }
    }

    /// We are somebody else: nobody has tried with us.
    mutating func forgetAttempts() { attempts = PairingAttempts() }

    // MARK: What is used up

    /// No pairing that has ended has used it up.
    func isUnused(_ once: SecurityPolicy.Once) -> Bool { once.number > usedOnce }

    /// A pairing is over: what it was lent is used up if any of it was shown or proven with.
    mutating func ended(_ run: LinkPairing.Run) {
        guard let number = run.once, run.machine.hasUsedLocalSecret else { return }
        usedOnce = max(usedOnce, number)
    }

    var wantsSecrets: Bool { secrets.count < Self.secretsCapacity }

    /// Takes what one pairing uses up; more than are wanted are left out.
    mutating func provide(_ new: PairingSecrets) {
        if wantsSecrets { secrets.append(new) }
    }

    /// What a pairing that begins uses up; nil: there is nothing, so the pairing does not begin.
    mutating func takeSecrets() -> PairingSecrets? { secrets.popLast() }
}
