// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP

/// Events of a pairing for clients.
package enum PairingEvent: Equatable, Sendable {
    /// The pairing began. `isOurs`: by our own wish or need, not by the peer's.
    case began(isOurs: Bool)
    /// Answer with ``HostMachine/answer(_:onPairing:at:)`` if the question wants an answer.
    case asked(PairingQuestion, AssociationModel)
    /// The link is encrypted with the new key, and the bond is in the table.
    case finished(Bond)
    /// The link is encrypted with the new key, which ends with the link: one side does not bond, or the peer has no
    /// permanent address.
    case finishedUnbonded(LinkSecurity)
    /// Comes before ``failed(_:)`` if the pairing ended after the first rounds of Passkey Entry for another reason than
    /// a wrong digit. An eavesdropper or attacker then knows this part of the passkey, or all of it.
    case passkeyRevealed
    case failed(PairingFailure)
    /// A peer's wish to pair was refused. Told once a link for each cause.
    case refused(PairingRefusal)
}

/// Whether a pairing at a client's wish has begun.
package enum PairingStart: Equatable, Sendable {
    /// ``PairingEvent`` reports the further course. As the Peripheral, we have asked the Central for security.
    case started
    case isPairing
    /// There is a bond, and the policy keeps it.
    case isBonded
    case noLink
    /// Too many attempts have failed. The next attempt may begin after this time.
    case tooSoon(Duration)
    /// There is no room for another bond.
    case noRoom
}
