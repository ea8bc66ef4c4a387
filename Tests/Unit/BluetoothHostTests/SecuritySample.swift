// SPDX-License-Identifier: Apache-2.0

import SMP
import BluetoothCore
import BluetoothHost

/// Keys and bonds that are equal in every run.
enum Sample {
    static func key(_ octet: UInt8) -> SecretKey {
        SecretKey([UInt8](repeating: octet, count: 16)) ?? .zero
    }

    static func identity(_ number: UInt64) -> DeviceAddress {
        DeviceAddress(kind: .random, value: 0xC000_0000_0000 | number)
    }

    static func bond(
        _ number: UInt64, keys: LongTermKeys = .secureConnections(key(0xAB)), keySize: UInt8 = 16,
        identityKey: SecretKey? = nil, isAuthenticated: Bool = false
    ) -> Bond? {
        Bond(
            identity: identity(number), keys: keys, keySize: keySize, identityKey: identityKey,
            isAuthenticated: isAuthenticated)
    }
}
