// SPDX-License-Identifier: Apache-2.0

/// A question to a person. ``consent``, ``enterPasskey`` and ``compare(_:)`` wait for an answer.
package enum PairingQuestion: Equatable, Sendable {
    /// May this peer be paired without a proof of its identity?
    case consent
    /// Show these digits, 0…999999, until the pairing ends: they are entered on the peer.
    case display(passkey: UInt32)
    /// Asks for the digits on the peer's display.
    case enterPasskey
    /// Do both devices show these digits, 0…999999?
    case compare(UInt32)
}

package enum PairingAnswer: Equatable, Sendable {
    /// Yes to ``PairingQuestion/consent`` or ``PairingQuestion/compare(_:)``.
    case yes
    case no
    /// To ``PairingQuestion/enterPasskey``: 0…999999; anything else fails the pairing.
    case passkey(UInt32)
}
