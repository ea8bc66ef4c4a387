// SPDX-License-Identifier: Apache-2.0

/// Appending of little-endian fields.
extension [UInt8] {
    package mutating func append(u16 value: UInt16) {
        append(UInt8(truncatingIfNeeded: value))
        append(UInt8(truncatingIfNeeded: value >> 8))
    }

    package mutating func append(u24 value: UInt32) {
        append(u16: UInt16(truncatingIfNeeded: value))
        append(UInt8(truncatingIfNeeded: value >> 16))
    }

    package mutating func append(u32 value: UInt32) {
        append(u16: UInt16(truncatingIfNeeded: value))
        append(u16: UInt16(truncatingIfNeeded: value >> 16))
    }

    package mutating func append(u48 value: UInt64) {
        append(u32: UInt32(truncatingIfNeeded: value))
        append(u16: UInt16(truncatingIfNeeded: value >> 32))
    }

    package mutating func append(u64 value: UInt64) {
        append(u32: UInt32(truncatingIfNeeded: value))
        append(u32: UInt32(truncatingIfNeeded: value >> 32))
    }
}

extension [UInt8] {
    /// Reads pairs of hexadecimal digits; spaces and colons between pairs are allowed. Nil when anything else is found.
    package init?(hexadecimal text: some StringProtocol) {
        var octets: [UInt8] = []
        var high: UInt8?
        for character in text.utf8 {
            let digit: UInt8
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = character - UInt8(ascii: "A") + 10
            case UInt8(ascii: " ") where high == nil, UInt8(ascii: ":") where high == nil: continue
            default: return nil
            }
            if let first = high {
                octets.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil else { return nil }
        self = octets
    }
}

extension Collection<UInt8> {
    /// Two lower-case hexadecimal digits an octet, without separators.
    package var hexadecimal: String {
        let digits: StaticString = "0123456789abcdef"
        return String(unsafeUninitializedCapacity: count * 2) { buffer in
            var index = 0
            for octet in self {
                buffer[index] = digits.utf8Start[Int(octet >> 4)]
                buffer[index + 1] = digits.utf8Start[Int(octet & 15)]
                index += 2
            }
            return index
        }
    }
}
