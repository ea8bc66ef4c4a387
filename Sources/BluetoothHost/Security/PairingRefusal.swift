// SPDX-License-Identifier: Apache-2.0

import SMP

/// Why the host has refused a peer's pairing before its beginning.
package enum PairingRefusal: UInt8, CaseIterable, Sendable {
    /// ``SecurityPolicy/acceptsPairing`` is closed, or was open until now.
    case closed
    /// The policy is for peers that we have connected to.
    case centralsNotAdmitted
    /// The policy pairs on demand, and no published service or channel demands security.
    case nothingProtected
    /// There is a bond, and the policy keeps it.
    case bonded
    /// There is no room for another bond.
    case noRoom
    /// Too many pairings have failed.
    case tooSoon
    /// The policy's passkey for one pairing is used up.
    case usedUp
    /// The passkey is known beforehand, and was tried too often.
    case passkeyAtRisk

    /// The reason in the peer's Pairing Failed. Core 5.4, Vol 3, Part H, 3.5.5, table 3.7.
    package var reason: PairingFailedReason {
        switch self {
        case .closed, .centralsNotAdmitted, .nothingProtected, .bonded: .pairingNotSupported
        case .noRoom: .unspecifiedReason
        // A later attempt makes sense: the next digits come when the policy is set again. Pairing Not Supported would
        // discourage it.
        case .tooSoon, .usedUp, .passkeyAtRisk: .repeatedAttempts
        }
    }

    /// The reason in words, for people.
    package var text: String {
        switch self {
        case .closed: "pairings that other devices start are not accepted now"
        case .centralsNotAdmitted: "devices that connect to us may not pair"
        case .nothingProtected: "nothing that is published needs encryption"
        case .bonded: "there is a bond with it already"
        case .noRoom: "there is no room for another bond"
        case .tooSoon: "too many pairings have failed"
        case .usedUp: "the digits of the policy are good for one pairing"
        case .passkeyAtRisk: "its passkey was tried too often"
        }
    }

    /// The program's remedy.
    package var remedy: String {
        switch self {
        case .closed: "set CBPairingPolicy.incoming for as long as devices may pair"
        case .centralsNotAdmitted: "set CBPairingPolicy.admitsCentrals, or a policy for centrals"
        case .nothingProtected: "publish what needs encryption first, or set CBPairingPolicy.incoming"
        case .bonded: "remove the bond, or set CBPairingPolicy.replacement"
        case .noRoom: "remove bonds that are not needed any more"
        case .tooSoon: "wait; the pause grows with each failure, to 15 min"
        case .usedUp: "set the policy again"
        case .passkeyAtRisk: "pair by the program's own wish, once the passkey is right"
        }
    }
}
