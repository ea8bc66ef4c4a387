// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// One value in the octets of a ``SensorForm``.
package struct FormField: Equatable, Sendable {
    package enum Origin: Equatable, Sendable {
        case octets(OctetNumber)
        /// Text of up to this many octets, from this offset on, up to a zero.
        case text(offset: Int, octets: Int)
        /// A constant value, if the conditions hold.
        case constant(Field.Value)
        /// The result of an earlier field, by the field's place among the form's fields.
        case field(Int)
    }

    /// The quantity of the value; nil if only other fields compute with the value.
    package var quantity: Quantity?
    package var origin: Origin
    /// The field exists only if all of these conditions hold.
    package var conditions: [OctetCondition] = []
    /// The worth of one step in the quantity's unit, and the value of 0.
    package var factor = Field.Decimal(mantissa: 1, places: 0)
    package var add = Field.Decimal(mantissa: 0, places: 0)
    /// Raw numbers that stand for no value.
    package var unknown: Set<Int64> = []
    /// All greater raw numbers stand for no value, too.
    package var unknownAbove: Int64?
    /// The range of possible raw numbers. The field is left out for any other number.
    package var allowed: ClosedRange<Int64>?
    /// The values of raw numbers. A number without an entry stands for no value.
    package var lookup: [Int64: Field.Value]?
    /// The text of a number without an entry in ``lookup``, with the number in place of `#`.
    package var otherwise: String?
    package var steps: [FieldStep] = []
    /// The value is rounded to this many decimal places.
    package var places: Int?
    /// The number among several fields: `temperature_2`; 0 if the field's place gives the number.
    package var index: UInt8 = 0
    /// The earlier field whose result is the number, by the field's place among the form's fields.
    package var indexField: Int?
    /// Seconds after which a state is over, if the sensor never reports its end.
    package var endsAfter: Int?

    package init(_ quantity: Quantity?, _ origin: Origin) { (self.quantity, self.origin) = (quantity, origin) }

    package init(_ quantity: Quantity, offset: Int, octets: Int) {
        self.init(quantity, .octets(OctetNumber(offset: offset, octets: octets)))
    }

    /// The meaning of a field's octets.
    enum Finding {
        /// The sensor does not know the value, or sends none.
        case unknown
        /// The sensor cannot have such a value.
        case impossible
        /// The field, if it has a quantity, and the number for later fields.
        case known(Field?, Field.Decimal?)
    }

    /// Throws if the field's octets are missing.
    func read(_ value: [UInt8], _ numbers: [Field.Decimal?]) throws(DecodeError) -> Finding {
        guard conditions.allSatisfy({ $0.holds(in: value) }) else { return .unknown }
        let number: Field.Decimal
        switch origin {
        case .constant(let constant):
            return .known(named(constant, numbers), constant.decimal)
        case .text(let offset, let octets):
            guard let range = OctetNumber(offset: offset).range(of: value.count) else {
                if !conditions.isEmpty { return .unknown }
                throw .truncated(field: "field")
            }
            let text = value[range.lowerBound...].prefix(octets).prefix { $0 != 0 }
            let clean = AdvertisedName.clean(String(decoding: text, as: UTF8.self))
            return .known(clean.flatMap { named(.string($0), numbers) }, nil)
        case .field(let index):
            guard numbers.indices.contains(index), let found = numbers[index] else { return .unknown }
            number = found
        case .octets(let octets):
            guard octets.range(of: value.count) != nil else {
                if !conditions.isEmpty { return .unknown }
                throw .truncated(field: "field")
            }
            guard let found = octets.number(in: value) else {
                switch octets.kind {
                // "Not a number" means no value in these kinds.
                case .float, .shortMedical, .medical: return .unknown
                default: return .impossible
                }
            }
            number = found
        }
        return finish(number, numbers)
    }

    private func finish(_ number: Field.Decimal, _ numbers: [Field.Decimal?]) -> Finding {
        if let raw = number.whole {
            let isWhole = number.places == 0
            if isWhole && unknown.contains(raw) || unknownAbove.map({ raw > $0 }) ?? false { return .unknown }
            guard allowed?.contains(raw) ?? true else { return .impossible }
            if let lookup {
                guard isWhole, let found = lookup[raw] ?? text(of: raw) else { return .unknown }
                return .known(named(found, numbers), found.decimal)
            }
        }
        if quantity?.details.kind == .binary, steps.isEmpty {
            return .known(named(.int(number.mantissa != 0 ? 1 : 0), numbers), number)
        }
        guard var result = Self.scaled(number, factor, add) else { return .impossible }
        for step in steps {
            guard let next = step.applied(to: result, numbers) else { return .unknown }
            result = next
        }
        if let places { result = result.rounded(to: places) }
        if quantity?.details.kind == .binary {
            return .known(named(.int(result.mantissa != 0 ? 1 : 0), numbers), result)
        }
        return .known(named(result.places == 0 ? .int(result.mantissa) : .decimal(result), numbers), result)
    }

    private func text(of number: Int64) -> Field.Value? {
        otherwise.map {
            .string($0.split(separator: "#", omittingEmptySubsequences: false).joined(separator: "\(number)"))
        }
    }

    /// Nil without a quantity, and if the number of the field is unknown or none from 1 to 64.
    func named(_ value: Field.Value, _ numbers: [Field.Decimal?]) -> Field? {
        guard let quantity else { return nil }
        guard let indexField else { return Field(quantity, value, index: index) }
        guard numbers.indices.contains(indexField), let number = numbers[indexField]?.whole,
            (1...64).contains(number)
        else { return nil }
        return Field(quantity, value, index: UInt8(clamping: number))
    }

    /// `number` × `factor` + `add`, exactly; nil if the result does not fit 64 bits.
    static func scaled(
        _ number: Field.Decimal, _ factor: Field.Decimal, _ add: Field.Decimal
    ) -> Field.Decimal? {
        // A number with decimal places of its own may have to be rounded.
        guard number.places == 0 else { return number.multiplied(by: factor)?.adding(add) }
        let (product, overflow) = number.mantissa.multipliedReportingOverflow(by: factor.mantissa)
        let own = number.places + factor.places
        let places = max(own, add.places)
        guard !overflow, places <= 18, let first = shifted(product, by: places - own),
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

extension Field.Value {
    fileprivate var decimal: Field.Decimal? {
        switch self {
        case .int(let number): Field.Decimal(mantissa: number, places: 0)
        case .decimal(let decimal): decimal
        case .string, .array: nil
        }
    }
}
