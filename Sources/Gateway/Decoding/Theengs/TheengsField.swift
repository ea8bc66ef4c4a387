// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// A property of a definition as a field of `decoders.d`, or as several of which a packet has one.
struct TheengsField {
    struct Lines {
        var lines: [String]
        var end: Int
        var hasNoCondition: Bool
    }

    /// The place of a value, and the conditions of the place.
    private struct Origin {
        var before: [String] = []
        var lines: [String]
        var end: Int
        var steps: [String] = []
        var when: [String] = []
    }

    private let property: TheengsDefinition.Property
    private let source: TheengsTest.Source
    private let table: String
    private let calculation: Int
    private let before: Int

    /// - Parameters:
    ///   - calculation: The property's own number, if it is a calculation.
    ///   - before: The number of the calculation that its steps work with, from 1; 0 if there is none.
    init(
        _ property: TheengsDefinition.Property, _ source: TheengsTest.Source, _ table: String, calculation: Int,
        before: Int
    ) {
        (self.property, self.source, self.table) = (property, source, table)
        (self.calculation, self.before) = (calculation, before)
    }

    private static func id(ofCalculation number: Int) -> String { number == 1 ? "cal" : "cal-\(number)" }

    func fields(_ tests: [TheengsTest]) throws(TheengsError) -> [Lines] {
        guard let decoder = property.entries["decoder"]?.list, let function = decoder.first?.text else {
            throw TheengsError("it has no decoder")
        }
        var conditions: [String] = []
        for test in tests {
            guard test.source == source, let when = test.when else {
                throw TheengsError("whose condition decoders.d cannot say: \(test.words)")
            }
            conditions.append(when)
        }
        var (name, kind, factor) = ([String](), QuantityDetails.Kind.measurement, Double?.none)
        if property.name.hasPrefix(".") {
            name = ["id = \(quoted(Self.id(ofCalculation: calculation)))"]
        } else {
            guard let (quantity, number) = TheengsQuantity.named(property.name) else {
                throw TheengsError("which is no quantity here")
            }
            factor = try TheengsQuantity.factor(property.name, property.unit, quantity)
            kind = quantity.details.kind
            name = ["quantity = \(quoted(quantity.key))"] + (number.map { ["number = \($0)"] } ?? [])
        }
        var steps =
            try property.entries["post_proc"]?.list.map { list throws(TheengsError) in try self.steps(list) } ?? []
        // Their readers make Celsius of Fahrenheit.
        if property.name.hasPrefix("tempf") { steps += [quoted("-"), "32", quoted("*"), "5", quoted("/"), "9"] }
        if let factor { steps += [quoted("*"), TheengsValue.number(factor).toml ?? "1"] }
        return try origins(function, Array(decoder.dropFirst()), kind).map { origin throws(TheengsError) in
            let all = origin.steps + steps
            let when = origin.when + conditions
            guard when.count <= SensorDefinition.maximumConditions else {
                throw TheengsError("it has more than \(SensorDefinition.maximumConditions) conditions")
            }
            var lines = origin.before + ["", "[[\(table)]]"] + name + origin.lines
            if !all.isEmpty { lines.append("compute = [\(all.joined(separator: ", "))]") }
            if !when.isEmpty { lines.append("when = [\(when.joined(separator: ", "))]") }
            return Lines(lines: lines, end: origin.end, hasNoCondition: when.isEmpty)
        }
    }

    // MARK: Decoders

    private func origins(
        _ function: String, _ arguments: [TheengsValue], _ kind: QuantityDetails.Kind
    ) throws(TheengsError) -> [Origin] {
        if function == "static_value" {
            return [Origin(lines: ["value = \(try Self.constant(arguments.first, kind))"], end: 0)]
        }
        guard arguments.first?.text == source.rawValue else {
            throw TheengsError(
                "which is in \(arguments.first?.text ?? "other data"), and the form is about \(source.rawValue)")
        }
        guard arguments.count >= 3, let place = arguments[1].digits, let count = arguments[2].digits else {
            throw TheengsError("whose place is none")
        }
        if function == "bit_static_value" {
            guard count <= 3, arguments.count >= 5 else { throw TheengsError("whose bit is none") }
            let states = [try Self.constant(arguments[3], kind), try Self.constant(arguments[4], kind)]
            return [
                Origin(
                    lines: [
                        "offset = \(place / 2)", "type = \"u8\"", "mask = \(1 << (count + 4 * (1 - place % 2)))",
                        "lookup = { 0 = \(states[0]), 1 = \(states[1]) }",
                    ], end: place / 2 + 1)
            ]
        }
        guard let span = DigitSpan(at: place, count: count) else { throw TheengsError("whose digits are no number") }
        if function == "string_from_hex_data" {
            guard let lookup = property.entries["lookup"]?.list else {
                throw TheengsError("whose text is hexadecimal digits")
            }
            var entries: [String] = []
            for index in stride(from: 0, to: lookup.count - 1, by: 2) {
                guard let digits = lookup[index].text, digits.count == count, let number = UInt64(digits, radix: 16)
                else {
                    continue
                }
                entries.append("\(number) = \(try Self.constant(lookup[index + 1], kind))")
            }
            return [
                Origin(
                    lines: Self.keys(span, "u") + ["lookup = { \(entries.joined(separator: ", ")) }"],
                    end: span.offset + span.octets)
            ]
        }
        guard function == "value_from_hex_data" || function == "bf_value_from_hex_data" else {
            throw TheengsError("whose decoder \(function) is not known")
        }
        guard kind != .text, kind != .event else {
            throw TheengsError("a number, where a text is the quantity's value")
        }
        let isReversed = arguments.count > 3 ? arguments[3].flag ?? false : false
        let isSigned = arguments.count > 4 ? arguments[4].flag ?? true : true
        let isFloat = arguments.count > 5 ? arguments[5].flag ?? false : false
        guard span.mask == nil || !isReversed || span.octets == 1 else {
            throw TheengsError("whose digits are no number that can be said")
        }
        if function.hasPrefix("bf") { return try fraction(span, isReversed, isSigned) }
        let end = span.offset + span.octets
        if isFloat {
            guard span.octets == 4, span.mask == nil else { throw TheengsError("whose float is not four octets") }
            return [
                Origin(
                    lines: [
                        "offset = \(span.offset)", "type = \"f32\"", "order = \"\(isReversed ? "little" : "big")\"",
                    ],
                    end: end)
            ]
        }
        // Only numbers of up to two digits, and of four, have a sign.
        let hasSign = isSigned && (count == 2 || count == 4)
        guard !hasSign || span.mask == nil else { throw TheengsError("whose sign is within an octet") }
        return [Origin(lines: Self.keys(span, hasSign ? "s" : "u", isReversed: isReversed), end: end)]
    }

