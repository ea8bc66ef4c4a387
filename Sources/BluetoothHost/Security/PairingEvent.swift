// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP

/// What the host tells of a pairing.
package enum PairingEvent: Equatable, Sendable {
    /// It began; `isOurs`: by our own wish or need, not by the peer's.
    case began(isOurs: Bool)
    /// Answer with ``HostMachine/answer(_:onPairing:at:)`` where the question wants an answer.
    case asked(PairingQuestion, AssociationModel)
    /// The link is encrypted with the new key, and the bond is in the table.
    case finished(Bond)
    /// The link is encrypted with the new key, which ends with the link: one side does not bond, or the peer has no
    /// address that stays.
    case finishedUnbonded(LinkSecurity)
    /// Comes before ``failed(_:)`` where it was broken off after the first rounds of Passkey Entry, and not by a wrong digit:
    /// whoever listened, or tried, knows that part of the passkey, or all of it.
    case passkeyRevealed
    case failed(PairingFailure)
    /// A pairing that the peer wanted did not begin. Told once a link for each cause.
    case refused(PairingRefusal)
}

/// Whether a pairing that a client asks for has begun.
package enum PairingStart: Equatable, Sendable {
    /// ``PairingEvent`` tells how it goes on. As the Peripheral, the Central was asked for security.
    case started
    case isPairing
    /// There is a bond, and the policy keeps it.
    case isBonded
    case noLink
    /// Too many attempts have failed; another may begin after so long.
    case tooSoon(Duration)
    /// There is no room for another bond.
    case noRoom
}
