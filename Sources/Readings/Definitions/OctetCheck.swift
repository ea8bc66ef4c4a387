// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A checksum in a value.
package struct OctetCheck: Equatable, Sendable {
    package enum Method: Equatable, Sendable {
        /// The sum of all octets, and all octets by exclusive or.
        case sum, exclusiveOr
        case crc(CyclicCheck)
    }

    package var method: Method
    /// The first and the last octet under the checksum. Below zero, they count from the end.
    package var first: Int
    package var last: Int
    /// The place of the checksum.
    package var number: OctetNumber

    package init(_ method: Method, first: Int, last: Int, number: OctetNumber) {
        (self.method, self.first, self.last, self.number) = (method, first, last, number)
    }

    func holds(in value: [UInt8]) -> Bool {
        let start = first < 0 ? value.count + first : first
        let end = last < 0 ? value.count + last : last
        guard start >= 0, end < value.count, start <= end, let said = number.integer(in: value) else { return false }
        let octets = value[start...end]
        let found: UInt64 =
            switch method {
            case .sum: octets.reduce(0) { $0 &+ UInt64($1) }
            case .exclusiveOr: octets.reduce(0) { $0 ^ UInt64($1) }
            case .crc(let check): UInt64(check.of(octets))
            }
        let mask = number.bits < 64 ? UInt64(1) << UInt64(number.bits) - 1 : .max
        return found & mask == UInt64(bitPattern: said) & mask
    }
}

/// A cyclic redundancy check of 8 or 16 bits, with parameters as in catalogues of these checks.
package struct CyclicCheck: Equatable, Sendable {
    /// 8 or 16.
    package var width: Int
    package var polynomial: UInt16
    package var initial: UInt16
    package var isReflected: Bool
    package var final: UInt16

    package init(width: Int, polynomial: UInt16, initial: UInt16 = 0, isReflected: Bool = false, final: UInt16 = 0) {
        (self.width, self.polynomial, self.initial) = (width == 8 ? 8 : 16, polynomial, initial)
        (self.isReflected, self.final) = (isReflected, final)
    }

    package func of(_ octets: ArraySlice<UInt8>) -> UInt16 {
        let top = UInt16(1) << UInt16(width - 1)
        let mask: UInt16 = width == 8 ? 0xFF : 0xFFFF
        let reversed = Self.reversed(polynomial, width)
        var register = isReflected ? Self.reversed(initial, width) : initial & mask
        for octet in octets {
            register ^= isReflected ? UInt16(octet) : UInt16(octet) << UInt16(width - 8)
            for _ in 0..<8 {
                if isReflected {
                    register = register & 1 == 0 ? register >> 1 : register >> 1 ^ reversed
                } else {
                    register = (register & top == 0 ? register << 1 : register << 1 ^ polynomial) & mask
                }
            }
        }
        return (register ^ final) & mask
    }

    private static func reversed(_ number: UInt16, _ width: Int) -> UInt16 {
        (0..<width).reduce(0) { $0 << 1 | number >> UInt16($1) & 1 }
    }
}
