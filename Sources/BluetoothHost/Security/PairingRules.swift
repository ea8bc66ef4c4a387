// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP

/// Rules for pairings: which peers may pair, how, and with which secrets. Holds the policies for both roles, the cost
/// of earlier attempts, and the secrets that pairings use up.
struct PairingRules: Sendable {
    /// Pairings that may begin before more secrets are provided.
    static let secretsCapacity = 4

    /// A change during a pairing counts for later pairings.
    var policy = SecurityPolicy()
    /// The policy for links on which we are the Peripheral; nil: ``policy`` holds for these links as well.
    var peripheralPolicy: SecurityPolicy?
    /// The newest ``SecurityPolicy/Once`` that a pairing has used up.
    private var usedOnce: UInt64 = 0
    private var attempts = PairingAttempts()
    /// For pairings to come; each is used once.
    private(set) var secrets: [PairingSecrets] = []

    // MARK: Policies

    /// The policy for links in this role.
    func policy(for role: LinkRole) -> SecurityPolicy {
        switch role {
        case .central: policy
        case .peripheral: peripheralPolicy ?? policy
        }
    }

    /// The policy's settings for pairings with this peer. `identity` and `key`: ours.
    func settings(for link: Link, identity: DeviceAddress, key: SecretKey?) -> PairingSettings {
        let policy = policy(for: link.role)
        var settings = PairingSettings(identity: identity, identityKey: key)
        settings.ioCapability = policy.ioCapability
        settings.requiresAuthentication = policy.requiresAuthentication
        settings.isBonding = policy.isBondable
        // A person at this end is asked, if the peer can do its part.
        settings.asksForAuthentication = policy.ioCapability != .noInputNoOutput
        settings.minimumKeySize = policy.minimumKeySize
        settings.models = policy.models
        let names = [link.bondAddress, link.peer, link.addresses.peer]
        settings.allowsLegacy = names.contains(where: policy.legacyPeers.contains)
        if let passkey = names.lazy.compactMap({ policy.passkeys[$0] }).first {
            settings.passkey = passkey
            // A passkey known beforehand counts as entered here. Without authentication, the passkey would be useless.
            settings.requiresAuthentication = true
            if policy.ioCapability == .noInputNoOutput { settings.ioCapability = .keyboardOnly }
        }
        return settings
    }

    /// Centrals that connect to us have a policy of their own, or may not pair.
    var hasDoorForCentrals: Bool { peripheralPolicy != nil || !policy.admitsCentrals }

    /// The device is known here: a peer with another address may not claim this identity.
    func reserves(_ identity: DeviceAddress) -> Bool {
        policy.reserves(identity) || peripheralPolicy?.reserves(identity) == true
    }

    // MARK: Attempts

    /// How long this peer has to wait; nil: not at all. `isOurs`: we begin, so the peer cannot guess.
    func wait(for peer: DeviceAddress, isOurs: Bool, at now: MonotonicTime) -> Duration? {
        attempts.wait(for: peer, isOurs: isOurs, at: now)
    }

    /// A device in the peer's place learns a constant passkey within a few attempts, so these attempts are limited.
    func mayRisk(_ settings: PairingSettings, with peer: DeviceAddress) -> Bool {
        settings.passkey == nil || attempts.mayRiskPasskey(with: peer)
    }

    mutating func succeeded(_ peer: DeviceAddress) { attempts.succeeded(peer) }

    mutating func failed(_ run: LinkPairing.Run, with peer: DeviceAddress, at now: MonotonicTime) {
        attempts.failed(peer, isOurs: run.isOurs, at: now)
        if run.risksPasskey { attempts.failedWithKnownPasskey(peer) }
    }

    /// After a change of our identity, no peer has tried yet.
    mutating func forgetAttempts() { attempts = PairingAttempts() }

    // MARK: Secrets for one pairing

    /// No ended pairing has used the values up.
    func isUnused(_ once: SecurityPolicy.Once) -> Bool { once.number > usedOnce }

    /// A pairing is over. Its borrowed values are used up if the pairing has shown or used any of them.
    mutating func ended(_ run: LinkPairing.Run) {
        guard let number = run.once, run.machine.hasUsedLocalSecret else { return }
        usedOnce = max(usedOnce, number)
    }

    var wantsSecrets: Bool { secrets.count < Self.secretsCapacity }

    /// Takes the secrets of one pairing. Unwanted secrets are dropped.
    mutating func provide(_ new: PairingSecrets) {
        if wantsSecrets { secrets.append(new) }
    }

    /// The secrets for a new pairing; nil: there are none, so the pairing does not begin.
    mutating func takeSecrets() -> PairingSecrets? { secrets.popLast() }
}
