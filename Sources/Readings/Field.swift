// SPDX-License-Identifier: Apache-2.0

/// One decoded quantity and its value, in the unit that goes with the quantity.
package struct Field: Equatable, Sendable {
    package enum Value: Equatable, Sendable {
        case int(Int64)
        case decimal(Decimal)
        case string(String)
        case array([Value])
    }

    package var quantity: Quantity
    package var value: Value

    package init(_ quantity: Quantity, _ value: Value) {
        self.quantity = quantity
        self.value = value
    }

    /// `mantissa` × 10^−`places`.
    package static func decimal(_ quantity: Quantity, _ mantissa: Int64, places: Int) -> Field {
        Field(quantity, .decimal(Decimal(mantissa: mantissa, places: places)))
    }

    package static func int(_ quantity: Quantity, _ value: Int64) -> Field { Field(quantity, .int(value)) }
}

extension Field {
    /// A number with a fixed count of decimal places: sensors send these, and binary fractions would add noise.
    package struct Decimal: Equatable, Sendable {
        package var mantissa: Int64
        /// 0…18.
        package let places: Int

        package init(mantissa: Int64, places: Int) {
            self.mantissa = mantissa
            self.places = min(max(places, 0), 18)
        }
    }
}

extension Field.Value {
    /// For comparisons; nil for what is no number.
    package var number: Double? {
        switch self {
        case .int(let number): Double(number)
        // One division, by a power that a Double has exactly: the nearest Double is printed as the decimal that it stands for.
        case .decimal(let decimal): Double(decimal.mantissa) / (0..<decimal.places).reduce(1) { power, _ in power * 10 }
        case .string, .array: nil
        }
    }
}
