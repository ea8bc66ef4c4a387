// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A Long Term Key of LE legacy pairing, with the numbers that name it. Core 5.4, Vol 3, Part H, 2.4.2.1.
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
    /// One key for both roles.
    case secureConnections(SecretKey)
    /// A device that was asked for encryption as the Peripheral looks up the key that it had distributed: the one
    /// that the peer distributed serves us as the Central, our own as the Peripheral.
    case legacy(peerDistributed: LegacyKey?, localDistributed: LegacyKey?)
}

/// What a pairing has brought.
package struct PairingResult: Equatable, Sendable {
    package var keys: LongTermKeys
    /// Octets of the keys that are not zero: 7…16.
    package var keySize: UInt8
    package var model: AssociationModel
    /// The peer's identity, where it gave one with its key.
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

    /// Somebody in the middle would have been noticed.
    package var isAuthenticated: Bool { model != .justWorks }
}
