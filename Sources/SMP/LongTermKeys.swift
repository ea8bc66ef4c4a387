// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A Long Term Key of LE legacy pairing, with its EDIV and Rand. Core 5.4, Vol 3, Part H, 2.4.2.1.
package struct LegacyKey: Hashable, Codable, Sendable {
    package let key: SecretKey
    package let ediv: UInt16
    package let rand: UInt64

    package init(key: SecretKey, ediv: UInt16, rand: UInt64) {
        self.key = key
        self.ediv = ediv
        self.rand = rand
    }
}

package enum LongTermKeys: Hashable, Codable, Sendable {
    /// One key in both roles.
    case secureConnections(SecretKey)
    /// As the Central we use the key that the peer distributed; as the Peripheral, our own. In either case the
    /// Peripheral looks up the key that it has distributed.
    case legacy(peerDistributed: LegacyKey?, localDistributed: LegacyKey?)
}

/// The keys and facts from a finished pairing.
package struct PairingResult: Equatable, Sendable {
    package var keys: LongTermKeys
    /// Octets of the keys before the zeros: 7…16.
    package var keySize: UInt8
    package var model: AssociationModel
    /// The peer's identity address; nil if the peer has sent none with its key.
    package var identity: DeviceAddress?
    package var identityKey: SecretKey?
    /// Both sides keep the keys.
    package var isBonding: Bool

    package init(
        keys: LongTermKeys, keySize: UInt8, model: AssociationModel, identity: DeviceAddress? = nil,
        identityKey: SecretKey? = nil, isBonding: Bool
    ) {
        self.keys = keys
        self.keySize = keySize
        self.model = model
        self.identity = identity
        self.identityKey = identityKey
        self.isBonding = isBonding
    }

    /// The pairing would have revealed an attacker in the middle.
    package var isAuthenticated: Bool { model != .justWorks }
}
