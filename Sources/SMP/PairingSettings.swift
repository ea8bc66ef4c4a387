// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Our parameters for one pairing, and our demands on the peer.
package struct PairingSettings: Sendable {
    package var ioCapability = IOCapability.noInputNoOutput
    /// A key without protection against an attacker in the middle is refused.
    package var requiresAuthentication = false
    /// Asks the peer for protection (the flag MITM), so that people verify the pairing if both devices have the means.
    /// Without the means the pairing is Just Works.
    package var asksForAuthentication = false
    /// As the initiator, a person is asked before Just Works: the peer's Security Request has begun the pairing, not a
    /// person at this end. The responder always asks.
    package var asksConsent = false
    /// Offers Secure Connections to the peer; false only for a peer that fails at the offer. The pairing is then a LE
    /// legacy pairing, and needs ``allowsLegacy``.
    package var offersSecureConnections = true
    /// The peer may pair by LE legacy pairing, whose keys a listener can compute.
    package var allowsLegacy = false
    /// The peer may use the public debug key pair, for recordings of the air. The keys of such a pairing are never
    /// kept: ``PairingResult/isBonding`` is false. Core 5.4, Vol 3, Part H, 2.3.5.6.1.
    package var allowsDebugKey = false
    /// The least octets of the key: 7…16.
    package var minimumKeySize: UInt8 = 16
    /// The most octets of our keys: 7…16.
    package var maximumKeySize: UInt8 = 16
    /// The keys are to be kept.
    package var isBonding = true
    package var models = Set(AssociationModel.allCases)
    /// The peer's passkey if known beforehand: no person is asked.
    package var passkey: UInt32?
    /// The passkey to display, 0…999999, in place of new digits: people have seen these digits before.
    package var shownPasskey: UInt32?
    /// The peer's data that came by other means, and our data that the peer has.
    package var peerOutOfBand: OutOfBandData?
    package var localOutOfBand: LocalOutOfBandData?
    /// Our identity address for bonded peers; sent together with ``identityKey`` unless the key is nil.
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

/// A peer's data that came by other means than this radio. Core 5.4, Vol 3, Part H, 2.3.5.6.4, and Part C, 10.2.
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

/// Our data that the peer has by other means: valid for one pairing, with their key pair.
package struct LocalOutOfBandData: Sendable {
    package let keyPair: KeyPair
    /// 16 octets, most significant first.
    package let random: [UInt8]

    package init(keyPair: KeyPair, random: [UInt8]) {
        self.keyPair = keyPair
        self.random = random
    }
}

/// The secrets of one pairing; made anew for each pairing, so that one pairing's secrets tell nothing about another's.
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
