// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A decoded quantity of a value, in the form of `martlet status --json`.
package struct DecodedField: Codable, Equatable, Sendable {
    package enum Value: Equatable, Sendable {
        case number(Double)
        case text(String)
        case list([Value])
    }

    /// As in payloads: `temperature`.
    package var quantity: String
    package var value: Value
    /// `°C`; nil for a count, and for a quantity without a unit.
    package var unit: String?

    package init(quantity: String, value: Value, unit: String?) {
        self.quantity = quantity
        self.value = value
        self.unit = unit
    }

    package init(_ field: Field) {
        quantity = field.key
        value = Value(field.value)
        unit = field.quantity.details.unit
    }
}

extension DecodedField.Value: Codable {
    init(_ value: Field.Value) {
        switch value {
        case .int, .decimal: self = .number(value.number ?? 0)
        case .string(let text): self = .text(text)
        case .array(let values): self = .list(values.map { Self($0) })
        }
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else {
            self = .list(try container.decode([Self].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let values): try container.encode(values)
        }
    }
}

extension Decoders {
    /// The fields of a value for the status; nil without a decoder, or for an unexpected value.
    package static func decoded(characteristic: String, value: [UInt8]) -> [DecodedField]? {
        decode(characteristic: characteristic, value: value)?.map { DecodedField($0) }
    }
}
