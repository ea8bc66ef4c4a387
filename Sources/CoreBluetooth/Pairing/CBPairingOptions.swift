// SPDX-License-Identifier: Apache-2.0

import SMP

/// Additive: the exceptions of one pairing from ``CBController/pairingPolicy``; nil keeps the policy's value.
public struct CBPairingOptions: Hashable, Sendable {
    /// How this end shows digits to people, and lets people enter digits.
    public var capability: CBPairingCapability?
    /// The device's passkey, if known: no person is asked, and the pairing has to use the passkey.
    public var passkey: CBPasskey?
    /// The pairing must be protected against an attacker in the middle.
    public var requiresAuthentication: Bool?
    /// Accepts LE legacy pairing from a device without Secure Connections.
    public var allowsLegacy: Bool?
    var outOfBand: CBOutOfBandData.Settings?

    /// Nothing else than the policy says.
    public init(
        capability: CBPairingCapability? = nil, passkey: CBPasskey? = nil, requiresAuthentication: Bool? = nil,
        allowsLegacy: Bool? = nil
    ) {
        self.capability = capability
        self.passkey = passkey
        self.requiresAuthentication = requiresAuthentication
        self.allowsLegacy = allowsLegacy
    }
}

extension CBPairingOptions {
    func apply(to settings: inout PairingSettings) {
        if let capability {
            settings.ioCapability = capability.capability
            settings.asksForAuthentication = capability != .none
        }
        if let requiresAuthentication { settings.requiresAuthentication = requiresAuthentication }
        if let allowsLegacy { settings.allowsLegacy = allowsLegacy }
        if let outOfBand { (settings.localOutOfBand, settings.peerOutOfBand) = (outOfBand.local, outOfBand.peer) }
        guard let passkey else { return }
        settings.passkey = passkey.value
        // The passkey counts as entered here. A pairing without the passkey would give no protection.
        settings.ioCapability = .keyboardOnly
        settings.requiresAuthentication = true
    }
}
