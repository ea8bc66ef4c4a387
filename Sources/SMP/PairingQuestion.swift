// SPDX-License-Identifier: Apache-2.0

/// What a pairing wants people to do. ``consent``, ``enterPasskey`` and ``compare(_:)`` wait for an answer.
package enum PairingQuestion: Equatable, Sendable {
    /// May this peer be paired with, though nobody makes sure that it is the right one?
    case consent
    /// Show these digits, 0…999999, until the pairing ends: they are entered on the peer.
    case display(passkey: UInt32)
    /// Ask for the digits that the peer shows.
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
