// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A number in a value: the place of its octets, and their encoding.
package struct OctetNumber: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case unsigned, signed
        /// The highest bit is the sign of the other bits.
        case signMagnitude
        /// Two decimal digits an octet.
        case decimalDigits
        /// IEEE 754, binary32.
        case float
        /// IEEE 11073-20601, 16 and 32 bits.
        case shortMedical, medical
    }

    /// Octets before the number. Below zero, counted from the end: −1 is the last octet.
    package var offset: Int
    /// Octets of the number: 1…8.
    package var octets: Int
    package var kind: Kind
    package var isBigEndian: Bool
    /// The bits of the number; the lowest of them becomes bit 0. Nil: all bits.
    package var mask: UInt64?

    package init(
        offset: Int, octets: Int = 1, kind: Kind = .unsigned, isBigEndian: Bool = false, mask: UInt64? = nil
    ) {
        (self.offset, self.octets, self.kind) = (offset, min(max(octets, 1), 8), kind)
        (self.isBigEndian, self.mask) = (isBigEndian, mask == 0 ? nil : mask)
    }

    /// The size of the number in bits: 1…64.
    var bits: Int { mask.map { 64 - $0.leadingZeroBitCount - $0.trailingZeroBitCount } ?? 8 * octets }

    /// The place of the number in a value of `count` octets; nil if the value is too short.
    func range(of count: Int) -> Range<Int>? {
        let start = offset < 0 ? count + offset : offset
        guard start >= 0, start <= count - octets else { return nil }
        return start..<(start + octets)
    }

    /// Nil if the number lies outside of the value, does not fit 63 bits, or is no number.
    func integer(in value: [UInt8]) -> Int64? {
        guard let number = number(in: value), number.places == 0 else { return nil }
        return number.mantissa
    }

    /// The number, of any kind.
    func number(in value: [UInt8]) -> Field.Decimal? {
        guard let range = range(of: value.count) else { return nil }
        var raw: UInt64 = 0
        if isBigEndian {
            for octet in value[range] { raw = raw << 8 | UInt64(octet) }
        } else {
            for octet in value[range].reversed() { raw = raw << 8 | UInt64(octet) }
        }
        if let mask { raw = (raw & mask) >> UInt64(mask.trailingZeroBitCount) }
        switch kind {
        case .unsigned: return Self.whole(Int64(exactly: raw))
        case .signed: return Self.whole(signed(raw))
        case .signMagnitude:
            let sign = UInt64(1) << UInt64(bits - 1)
            guard let magnitude = Int64(exactly: raw & ~sign) else { return nil }
            return Self.whole(raw & sign == 0 ? magnitude : -magnitude)
        case .decimalDigits: return Self.whole(Self.digits(raw))
        case .float: return Field.Decimal(Float(bitPattern: UInt32(truncatingIfNeeded: raw)))
        case .shortMedical:
            let number = MedicalShortFloat(rawValue: UInt16(truncatingIfNeeded: raw))
            return number.isSpecial ? nil : number.decimal
        case .medical:
            let number = MedicalFloat(rawValue: UInt32(truncatingIfNeeded: raw))
            return number.isSpecial ? nil : number.decimal(exponents: -18...9)
        }
    }

    private static func whole(_ number: Int64?) -> Field.Decimal? {
        number.map { Field.Decimal(mantissa: $0, places: 0) }
    }

    private func signed(_ raw: UInt64) -> Int64 {
        guard bits < 64, raw >> UInt64(bits - 1) & 1 == 1 else { return Int64(truncatingIfNeeded: raw) }
        return Int64(truncatingIfNeeded: raw | UInt64.max << UInt64(bits))
    }

    private static func digits(_ raw: UInt64) -> Int64? {
        var (number, rest, weight) = (Int64(0), raw, Int64(1))
        for _ in 0..<16 {
            let digit = Int64(rest & 0xF)
            guard digit <= 9 else { return nil }
            // Sixteen digits fit into 63 bits.
            number += digit * weight
            (rest, weight) = (rest >> 4, weight * 10)
        }
        return number
    }
}

/// A condition for a value's octets.
package struct OctetCondition: Equatable, Sendable {
    package enum Subject: Equatable, Sendable {
        case number(OctetNumber)
        case length
    }

    package var subject: Subject
    /// The permitted numbers; empty if the range decides.
    package var values: Set<Int64>
    package var range: ClosedRange<Int64>?
    package var isNegated: Bool

    package init(
        _ subject: Subject, values: Set<Int64> = [], range: ClosedRange<Int64>? = nil, isNegated: Bool = false
    ) {
        (self.subject, self.values, self.range, self.isNegated) = (subject, values, range, isNegated)
    }

    /// False if the value is too short, whatever the condition.
    func holds(in value: [UInt8]) -> Bool {
        let found: Int64? =
            switch subject {
            case .number(let number): number.integer(in: value)
            case .length: Int64(value.count)
            }
        guard let found else { return false }
        let isIn = (values.isEmpty || values.contains(found)) && (range?.contains(found) ?? true)
        return isIn != isNegated
    }
}
