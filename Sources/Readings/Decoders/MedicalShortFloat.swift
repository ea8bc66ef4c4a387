// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The 16-bit SFLOAT of IEEE 11073-20601: a 4-bit exponent of ten above a 12-bit mantissa.
struct MedicalShortFloat: Equatable {
    let rawValue: UInt16

    /// −2048…2047.
    var mantissa: Int16 { Int16(bitPattern: rawValue << 4) >> 4 }
    /// −8…7.
    var exponent: Int { Int(Int16(bitPattern: rawValue) >> 12) }

    /// NaN, NRes, +INF, −INF or reserved, with any exponent.
    var isSpecial: Bool { (0x7FE...0x802).contains(rawValue & 0xFFF) }

    /// The number as sent.
    var decimal: Field.Decimal {
        let scale = (0..<max(exponent, 0)).reduce(Int64(1)) { product, _ in product * 10 }
        return Field.Decimal(mantissa: Int64(mantissa) * scale, places: max(-exponent, 0))
    }

    /// A field with this number; none for a special or negative number. Throws for a number beyond any measurement of a
    /// body.
    func field(_ quantity: Quantity) throws(DecodeError) -> [Field] {
        guard try isOfBody else { return [] }
        return [Field(quantity, exponent >= 0 ? .int(decimal.mantissa) : .decimal(decimal))]
    }

    /// Thousands of kilopascals, beats a minute or kilograms a litre are beyond every body: the sensor is broken, or
    /// hostile.
    private var isOfBody: Bool {
        get throws(DecodeError) {
            if isSpecial || mantissa < 0 { return false }
            guard mantissa == 0 || exponent <= 3 else { throw .invalid(field: "number") }
            return true
        }
    }

    /// A field with this number times `factor` × 10^−`digits`, rounded to `places`. `factor` has at most 8 digits.
    func field(
        _ quantity: Quantity, times factor: Int64, digits: Int, places: Int
    ) throws(DecodeError) -> [Field] {
        guard try isOfBody else { return [] }
        let sent = decimal
        var (mantissa, point) = (sent.mantissa * factor, sent.places + digits)
        while point > places + 1 { (mantissa, point) = (mantissa / 10, point - 1) }
        if point > places { (mantissa, point) = ((mantissa + 5) / 10, point - 1) }
        return [Field(quantity, .decimal(Field.Decimal(mantissa: mantissa, places: point)))]
    }
}

extension ByteReader {
    mutating func medicalShortFloat(_ field: StaticString) throws(DecodeError) -> MedicalShortFloat {
        MedicalShortFloat(rawValue: try u16(field))
    }
}
