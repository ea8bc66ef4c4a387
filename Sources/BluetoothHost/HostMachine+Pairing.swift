// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP

/// Pairings: what begins them, and what comes of them.
extension HostMachine {
    /// Pairs with the peer of a link, whatever the window says. `settings` changes what the policy gives for this
    /// pairing. A bond stays in place until the new one is made.
    package mutating func pair(
        _ link: LinkID, at now: MonotonicTime, _ settings: (inout PairingSettings) -> Void = { _ in }
    ) -> PairingStart {
        .noLink
    }

    /// Answers the question of the pairing on this link; without one, nothing happens.
    package mutating func answer(_ answer: PairingAnswer, onPairing link: LinkID, at now: MonotonicTime) {}

    /// Ends the pairing on this link, and tells the peer.
    package mutating func cancelPairing(on link: LinkID, at now: MonotonicTime) {}

    /// ``provide(pairingSecrets:)`` should be called before more comes in.
    package var wantsPairingSecrets: Bool { false }

    package mutating func provide(pairingSecrets: PairingSecrets) {}
}
