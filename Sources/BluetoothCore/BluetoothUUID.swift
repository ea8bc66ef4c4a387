// SPDX-License-Identifier: Apache-2.0

/// A Bluetooth UUID. A 16- or 32-bit value stands for a 128-bit UUID on the Bluetooth base, and compares equal to this
/// UUID. Core 5.4, Vol 3, Part B, 2.5.1.
package struct BluetoothUUID: Hashable, Sendable {
    package let high: UInt64
    package let low: UInt64

    private static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB
    private static let baseHigh: UInt64 = 0x0000_0000_0000_1000

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package init(_ short: UInt16) { self.init(UInt32(short)) }

    package init(_ short: UInt32) {
        high = UInt64(short) << 32 | Self.baseHigh
        low = Self.baseLow
    }

    /// Reads 2, 4 or 16 octets in the order of the air, least significant first.
    package init?(littleEndian octets: some Collection<UInt8>) {
        switch octets.count {
        case 2, 4:
            self.init(octets.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
        case 16:
            let ordered = Array(octets.reversed())
            self.init(
                high: ordered[..<8].reduce(0) { $0 << 8 | UInt64($1) },
                low: ordered[8...].reduce(0) { $0 << 8 | UInt64($1) })
        default:
            return nil
        }
    }

    /// Reads a UUID from a span of 2, 4 or 16 octets; nil for other lengths.
    package init?(littleEndian octets: RawSpan) {
        switch octets.byteCount {
        case 2: self.init(octets.u16(at: 0))
        case 4: self.init(UInt32(octets.u16(at: 2)) << 16 | UInt32(octets.u16(at: 0)))
        default: self.init(littleEndian: octets.array(0..<octets.byteCount))
        }
    }

    /// Reads `180D`, `0000180D` or `0000180D-0000-1000-8000-00805F9B34FB`, in either case, with or without `0x`.
    package init?(_ text: String) {
        let body = text.hasPrefix("0x") || text.hasPrefix("0X") ? String(text.dropFirst(2)) : text
        let dashes = body.utf8.enumerated().filter { $0.element == UInt8(ascii: "-") }.map(\.offset)
        guard dashes.isEmpty || (dashes == [8, 13, 18, 23] && body.utf8.count == 36) else { return nil }
        guard !body.contains(where: { $0 == " " || $0 == ":" }),
            let octets = [UInt8](hexadecimal: body.filter { $0 != "-" })
        else { return nil }
        self.init(littleEndian: octets.reversed())
    }

    /// The 16-bit value, if the UUID has a 16-bit value.
    package var short: UInt16? {
        guard low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh, high >> 48 == 0 else { return nil }
        return UInt16(truncatingIfNeeded: high >> 32)
    }

    /// The 32-bit value, if the UUID has a 32-bit value.
    package var short32: UInt32? {
        guard low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh else { return nil }
        return UInt32(truncatingIfNeeded: high >> 32)
    }

    /// The form for ATT: 2 octets if a 16-bit value exists, else 16; least significant first.
    package var attributeOctets: [UInt8] {
        if let short { return [UInt8(truncatingIfNeeded: short), UInt8(truncatingIfNeeded: short >> 8)] }
        return longOctets
    }

    /// All 16 octets, least significant first: a device may also have declared a short UUID in this form.
    package var longOctets: [UInt8] {
        var octets: [UInt8] = []
        octets.append(u64: low)
        octets.append(u64: high)
        return octets
    }
}

extension BluetoothUUID: CustomStringConvertible {
    /// Upper case: `180D`, `12345678` or the full form with dashes.
    package var description: String {
        if let short { return short.bigEndianHexadecimal }
        if let short32 { return short32.bigEndianHexadecimal }
        let digits = Array((high.bigEndianHexadecimal + low.bigEndianHexadecimal))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }
}

extension BluetoothUUID: ExpressibleByIntegerLiteral {
    /// A 16-bit UUID.
    package init(integerLiteral short: UInt16) { self.init(short) }
}

extension FixedWidthInteger {
    /// All digits, upper case, most significant first: `002A`.
    package var bigEndianHexadecimal: String {
        let text = String(self, radix: 16, uppercase: true)
        return String(repeating: "0", count: Swift.max(0, Self.bitWidth / 4 - text.count)) + text
    }
}
