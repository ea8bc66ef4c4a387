// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

extension FieldDescription {
    /// - Parameter earlier: Places of earlier fields, by id.
    func field(after earlier: [String: Int]) throws(InvalidValue) -> FormField {
        guard quantity != nil || id != nil else { throw InvalidValue("has no quantity") }
        var field = FormField(quantity, try origin(earlier))
        if let quantity { try checkUnit(of: quantity) }
        if factor.mantissa == 0 { throw InvalidValue("has a factor of 0: every value would be the same", at: "factor") }
        if let minimum, let maximum, minimum > maximum { throw InvalidValue("has a minimum above its maximum") }
        (field.factor, field.add) = (factor, add)
        // Numbers are given as written: 0x8000 of 16 bits with a sign is a negative number.
        field.unknown = Set(unknown.map { number in type.map { Self.signed(number, $0, mask) } ?? number })
        field.unknownAbove = unknownAbove
        if minimum != nil || maximum != nil { field.allowed = (minimum ?? .min)...(maximum ?? .max) }
        field.conditions = conditions ?? []
        if let lookup {
            var table: [Int64: Field.Value] = [:]
            for (number, entry) in lookup { table[number] = try constant(entry, "lookup") }
            field.lookup = table
        }
        if let otherwise {
            guard lookup != nil, quantity?.details.kind == .text, otherwise.utf8.count <= 64,
                labelComplaint(otherwise) == nil
            else {
                throw InvalidValue("has an otherwise that is no text of up to 64 letters beside the lookup of a text")
            }
            field.otherwise = otherwise
        }
        field.steps = try steps.map { steps throws(InvalidValue) in try Self.steps(steps, earlier) } ?? []
        (field.places, field.index, field.endsAfter) = (places, UInt8(clamping: index ?? 0), endsAfter)
        if let numberOf {
            guard let place = earlier[numberOf] else {
                throw InvalidValue("is of \(quoted(numberOf)), and no field before it has this id", at: "number_of")
            }
            guard index == nil else { throw InvalidValue("has number and number_of: one of them", at: "number_of") }
            field.indexField = place
        }
        if endsAfter != nil, quantity?.details.kind != .binary {
            throw InvalidValue("ends, and only what is true or false does", at: "ends_after")
        }
        return field
    }

    private func origin(_ earlier: [String: Int]) throws(InvalidValue) -> FormField.Origin {
        if let value { return .constant(try constant(value, "value")) }
        if let of {
            guard let place = earlier[of] else {
                throw InvalidValue("is of \(quoted(of)), and no field before it has this id", at: "of")
            }
            return .field(place)
        }
        guard let offset else { throw InvalidValue("has no offset") }
        guard let type else { throw InvalidValue("has no type, like \"u16\"") }
        let kind = quantity?.details.kind
        if type.isText {
            guard kind == .text else { throw InvalidValue("is a text, and its quantity is none", at: "type") }
            guard let octets else { throw InvalidValue("is a text and has no octets", at: "type") }
            return .text(offset: offset, octets: octets)
        }
        if kind == .text || kind == .event, lookup == nil {
            throw InvalidValue(
                "is about \(quantity?.key ?? ""), which is no quantity that is a number: it needs lookup, value or a type "
                    + "of text", at: "quantity")
        }
        try checkMask(mask, type)
        return .octets(
            OctetNumber(
                offset: offset, octets: type.octets, kind: type.kind, isBigEndian: isBigEndian == .big, mask: mask))
    }

    private func checkUnit(of quantity: Quantity) throws(InvalidValue) {
        let wanted = quantity.details.unit
        if let unit, unit != (wanted ?? "") {
            throw InvalidValue(
                "is in \(quoted(unit)); \(quantity.key) is in \(wanted.map(quoted) ?? "no unit"): change factor and "
                    + "add", at: "unit")
        }
    }

    /// The value of a table's entry or of a constant, in the quantity's kind.
    private func constant(_ value: ConfigurationValue, _ name: String) throws(InvalidValue) -> Field.Value {
        switch (value, quantity?.details.kind) {
        case (.string(let text), .text):
            if let complaint = plainComplaint(text) { throw InvalidValue(complaint, at: name) }
            return .string(text)
        case (.string(let text), .event):
            let known = quantity?.eventTypes ?? []
            guard known.contains(text) else {
                throw InvalidValue("has \(quoted(text)); allowed are \(known.joined(separator: ", "))", at: name)
            }
            return .string(text)
        case (.boolean(let flag), .binary), (.boolean(let flag), nil): return .int(flag ? 1 : 0)
        case (.integer(let number), .binary): return .int(number != 0 ? 1 : 0)
        case (.integer(let number), .measurement), (.integer(let number), .total), (.integer(let number), nil):
            return .int(Int64(number))
        case (.real(let number), .measurement), (.real(let number), .total), (.real(let number), nil):
            guard let decimal = Field.Decimal(exactly: number) else {
                throw InvalidValue("has \(number); wanted is a number with up to 12 places, below a billion", at: name)
            }
            return .decimal(decimal)
        default: throw InvalidValue("has \(value.kind), which \(quantity?.key ?? "it") is not", at: name)
        }
    }

    private static func steps(
        _ list: [ConfigurationValue], _ earlier: [String: Int]
    ) throws(InvalidValue) -> [FieldStep] {
        var steps: [FieldStep] = []
        var rest = list[...]
        while let first = rest.popFirst() {
            guard case .string(let word) = first else {
                throw InvalidValue("has \(first.kind) where a step belongs", at: "compute")
            }
            switch word {
            case "abs": steps.append(.absolute)
            case "neg": steps.append(.negate)
            case "not": steps.append(.not)
            default:
                guard let operation = FieldStep.Operation(rawValue: word) else {
                    throw InvalidValue("has \(quoted(word)), which is no step", at: "compute")
                }
                steps.append(.operation(operation, try operand(rest.popFirst(), of: word, earlier)))
            }
        }
        guard (1...SensorDefinition.maximumSteps).contains(steps.count) else {
            throw InvalidValue(
                "has \(steps.count) steps; allowed are 1 to \(SensorDefinition.maximumSteps)", at: "compute")
        }
        return steps
    }

    private static func operand(
        _ value: ConfigurationValue?, of word: String, _ earlier: [String: Int]
    ) throws(InvalidValue) -> FieldStep.Operand {
        switch value {
        case .integer(let number)?: return .number(Field.Decimal(mantissa: Int64(number), places: 0))
        case .real(let number)?:
            guard let decimal = Field.Decimal(exactly: number) else {
                throw InvalidValue("has \(number); wanted is a number with up to 12 places", at: "compute")
            }
            return .number(decimal)
        case .string(let id)?:
            guard let place = earlier[id] else {
                throw InvalidValue("has \(quoted(id)), and no field before it has this id", at: "compute")
            }
            return .field(place)
        default: throw InvalidValue("has nothing for \(quoted(word)) to work with", at: "compute")
        }
    }

    private static func signed(_ number: Int64, _ type: NumberType, _ mask: UInt64?) -> Int64 {
        let bits = mask.map { 64 - $0.leadingZeroBitCount - $0.trailingZeroBitCount } ?? 8 * type.octets
        guard type.isSigned, bits < 64, number >= 1 << Int64(bits - 1), number < 1 << Int64(bits) else { return number }
        return number - 1 << Int64(bits)
    }
}