    /// A number of two octets: the whole part, then hundredths. The highest bit is a sign, if the number may have one.
    private func fraction(_ span: DigitSpan, _ isReversed: Bool, _ isSigned: Bool) throws(TheengsError) -> [Origin] {
        guard span.octets == 2, span.mask == nil else { throw TheengsError("whose fraction is not two octets") }
        let (whole, hundredths) = isReversed ? (span.offset + 1, span.offset) : (span.offset, span.offset + 1)
        let id = "hundredths-\(hundredths)"
        let before = [
            "", "[[\(table)]]", "id = \(quoted(id))", "offset = \(hundredths)", "type = \"u8\"", "factor = 0.01",
        ]
        let add = [quoted("+"), quoted(id)]
        guard isSigned else {
            return [
                Origin(before: before, lines: ["offset = \(whole)", "type = \"u8\""], end: span.offset + 2, steps: add)
            ]
        }
        let place = ["offset = \(whole)", "type = \"u8\"", "mask = 0x7F"]
        let sign = "{ offset = \(whole), mask = 128, equals = "
        return [
            Origin(before: before, lines: place, end: span.offset + 2, steps: add, when: ["\(sign)0 }"]),
            Origin(lines: place, end: span.offset + 2, steps: add + [quoted("neg")], when: ["\(sign)1 }"]),
        ]
    }

    private static func keys(_ span: DigitSpan, _ kind: String, isReversed: Bool = false) -> [String] {
        var lines = ["offset = \(span.offset)", "type = \"\(kind)\(8 * span.octets)\""]
        if span.octets > 1, !isReversed { lines.append("order = \"big\"") }
        if let mask = span.mask { lines.append("mask = 0x\(String(mask, radix: 16, uppercase: true))") }
        return lines
    }

    /// A constant value that the quantity can have.
    private static func constant(
        _ value: TheengsValue?, _ kind: QuantityDetails.Kind
    ) throws(TheengsError) -> String {
        switch (kind, value) {
        case (.text, .text(let text)?): return quoted(text)
        case (.text, _), (.event, _): throw TheengsError("whose value \(value?.toml ?? "") is no name here")
        case (_, .flag(let flag)?): return String(flag)
        case (_, let value?):
            guard let number = value.number, let toml = TheengsValue.number(number).toml else {
                throw TheengsError("whose value \(value.toml ?? "") is a text, where a number is the quantity's value")
            }
            return toml
        case (_, nil): throw TheengsError("whose value is none")
        }
    }

    // MARK: Steps

    /// Steps are pairs there, also where the second means nothing.
    private func steps(_ list: [TheengsValue]) throws(TheengsError) -> [String] {
        var steps: [String] = []
        func add(_ name: String, _ operand: String? = nil) { steps += [quoted(name)] + (operand.map { [$0] } ?? []) }
        for index in stride(from: 0, to: list.count, by: 2) {
            guard let word = list[index].text else { throw TheengsError("whose steps are none") }
            switch word {
            case "abs":
                add("//", "1")
                add("abs")
                continue
            case "!":
                add("not")
                continue
            default: break
            }
            guard index + 1 < list.count else { throw TheengsError("whose step \(word) has no number") }
            let number = list[index + 1].number
            if number == nil {
                guard let id = list[index + 1].text, id.hasPrefix("."), "+-*/".contains(word), word.count == 1 else {
                    throw TheengsError("whose step \(word) has no number")
                }
                guard before > 0 else { throw TheengsError("whose step \(word) has no calculation that was converted") }
                add(word, quoted(Self.id(ofCalculation: before)))
                continue
            }
            let operand = TheengsValue.number(number ?? 0).toml ?? "0"
            switch word {
            case "+", "-", "*", "/", "min", "max": add(word, operand)
            case "<", ">":
                // The fraction goes first.
                add("//", "1")
                if number != 0 { add(word == "<" ? "<<" : ">>", operand) }
            case "&", "^", "%":
                add("//", "1")
                add(word, operand)
            // Towards zero and beyond it.
            case "±": add("±", TheengsValue.number(-(number ?? 0)).toml)
            default: throw TheengsError("whose step \(word) is not known")
            }
        }
        guard steps.count <= 2 * SensorDefinition.maximumSteps else { throw TheengsError("which has too many steps") }
        return steps
    }
}
