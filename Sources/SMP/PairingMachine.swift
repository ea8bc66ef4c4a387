// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// One pairing on one link, in either role. Core 5.4, Vol 3, Part H.
package struct PairingMachine: Sendable {
    package enum Effect: Equatable, Sendable {
        case send([UInt8])
        case ask(PairingQuestion)
        /// As the initiator: encrypt the link with this key, with EDIV and Rand zero, and say how it went with
        /// ``encrypted(at:)`` or ``encryptionFailed(at:)``.
        case encrypt(SecretKey)
        case finished(PairingResult)
        case failed(PairingFailure)
    }

    /// Nothing for so long from the peer ends the pairing. Core 5.4, Vol 3, Part H, 3.4.
    package static let timeout: Duration = .seconds(30)

    package let role: LinkRole
    /// When ``expire(at:)`` has to be called.
    package private(set) var deadline: MonotonicTime?
    /// What the link is worth once it is encrypted with the key of this pairing; nil before there is one.
    package private(set) var security: LinkSecurity?
    /// Known once both features are.
    package private(set) var model: AssociationModel?

    /// `initiator`, `responder`: the addresses that the link was made with, as they were on the air.
    package init(
        role: LinkRole, initiator: DeviceAddress, responder: DeviceAddress, settings: PairingSettings,
        secrets: PairingSecrets
    ) {
        self.role = role
    }

    /// As the initiator: asks the peer to pair.
    package mutating func begin(at now: MonotonicTime) -> [Effect] { [] }

    /// Takes one PDU of the Security Manager channel.
    package mutating func received(_ pdu: ArraySlice<UInt8>, at now: MonotonicTime) -> [Effect] { [] }

    package mutating func answer(_ answer: PairingAnswer, at now: MonotonicTime) -> [Effect] { [] }

    /// As the responder: the key with which the initiator may encrypt now. Nil at every other moment of the pairing.
    package func key(ediv: UInt16, rand: UInt64) -> SecretKey? { nil }

    /// The link is encrypted with the key of this pairing.
    package mutating func encrypted(at now: MonotonicTime) -> [Effect] { [] }

    package mutating func encryptionFailed(at now: MonotonicTime) -> [Effect] { [] }

    /// Ends the pairing and tells the peer.
    package mutating func cancel(_ reason: PairingFailedReason, at now: MonotonicTime) -> [Effect] { [] }

    package mutating func expire(at now: MonotonicTime) -> [Effect] { [] }
}
