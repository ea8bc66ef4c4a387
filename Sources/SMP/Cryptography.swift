// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Libcrypto

/// The security functions of Core 5.4, Vol 3, Part H, 2.2. Octets go in and come out most significant first, as the
/// specification prints them.
package enum Cryptography {
    /// Encrypts one block of 16 octets: security function e, 2.2.1.
    package static func e(_ key: SecretKey, _ block: [UInt8]) -> [UInt8] {
        guard let encrypted = AES128.encrypt(block, key: key.octets) else {
            // Neither length comes from outside: a SecretKey has 16 octets or is none, and blocks are made here.
            preconditionFailure("a key and a block have 16 octets")
        }
        return encrypted
    }

    /// AES-CMAC, 2.2.5 and RFC 4493: 16 octets.
    package static func cmac(_ key: SecretKey, _ message: [UInt8]) -> [UInt8] {
        guard let code = AES128.cmac(message, key: key.octets) else {
            // A SecretKey has 16 octets or is none; a message may have any length.
            preconditionFailure("a key has 16 octets")
        }
        return code
    }

    /// The 24-bit hash of a resolvable private address, 2.2.2. `prand`: 24 bits.
    package static func ah(_ identityKey: SecretKey, prand: UInt32) -> UInt32 {
        var block = [UInt8](repeating: 0, count: 13)
        for shift in [16, 8, 0] as [UInt32] { block.append(UInt8(truncatingIfNeeded: prand >> shift)) }
        return e(identityKey, block).suffix(3).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The GATT Database Hash of the attributes' octets, Core 5.4, Vol 3, Part G, 7.3.
    package static func databaseHash(_ attributes: [UInt8]) -> [UInt8] { cmac(.zero, attributes) }
}

extension DeviceAddress {
    /// A resolvable private address. Core 5.4, Vol 6, Part B, 1.3.2.2. `random`: of it, 22 bits are used.
    package static func resolvable(_ identityKey: SecretKey, random: UInt32) -> DeviceAddress {
        var part = random & 0x3F_FFFF
        // The random part is neither all zeros nor all ones.
        if part == 0 || part == 0x3F_FFFF { part = 1 }
        let prand = part | 0x40_0000
        return DeviceAddress(
            kind: .random, value: UInt64(prand) << 24 | UInt64(Cryptography.ah(identityKey, prand: prand)))
    }

    /// A non-resolvable private address. Core 5.4, Vol 6, Part B, 1.3.2.2. `random`: of it, 46 bits are used.
    package static func nonResolvable(random: UInt64) -> DeviceAddress {
        var part = random & 0x3FFF_FFFF_FFFF
        if part == 0 || part == 0x3FFF_FFFF_FFFF { part = 1 }
        return DeviceAddress(kind: .random, value: part)
    }

    /// The holder of this key made the address.
    package func isResolved(by identityKey: SecretKey) -> Bool {
        guard isResolvablePrivate else { return false }
        let prand = UInt32(truncatingIfNeeded: value >> 24)
        return UInt64(Cryptography.ah(identityKey, prand: prand)) == value & 0xFF_FFFF
    }
}
