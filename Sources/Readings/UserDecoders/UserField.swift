// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// One number in a value that a ``UserDecoder`` is about.
package struct UserField: Equatable, Sendable {
    package var quantity: Quantity
    /// Octets before it.
    package var offset: Int
    /// Octets that it has: 1…8.
    package var octets: Int
    package var isSigned = false
    package var isBigEndian = false
    /// The bits that are it; the lowest of them becomes bit 0. Nil takes all.
    package var mask: UInt64?
    /// What one step is worth in the quantity's unit, and what 0 stands for.
    package var factor = Field.Decimal(mantissa: 1, places: 0)
    package var add = Field.Decimal(mantissa: 0, places: 0)
    /// Numbers, as they are in the value, that stand for none.
    package var unknown: Set<Int64> = []
    /// Everything above it stands for none, too.
    package var unknownAbove: Int64?
    /// What is possible, as it is in the value; everything else is nobody's packet.
    package var allowed: ClosedRange<Int64>?

    package init(_ quantity: Quantity, offset: Int, octets: Int) {
        (self.quantity, self.offset, self.octets) = (quantity, max(offset, 0), min(max(octets, 1), 8))
    }

    /// Nil when the sensor does not know it.
    func read(_ value: [UInt8]) throws(DecodeError) -> Field? {
        guard offset + octets <= value.count else { throw .truncated(field: "field") }
        guard let raw = number(in: value[offset..<(offset + octets)]) else { throw .invalid(field: "field") }
        if unknown.contains(raw) || unknownAbove.map({ raw > $0 }) ?? false { return nil }
        guard allowed?.contains(raw) ?? true else { throw .invalid(field: "field") }
        if quantity.details.kind == .binary { return .binary(quantity, raw != 0) }
        guard let scaled = Self.scaled(raw, factor, add) else { throw .invalid(field: "field") }
        return Field(quantity, scaled.places == 0 ? .int(scaled.mantissa) : .decimal(scaled))
    }

    /// Nil when it is greater than what 63 bits hold.
    private func number(in octets: ArraySlice<UInt8>) -> Int64? {
        var raw: UInt64 = 0
        if isBigEndian {
            for octet in octets { raw = raw << 8 | UInt64(octet) }
        } else {
            for octet in octets.reversed() { raw = raw << 8 | UInt64(octet) }
        }
        var bits = 8 * self.octets
        if let mask, mask != 0 {
            raw = (raw & mask) >> UInt64(mask.trailingZeroBitCount)
            bits = 64 - mask.leadingZeroBitCount - mask.trailingZeroBitCount
        }
        guard isSigned else { return Int64(exactly: raw) }
        guard bits < 64, raw >> UInt64(bits - 1) & 1 == 1 else { return Int64(truncatingIfNeeded: raw) }
        return Int64(truncatingIfNeeded: raw | UInt64.max << UInt64(bits))
    }

    /// `raw` × `factor` + `add`, exactly; nil where that is no number of 64 bits.
    static func scaled(_ raw: Int64, _ factor: Field.Decimal, _ add: Field.Decimal) -> Field.Decimal? {
        let (product, overflow) = raw.multipliedReportingOverflow(by: factor.mantissa)
        let places = max(factor.places, add.places)
        guard !overflow, let first = shifted(product, by: places - factor.places),
            let second = shifted(add.mantissa, by: places - add.places)
        else { return nil }
        let (sum, excess) = first.addingReportingOverflow(second)
        return excess ? nil : Field.Decimal(mantissa: sum, places: places)
    }

    private static func shifted(_ number: Int64, by places: Int) -> Int64? {
        var number = number
        for _ in 0..<places {
            let (next, overflow) = number.multipliedReportingOverflow(by: 10)
            if overflow { return nil }
            number = next
        }
        return number
    }
}
