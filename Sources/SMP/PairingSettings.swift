// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// What we bring to one pairing, and what we accept of the peer.
package struct PairingSettings: Sendable {
    package var ioCapability = IOCapability.noInputNoOutput
    /// A key that is not protected against somebody in the middle is refused.
    package var requiresAuthentication = false
    /// The peer is asked for protection (the flag MITM), so that people make sure of each other wherever both devices
    /// let them; Just Works does where they do not.
    package var asksForAuthentication = false
    /// As the initiator, somebody is asked before keys are made that nobody makes sure of: the peer's Security Request has
    /// begun the pairing, and nobody here. The responder always asks.
    package var asksConsent = false
    /// Secure Connections are offered to the peer; false only for one that stumbles over the offer. The pairing is a
    /// LE legacy one then, and needs ``allowsLegacy``.
    package var offersSecureConnections = true
    /// The peer may pair by LE legacy pairing, whose keys somebody who listens can compute.
    package var allowsLegacy = false
    /// The peer may use the key pair that everybody knows, as it does for somebody who records the air. Such a pairing
    /// is never kept: ``PairingResult/isBonding`` is false. Core 5.4, Vol 3, Part H, 2.3.5.6.1.
    package var allowsDebugKey = false
    /// Octets that the key must have: 7…16.
    package var minimumKeySize: UInt8 = 16
    /// Octets that our keys have at most: 7…16.
    package var maximumKeySize: UInt8 = 16
    /// The keys are to be kept.
    package var isBonding = true
    package var models = Set(AssociationModel.allCases)
    /// The peer's passkey, where it is known beforehand: nobody is asked for it.
    package var passkey: UInt32?
    /// What is shown where we show a passkey, 0…999999, in place of new digits: people have seen it before.
    package var shownPasskey: UInt32?
    /// What the peer has told by other means, and what we have told it.
    package var peerOutOfBand: OutOfBandData?
    package var localOutOfBand: LocalOutOfBandData?
    /// What we are called by bonded peers; sent to the peer with ``identityKey`` unless that is nil.
    package var identity: DeviceAddress
    package var identityKey: SecretKey?

    package init(identity: DeviceAddress, identityKey: SecretKey? = nil) {
        self.identity = identity
        self.identityKey = identityKey
    }
}

extension PairingSettings: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<pairing settings>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// What a peer has told us by other means than this radio. Core 5.4, Vol 3, Part H, 2.3.5.6.4, and Part C, 10.2.
package struct OutOfBandData: Equatable, Sendable {
    /// Secure Connections: 16 octets each, most significant first.
    package var confirm: [UInt8]?
    package var random: [UInt8]?
    /// LE legacy pairing: the Temporary Key.
    package var temporaryKey: SecretKey?

    package init(confirm: [UInt8]? = nil, random: [UInt8]? = nil, temporaryKey: SecretKey? = nil) {
        self.confirm = confirm
        self.random = random
        self.temporaryKey = temporaryKey
    }
}

/// What we have told the peer by other means: good for one pairing, with the key pair that it was made for.
package struct LocalOutOfBandData: Sendable {
    package let keyPair: KeyPair
    /// 16 octets, most significant first.
    package let random: [UInt8]

    package init(keyPair: KeyPair, random: [UInt8]) {
        self.keyPair = keyPair
        self.random = random
    }
}

/// What one pairing uses up of secrets; made anew for each, so that nothing of one tells about another.
package struct PairingSecrets: Sendable {
    /// Nonces of 20 rounds, passkey, and the keys of LE legacy pairing.
    package static let octetCount = 512

    package let keyPair: KeyPair
    /// ``octetCount`` octets of a generator fit for keys.
    package let octets: [UInt8]

    /// Nil unless there are enough octets.
    package init?(keyPair: KeyPair, octets: [UInt8]) {
        guard octets.count >= Self.octetCount else { return nil }
        self.keyPair = keyPair
        self.octets = octets
    }
}
