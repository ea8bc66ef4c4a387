// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// One value in the octets that a ``SensorForm`` is about.
package struct FormField: Equatable, Sendable {
    package enum Origin: Equatable, Sendable {
        case octets(OctetNumber)
        /// So many octets of text, from this offset on, up to a zero.
        case text(offset: Int, octets: Int)
        /// Always the same, where the conditions hold.
        case constant(Field.Value)
        /// What a field before this one gave: its place among the form's fields.
        case field(Int)
    }

    /// What it is about; nil where only other fields compute with it.
    package var quantity: Quantity?
    package var origin: Origin
    /// The field is there where all of these hold.
    package var conditions: [OctetCondition] = []
    /// What one step is worth in the quantity's unit, and what 0 stands for.
    package var factor = Field.Decimal(mantissa: 1, places: 0)
    package var add = Field.Decimal(mantissa: 0, places: 0)
    /// Numbers, as they are in the value, that stand for none.
    package var unknown: Set<Int64> = []
    /// Everything above it stands for none, too.
    package var unknownAbove: Int64?
    /// What is possible, as it is in the value; everything else is nobody's packet.
    package var allowed: ClosedRange<Int64>?
    /// What numbers stand for; a number that is not here stands for none.
    package var lookup: [Int64: Field.Value]?
    package var steps: [FieldStep] = []
    /// Decimal places that the value is rounded to.
    package var places: Int?
    /// Which of several it is: `temperature_2`; 0 where its place among the fields says it.
    package var index: UInt8 = 0
    /// Seconds after which a state is over whose end the sensor never tells.
    package var endsAfter: Int?

    package init(_ quantity: Quantity?, _ origin: Origin) { (self.quantity, self.origin) = (quantity, origin) }

    package init(_ quantity: Quantity, offset: Int, octets: Int) {
        self.init(quantity, .octets(OctetNumber(offset: offset, octets: octets)))
    }

    /// What it says, and the number that later fields compute with: both nil when the sensor does not know it.
    func read(
        _ value: [UInt8], _ numbers: [Field.Decimal?]
    ) throws(DecodeError) -> (field: Field?, number: Field.Decimal?) {
        guard conditions.allSatisfy({ $0.holds(in: value) }) else { return (nil, nil) }
        let number: Field.Decimal
        switch origin {
        case .constant(let constant):
            return (named(constant), constant.decimal)
        case .text(let offset, let octets):
            guard let range = OctetNumber(offset: offset).range(of: value.count) else {
                if !conditions.isEmpty { return (nil, nil) }
                throw .truncated(field: "field")
            }
            let text = value[range.lowerBound...].prefix(octets).prefix { $0 != 0 }
            return (AdvertisedName.clean(String(decoding: text, as: UTF8.self)).flatMap { named(.string($0)) }, nil)
        case .field(let index):
            guard numbers.indices.contains(index), let found = numbers[index] else { return (nil, nil) }
            number = found
        case .octets(let octets):
            guard octets.range(of: value.count) != nil else {
                if !conditions.isEmpty { return (nil, nil) }
                throw .truncated(field: "field")
            }
            guard let found = octets.number(in: value) else {
                switch octets.kind {
                // Not a number is how these say that there is none.
                case .float, .shortMedical, .medical: return (nil, nil)
                default: throw .invalid(field: "field")
                }
            }
            number = found
        }
        return try finish(number, numbers)
    }

    private func finish(
        _ number: Field.Decimal, _ numbers: [Field.Decimal?]
    ) throws(DecodeError) -> (field: Field?, number: Field.Decimal?) {
        if let raw = number.whole {
            let isWhole = number.places == 0
            if isWhole && unknown.contains(raw) || unknownAbove.map({ raw > $0 }) ?? false { return (nil, nil) }
            guard allowed?.contains(raw) ?? true else { throw .invalid(field: "field") }
            if let lookup {
                guard isWhole, let found = lookup[raw] else { return (nil, nil) }
                return (named(found), found.decimal)
            }
        }
        if quantity?.details.kind == .binary, steps.isEmpty {
            return (named(.int(number.mantissa != 0 ? 1 : 0)), number)
        }
        guard var result = Self.scaled(number, factor, add) else { throw .invalid(field: "field") }
        for step in steps {
            guard let next = step.applied(to: result, numbers) else { return (nil, nil) }
            result = next
        }
        if let places { result = result.rounded(to: places) }
        if quantity?.details.kind == .binary {
            return (named(.int(result.mantissa != 0 ? 1 : 0)), result)
        }
        return (named(result.places == 0 ? .int(result.mantissa) : .decimal(result)), result)
    }

    private func named(_ value: Field.Value) -> Field? { quantity.map { Field($0, value, index: index) } }

    /// `number` × `factor` + `add`, exactly; nil where that is no number of 64 bits.
    static func scaled(
        _ number: Field.Decimal, _ factor: Field.Decimal, _ add: Field.Decimal
    ) -> Field.Decimal? {
        // What has decimal places of its own may have to be rounded.
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
