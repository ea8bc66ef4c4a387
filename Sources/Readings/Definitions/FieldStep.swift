// SPDX-License-Identifier: Apache-2.0

/// One step from the number in the octets to the value. A step takes the result of the step before.
package enum FieldStep: Equatable, Sendable {
    package enum Operand: Equatable, Sendable {
        case number(Field.Decimal)
        /// The result of an earlier field, by the field's place among the form's fields.
        case field(Int)
    }

    package enum Operation: String, CaseIterable, Sendable {
        case add = "+"
        case subtract = "-"
        case multiply = "*"
        case divide = "/"
        /// Without its fraction.
        case quotient = "//"
        case remainder = "%"
        case shiftLeft = "<<"
        case shiftRight = ">>"
        case and = "&"
        case or = "|"
        case exclusiveOr = "^"
        case atLeast = "min"
        case atMost = "max"
        /// Adds to a number from zero up, and subtracts from a negative number.
        case addAway = "±"
        case power10 = "e"
    }

    case operation(Operation, Operand)
    case absolute
    case negate
    /// 1 of 0, and 0 of everything else.
    case not

    /// Nil if the result is no number, or does not fit 64 bits.
    func applied(to number: Field.Decimal, _ fields: [Field.Decimal?]) -> Field.Decimal? {
        switch self {
        case .absolute: return number.mantissa < 0 ? number.negated : number
        case .negate: return number.negated
        case .not: return Field.Decimal(mantissa: number.mantissa == 0 ? 1 : 0, places: 0)
        case .operation(let operation, let operand):
            let other: Field.Decimal
            switch operand {
            case .number(let constant): other = constant
            case .field(let index):
                guard fields.indices.contains(index), let found = fields[index] else { return nil }
                other = found
            }
            return Self.result(number, operation, other)
        }
    }

    private static func result(
        _ number: Field.Decimal, _ operation: Operation, _ other: Field.Decimal
    ) -> Field.Decimal? {
        switch operation {
        case .add: return number.adding(other)
        case .subtract: return other.negated.flatMap { number.adding($0) }
        case .addAway: return (number.mantissa < 0 ? other.negated : other).flatMap { number.adding($0) }
        case .multiply: return number.multiplied(by: other)
        case .divide: return number.divided(by: other)
        case .quotient:
            return number.divided(by: other).flatMap { $0.whole }.map { Field.Decimal(mantissa: $0, places: 0) }
        case .atLeast: return number.isLess(than: other) ? other : number
        case .atMost: return other.isLess(than: number) ? other : number
        case .power10:
            guard let exponent = other.whole, (-18...18).contains(exponent) else { return nil }
            let power = (0..<exponent.magnitude).reduce(Int64(1)) { power, _ in power * 10 }
            let factor = Field.Decimal(
                mantissa: exponent < 0 ? 1 : power, places: exponent < 0 ? Int(exponent.magnitude) : 0)
            return number.multiplied(by: factor)
        case .remainder, .shiftLeft, .shiftRight, .and, .or, .exclusiveOr:
            guard let left = number.whole, let right = other.whole else { return nil }
            return bits(left, operation, right).map { Field.Decimal(mantissa: $0, places: 0) }
        }
    }

    private static func bits(_ left: Int64, _ operation: Operation, _ right: Int64) -> Int64? {
        switch operation {
        case .remainder: return right == 0 || right == -1 ? (right == 0 ? nil : 0) : left % right
        case .shiftLeft:
            guard (0...62).contains(right) else { return nil }
            let (product, isTooLarge) = left.multipliedReportingOverflow(by: 1 << right)
            return isTooLarge ? nil : product
        case .shiftRight: return (0...63).contains(right) ? left >> right : nil
        case .and: return left & right
        case .or: return left | right
        case .exclusiveOr: return left ^ right
        default: return nil
        }
    }
}

extension Field.Decimal {
    /// The nearest number of six decimal places, without zeros at its end; nil for NaN, and for a number beyond ±9 ×
    /// 10¹².
    init?(_ number: Float) {
        let mantissa = (Double(number) * 1_000_000).rounded()
        guard abs(mantissa) < 9e18 else { return nil }
        self = Self(mantissa: Int64(mantissa), places: 6).trimmed
    }

    /// Without zeros at the end of its decimal places.
    var trimmed: Self {
        var (mantissa, places) = (mantissa, places)
        while places > 0, mantissa % 10 == 0 { (mantissa, places) = (mantissa / 10, places - 1) }
        return Self(mantissa: mantissa, places: places)
    }

    /// The digits before the decimal point. Never nil.
    var whole: Int64? { (0..<places).reduce(mantissa) { number, _ in number / 10 } }

    var negated: Self? { mantissa == .min ? nil : Self(mantissa: -mantissa, places: places) }

    func isLess(than other: Self) -> Bool {
        let places = max(places, other.places)
        return widened(to: places) < other.widened(to: places)
    }

    func adding(_ other: Self) -> Self? {
        let places = max(places, other.places)
        return Self.fitting(widened(to: places) + other.widened(to: places), places: places)
    }

    func multiplied(by other: Self) -> Self? {
        Self.fitting(Int128(mantissa) * Int128(other.mantissa), places: places + other.places)
    }

    /// Rounded to nine decimal places more than before.
    func divided(by other: Self) -> Self? {
        guard other.mantissa != 0 else { return nil }
        var (dividend, places) = (Int128(mantissa) * 1_000_000_000, places + 9 - other.places)
        while places < 0 {
            let (product, isTooLarge) = dividend.multipliedReportingOverflow(by: 10)
            if isTooLarge { return nil }
            (dividend, places) = (product, places + 1)
        }
        let divisor = Int128(other.mantissa)
        let (quotient, rest) = dividend.quotientAndRemainder(dividingBy: divisor)
        let isAwayFromZero = 2 * rest.magnitude >= divisor.magnitude
        let rounded = quotient + (isAwayFromZero ? ((dividend < 0) == (divisor < 0) ? 1 : -1) : 0)
        return Self.fitting(rounded, places: places)?.trimmed
    }

    /// Rounded to `places` decimal places, half away from zero.
    func rounded(to places: Int) -> Self {
        guard places < self.places else { return self }
        let power = (0..<(self.places - max(places, 0))).reduce(Int128(1)) { power, _ in power * 10 }
        let half = mantissa < 0 ? -power / 2 : power / 2
        return Self(mantissa: Int64(truncatingIfNeeded: (Int128(mantissa) + half) / power), places: places)
    }

    /// 64 bits and 18 places: no product of these overflows 128 bits.
    private func widened(to places: Int) -> Int128 {
        (self.places..<max(self.places, places)).reduce(Int128(mantissa)) { number, _ in number * 10 }
    }

    /// With as many decimal places as fit 64 bits; nil if the number is too large even without any.
    private static func fitting(_ mantissa: Int128, places: Int) -> Self? {
        var (mantissa, places) = (mantissa, places)
        while places > 18 || Int64(exactly: mantissa) == nil {
            guard places > 0 else { return nil }
            (mantissa, places) = (mantissa / 10, places - 1)
        }
        return Int64(exactly: mantissa).map { Self(mantissa: $0, places: places) }
    }
}
