// SPDX-License-Identifier: Apache-2.0

/// A decoded quantity and its value, in the quantity's unit.
package struct Field: Equatable, Sendable {
    package enum Value: Equatable, Sendable {
        case int(Int64)
        case decimal(Decimal)
        case string(String)
        case array([Value])
    }

    package var quantity: Quantity
    package var value: Value
    /// The number among several fields of a sensor, from 1; 0 for a single field.
    package var index: UInt8

    package init(_ quantity: Quantity, _ value: Value, index: UInt8 = 0) {
        self.quantity = quantity
        self.value = value
        self.index = index
    }

    /// The key in payloads: `temperature`, or `temperature_2` for the second of several.
    package var key: String { index == 0 ? quantity.key : "\(quantity.key)_\(index)" }

    /// `mantissa` × 10^−`places`.
    package static func decimal(_ quantity: Quantity, _ mantissa: Int64, places: Int) -> Field {
        Field(quantity, .decimal(Decimal(mantissa: mantissa, places: places)))
    }

    package static func int(_ quantity: Quantity, _ value: Int64) -> Field { Field(quantity, .int(value)) }

    /// 1 or 0.
    package static func binary(_ quantity: Quantity, _ value: Bool) -> Field { Field(quantity, .int(value ? 1 : 0)) }

    /// An event's or a state's name.
    package static func text(_ quantity: Quantity, _ value: String) -> Field { Field(quantity, .string(value)) }
}

extension [Field] {
    /// Numbers repeated quantities, in their order: `temperature_1`, `temperature_2`.
    package var numbered: [Field] {
        // Most packets have no quantity twice.
        guard indices.contains(where: { place in self[..<place].contains { $0.quantity == self[place].quantity } })
        else { return self }
        var counts: [Quantity: UInt8] = [:]
        for field in self { counts[field.quantity, default: 0].saturate() }
        var given: [Quantity: UInt8] = [:]
        return map { field in
            guard counts[field.quantity, default: 0] > 1 else { return field }
            given[field.quantity, default: 0].saturate()
            return Field(field.quantity, field.value, index: given[field.quantity, default: 0])
        }
    }
}

extension UInt8 {
    fileprivate mutating func saturate() { self = self == .max ? .max : self + 1 }
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
    /// For comparisons; nil for a text or a list.
    package var number: Double? {
        switch self {
        case .int(let number): Double(number)
        // One division by a power of ten that a Double represents exactly, so the nearest Double is printed as this
        // decimal.
        case .decimal(let decimal): Double(decimal.mantissa) / (0..<decimal.places).reduce(1) { power, _ in power * 10 }
        case .string, .array: nil
        }
    }
}
