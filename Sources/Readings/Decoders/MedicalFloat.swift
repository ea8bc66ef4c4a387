// SPDX-License-Identifier: Apache-2.0

/// The 32-bit FLOAT of IEEE 11073-20601: an 8-bit exponent of ten above a 24-bit mantissa.
struct MedicalFloat: Equatable {
    let rawValue: UInt32

    private var mantissa: Int32 { Int32(bitPattern: rawValue << 8) >> 8 }
    private var exponent: Int { Int(Int8(truncatingIfNeeded: Int32(bitPattern: rawValue) >> 24)) }

    /// NaN, NRes, +INF, −INF or reserved: 0x7FFFFE…0x800002, with any exponent.
    var isSpecial: Bool {
        switch rawValue & 0xFF_FFFF {
        case 0x7F_FFFE, 0x7F_FFFF, 0x80_0000, 0x80_0001, 0x80_0002: true
        default: false
        }
    }

    /// The number as sent; nil for an exponent outside `exponents`, which must lie within −18…9.
    func decimal(exponents: ClosedRange<Int>) -> Field.Decimal? {
        guard exponents.contains(exponent) else { return nil }
        let scale = (0..<max(exponent, 0)).reduce(Int64(1)) { product, _ in product * 10 }
        return Field.Decimal(mantissa: Int64(mantissa) * scale, places: max(-exponent, 0))
    }
}
