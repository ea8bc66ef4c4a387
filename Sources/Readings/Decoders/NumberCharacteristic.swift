// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A characteristic with numbers of one kind, one after the other: a row of the GATT Specification Supplement.
struct NumberCharacteristic: Sendable {
    enum Number: Equatable, Sendable {
        case unsigned(octets: Int)
        case signed(octets: Int)
        /// The 16-bit SFLOAT of IEEE 11073-20601.
        case medical

        var octets: Int {
            switch self {
            case .unsigned(let octets), .signed(let octets): octets
            case .medical: 2
            }
        }
    }

    let characteristic: UInt16
    let name: String
    /// Quantities of the numbers, in order.
    let quantities: [Quantity]
    let number: Number
    /// The worth of one step of the number, in the quantity's unit: `multiplier` × 10^−`places`.
    var multiplier: Int64 = 1
    var places = 0
    /// Numbers that stand for no value: not known, not valid, or out of the sensor's range.
    var unknown: Set<Int64> = []
    /// Numbers that the specification allows; nil: all.
    var allowed: ClosedRange<Int64>?

    func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        var fields: [Field] = []
        for quantity in quantities {
            let octets = try reader.bytes(number.octets, "number")
            if let number = try decimal(octets) {
                fields.append(Field(quantity, number.places == 0 ? .int(number.mantissa) : .decimal(number)))
            }
        }
        try reader.finish()
        return fields
    }

    private func decimal(_ octets: ArraySlice<UInt8>) throws(DecodeError) -> Field.Decimal? {
        let raw = octets.reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
        switch number {
        case .medical: return try concentration(MedicalShortFloat(rawValue: UInt16(truncatingIfNeeded: raw)))
        case .unsigned: return try scaled(raw)
        case .signed(let octets):
            let half = Int64(1) << Int64(8 * octets - 1)
            return try scaled(raw >= half ? raw - 2 * half : raw)
        }
    }

    private func scaled(_ number: Int64) throws(DecodeError) -> Field.Decimal? {
        if unknown.contains(number) { return nil }
        guard allowed?.contains(number) ?? true else { throw .invalid(field: "number") }
        return Field.Decimal(mantissa: number * multiplier, places: places)
    }

    /// The value of a concentration's number, after the shift of its point by `places`, which is negative.
    private func concentration(_ number: MedicalShortFloat) throws(DecodeError) -> Field.Decimal? {
        if number.isSpecial { return nil }
        let shift = number.mantissa == 0 ? 0 : number.exponent - places
        // More than two kilograms in a cubic metre are no gas in air.
        guard number.mantissa >= 0, shift <= 9 else { throw .invalid(field: "number") }
        let scale = (0..<max(shift, 0)).reduce(Int64(1)) { product, _ in product * 10 }
        return Field.Decimal(mantissa: Int64(number.mantissa) * scale, places: max(-shift, 0))
    }
}
