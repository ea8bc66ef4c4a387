// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation

/// Additive: a paired device and the security of its keys; never the keys.
public struct CBBond: Hashable, Sendable {
    /// The identifier of the `CBPeripheral` or `CBCentral`.
    public let identifier: UUID
    /// The device's identity address, `C4:7C:8D:00:11:22`, also while the device uses private addresses.
    public let address: String
    /// The pairing was protected against an attacker in the middle.
    public let isAuthenticated: Bool
    /// The key came of LE Secure Connections; otherwise of LE legacy pairing.
    public let isSecureConnections: Bool
    /// Octets of the key: 7…16.
    public let keySize: Int
    /// The device can be recognised behind private addresses.
    public let hasIdentityKey: Bool
    /// The device was the Central when the bond was made: a phone, say. False: a peripheral.
    public let isOfCentral: Bool
    /// The time of the pairing, by the clock of the pairing.
    public let creationDate: Date

    init(_ record: BondRecord, identifier: UUID) {
        self.identifier = identifier
        address = record.bond.identity.description
        isAuthenticated = record.bond.isAuthenticated
        isSecureConnections = record.bond.isSecureConnections
        keySize = Int(record.bond.keySize)
        hasIdentityKey = record.bond.identityKey != nil
        isOfCentral = record.bond.isOfCentral
        creationDate = Date(timeIntervalSince1970: Double(record.madeAt))
    }
}
