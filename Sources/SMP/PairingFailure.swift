// SPDX-License-Identifier: Apache-2.0

/// Why a pairing failed, as Pairing Failed says it. Core 5.4, Vol 3, Part H, 3.5.5.
package struct PairingFailedReason: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let passkeyEntryFailed = Self(rawValue: 0x01)
    package static let outOfBandNotAvailable = Self(rawValue: 0x02)
    package static let authenticationRequirements = Self(rawValue: 0x03)
    package static let confirmValueFailed = Self(rawValue: 0x04)
    package static let pairingNotSupported = Self(rawValue: 0x05)
    package static let encryptionKeySize = Self(rawValue: 0x06)
    package static let commandNotSupported = Self(rawValue: 0x07)
    package static let unspecifiedReason = Self(rawValue: 0x08)
    package static let repeatedAttempts = Self(rawValue: 0x09)
    package static let invalidParameters = Self(rawValue: 0x0A)
    package static let diffieHellmanKeyCheckFailed = Self(rawValue: 0x0B)
    package static let numericComparisonFailed = Self(rawValue: 0x0C)
    package static let pairingInProgressOverBREDR = Self(rawValue: 0x0D)
    package static let crossTransportKeyDerivationNotAllowed = Self(rawValue: 0x0E)
    package static let keyRejected = Self(rawValue: 0x0F)
    package static let busy = Self(rawValue: 0x10)
}

/// How a pairing ended without a key.
package enum PairingFailure: Equatable, Sendable {
    /// We ended the pairing, and sent the peer this reason.
    case refused(PairingFailedReason)
    /// The peer ended the pairing.
    case refusedByPeer(PairingFailedReason)
    /// The peer said nothing for 30 s: no other pairing can follow on this link. Core 5.4, Vol 3, Part H, 3.4.
    case timedOut
    /// The link could not be encrypted with the new key.
    case encryptionFailed
    /// The link ended first.
    case disconnected
}
