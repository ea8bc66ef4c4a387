// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// An operator's facts about a sensor, from its entry. A label wins over the sensor's own name on every surface.
package struct OperatorFacts: Equatable, Sendable {
    /// The name for people; nil leaves it to the id or the sensor's own name.
    package var label: String?
    /// The room or the place.
    package var room: String?
    /// To be added to each number of a quantity, in the quantity's unit.
    package var offsets: [Quantity: Field.Decimal] = [:]

    package init(label: String? = nil, room: String? = nil, offsets: [Quantity: Field.Decimal] = [:]) {
        (self.label, self.room, self.offsets) = (label, room, offsets)
    }

    /// The fields with the offsets. Percentages stay from 0 to 100.
    package func corrected(_ fields: [Field]) -> [Field] {
        guard !offsets.isEmpty else { return fields }
        return fields.map { field in
            guard let offset = offsets[field.quantity] else { return field }
            var field = field
            field.value = Self.sum(field.value, offset, isPercentage: field.quantity.details.unit == "%")
            return field
        }
    }

    private static func sum(_ value: Field.Value, _ offset: Field.Decimal, isPercentage: Bool) -> Field.Value {
        switch value {
        case .int(let number):
            return self.sum(.decimal(Field.Decimal(mantissa: number, places: 0)), offset, isPercentage: isPercentage)
        case .decimal(let number):
            // A number without room for the sum stays as it is.
            return bounded(number.adding(offset) ?? number, isPercentage: isPercentage)
        case .array(let values): return .array(values.map { self.sum($0, offset, isPercentage: isPercentage) })
        case .string: return value
        }
    }

    private static func bounded(_ sum: Field.Decimal, isPercentage: Bool) -> Field.Value {
        guard isPercentage, let number = Field.Value.decimal(sum).number else { return .decimal(sum) }
        return number < 0 ? .int(0) : number > 100 ? .int(100) : .decimal(sum)
    }

    /// The id, or the digits of an address that stand for one, and the names: the best name for people.
    ///
    /// - Parameters:
    ///   - id: The `<dev>` of topics.
    ///   - name: The sensor's own name.
    package func title(id: String, name: String?) -> String {
        label ?? (Self.isChosen(id) ? id : name ?? id)
    }

    /// A person has chosen the id: it is not made of 12 digits of an address or an identifier.
    package static func isChosen(_ id: String) -> Bool {
        id.utf8.count != 12 || !id.allSatisfy { $0.isASCII && $0.isHexDigit }
    }
}
