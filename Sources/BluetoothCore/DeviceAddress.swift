// SPDX-License-Identifier: Apache-2.0

/// A Bluetooth device address with its type. Core 5.4, Vol 6, Part B, 1.3. The type is public because dictionaries of
/// other modules compare addresses: the compiler calls package declarations through a table there.
public struct DeviceAddress: Hashable, Sendable {
    package enum Kind: UInt8, Sendable {
        case `public` = 0
        case random = 1
    }

    /// Address and type in one word; bit 48 is the type. One word makes the look-up for every advertisement quick.
    let word: UInt64

    package var kind: Kind { word >> 48 == 0 ? .public : .random }
    /// The 48-bit address; the most significant octet is printed first.
    package var value: UInt64 { word & 0xFFFF_FFFF_FFFF }

    package init(kind: Kind, value: UInt64) {
        word = UInt64(kind.rawValue) << 48 | value & 0xFFFF_FFFF_FFFF
    }

    /// Reads `C4:7C:8D:00:11:22`, with or without colons.
    package init?(_ text: String, kind: Kind) {
        guard let octets = [UInt8](hexadecimal: text), octets.count == 6 else { return nil }
        self.init(kind: kind, value: octets.reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// The kinds of random address, by the two most significant bits. Core 5.4, Vol 6, Part B, 1.3.2.
    package var isStaticRandom: Bool { kind == .random && value >> 46 == 0b11 }
    package var isResolvablePrivate: Bool { kind == .random && value >> 46 == 0b01 }
    package var isNonResolvablePrivate: Bool { kind == .random && value >> 46 == 0b00 }

    /// A public address that was not assigned to this device alone: a group address (IEEE 802-2014, 8.2), or a default
    /// of Broadcom's chips before the maker sets an address, as on some Raspberry Pis (43:43:A1:12:1F:AC,
    /// AA:AA:AA:AA:AA:AA).
    package var isUnassigned: Bool { kind == .public && (value >> 40 & 1 == 1 || value == 0xAAAA_AAAA_AAAA) }

    /// True if a device can have this address: all zeros and all ones belong to no device, whatever the type. Core 5.4,
    /// Vol 6, Part B, 1.3.
    package var isDevice: Bool { value != 0 && value != 0xFFFF_FFFF_FFFF }

    /// Public or static random: an address that stays with the device.
    package var isIdentity: Bool { kind == .public || isStaticRandom }

    /// Twelve lower-case hexadecimal digits without separators.
    package var compact: String {
        stride(from: 40, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt64($0)) }.hexadecimal
    }
}

extension DeviceAddress: CustomStringConvertible {
    /// `C4:7C:8D:00:11:22`. Each status names each sensor, so the text is written in one go.
    public var description: String {
        let digits: StaticString = "0123456789ABCDEF"
        return String(unsafeUninitializedCapacity: 17) { buffer in
            for octet in 0..<6 {
                let bits = UInt8(truncatingIfNeeded: value >> UInt64(40 - octet * 8))
                buffer[octet * 3] = digits.utf8Start[Int(bits >> 4)]
                buffer[octet * 3 + 1] = digits.utf8Start[Int(bits & 15)]
                if octet < 5 { buffer[octet * 3 + 2] = UInt8(ascii: ":") }
            }
            return 17
        }
    }
}
