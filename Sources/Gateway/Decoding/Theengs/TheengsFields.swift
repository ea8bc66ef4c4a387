// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The properties of a definition as fields of `decoders.d`.
struct TheengsFields {
    private let properties: [(key: String, entries: [String: TheengsValue])]
    private let source: TheengsTest.Source
    private let table: String

    init(
        _ properties: [(key: String, entries: [String: TheengsValue])], _ source: TheengsTest.Source, _ table: String
    ) {
        (self.properties, self.source, self.table) = (properties, source, table)
    }

    /// The fields' lines, the end of the fields without a condition, in octets, and notes on properties without a
    /// conversion.
    func lines() -> (lines: [String], end: Int, notes: [String]) {
        var (lines, notes, end) = ([String](), [String](), 0)
        for (key, entries) in properties {
            // The address is in the condition, and degrees Fahrenheit follow from Celsius.
            if key == "mac" || key.hasPrefix("tempf") || key == "device" { continue }
            do throws(TheengsError) {
                let conditions =
                    try (entries["condition"]?.list).map { list throws(TheengsError) in
                        try TheengsCondition(list)
                    } ?? .always
                for alternative in conditions.alternatives {
                    let field = try field(key, entries, alternative)
                    lines += field.lines
                    if alternative.isEmpty { end = max(end, field.end) }
                }
            } catch {
                notes.append("\(key), \(error)")
            }
        }
        return (lines, end, notes)
    }

    private func field(
        _ key: String, _ entries: [String: TheengsValue], _ tests: [TheengsTest]
    ) throws(TheengsError) -> (lines: [String], end: Int) {
        guard let decoder = entries["decoder"]?.list, let function = decoder.first?.text else {
            throw TheengsError("it has no decoder")
        }
        var lines = ["", "[[\(table)]]"]
        if key.hasPrefix(".") {
            lines.append("id = \(quoted(String(key.dropFirst())))")
        } else {
            guard let (quantity, number) = Self.quantity(key) else { throw TheengsError("which is no quantity here") }
            lines.append("quantity = \(quoted(quantity.key))")
            if let number { lines.append("number = \(number)") }
        }
        let origin = try origin(function, Array(decoder.dropFirst()), entries["lookup"]?.list)
        lines += origin.lines
        if let steps = entries["post_proc"]?.list { lines.append("compute = [\(try Self.steps(steps))]") }
        guard tests.count <= SensorDefinition.maximumConditions else {
            throw TheengsError("it has too many conditions")
        }
        var conditions: [String] = []
        for test in tests {
            guard test.source == source, let when = test.when else {
                throw TheengsError("whose condition cannot be said")
            }
            conditions.append(when)
        }
        if !conditions.isEmpty { lines.append("when = [\(conditions.joined(separator: ", "))]") }
        return (origin.before + lines, origin.end)
    }

    // MARK: Decoders

    private func origin(
        _ function: String, _ arguments: [TheengsValue], _ lookup: [TheengsValue]?
    ) throws(TheengsError) -> (before: [String], lines: [String], end: Int) {
        if function == "static_value" {
            guard let value = arguments.first?.toml else { throw TheengsError("whose value is none") }
            return ([], ["value = \(value)"], 0)
        }
        guard arguments.first?.text == source.rawValue else { throw TheengsError("which is in other data") }
        guard arguments.count >= 3, let place = arguments[1].digits, let count = arguments[2].digits else {
            throw TheengsError("whose place is none")
        }
        switch function {
        case "bit_static_value":
            guard count <= 3, arguments.count >= 5, let clear = arguments[3].toml, let set = arguments[4].toml else {
                throw TheengsError("whose bit is none")
            }
            let mask = 1 << (count + 4 * (1 - place % 2))
            return (
                [],
                ["offset = \(place / 2)", "type = \"u8\"", "mask = \(mask)", "lookup = { 0 = \(clear), 1 = \(set) }"],
                place / 2 + 1
            )
        case "ascii_from_hex_data":
            guard place % 2 == 0 else { throw TheengsError("whose place is no octet") }
            return (
                [], ["offset = \(place / 2)", "type = \"text\"", "octets = \(min(max(count / 2, 1), 64))"],
                place / 2 + 1
            )
        case "string_from_hex_data":
            guard let span = DigitSpan(at: place, count: count), let lookup else {
                throw TheengsError("which is digits and no value")
            }
            var entries: [String] = []
            for index in stride(from: 0, to: lookup.count - 1, by: 2) {
                guard let digits = lookup[index].text, let number = UInt64(digits, radix: 16),
                    let value = lookup[index + 1].toml
                else { continue }
                entries.append("\(number) = \(value)")
            }
            return (
                [], Self.keys(span, "u") + ["lookup = { \(entries.joined(separator: ", ")) }"],
                span.offset + span.octets
            )
        case "value_from_hex_data", "bf_value_from_hex_data":
            let isReversed = arguments.count > 3 ? arguments[3].flag ?? false : false
            let isSigned = arguments.count > 4 ? arguments[4].flag ?? true : true
            let isFloat = arguments.count > 5 ? arguments[5].flag ?? false : false
            guard let span = DigitSpan(at: place, count: count), span.mask == nil || !isReversed || span.octets == 1
            else {
                throw TheengsError("whose digits are no number that can be said")
            }
            let end = span.offset + span.octets
            if function.hasPrefix("bf") {
                guard span.octets == 2, span.mask == nil else { throw TheengsError("whose fraction is not two octets") }
                let (whole, fraction) = isReversed ? (span.offset + 1, span.offset) : (span.offset, span.offset + 1)
                let id = "fraction-\(fraction)"
                return (
                    [
                        "", "[[\(table)]]", "id = \(quoted(id))", "offset = \(fraction)", "type = \"u8\"",
                        "factor = 0.01",
                    ],
                    [
                        "offset = \(whole)", "type = \"\(isSigned ? "s" : "u")8\"", "add = 0",
                        "compute = [\"±\", \(quoted(id))]",
                    ],
                    end
                )
            }
            if isFloat {
                guard span.octets == 4 else { throw TheengsError("whose float is not four octets") }
                return (
                    [], ["offset = \(span.offset)", "type = \"f32\"", "order = \"\(isReversed ? "little" : "big")\""],
                    end
                )
            }
            let kind = isSigned && span.mask == nil && span.octets != 3 ? "s" : "u"
            return ([], Self.keys(span, kind, isReversed: isReversed), end)
        default: throw TheengsError("whose decoder \(function) is not known")
        }
    }

    private static func keys(_ span: DigitSpan, _ kind: String, isReversed: Bool = false) -> [String] {
        var lines = ["offset = \(span.offset)", "type = \"\(kind)\(8 * span.octets)\""]
        if span.octets > 1, !isReversed { lines.append("order = \"big\"") }
        if let mask = span.mask { lines.append("mask = 0x\(String(mask, radix: 16, uppercase: true))") }
        return lines
    }

    private static func steps(_ list: [TheengsValue]) throws(TheengsError) -> String {
        let alone = ["abs": "\"abs\"", "!": "\"not\""]
        let names = [
            "/": "/", "*": "*", "+": "+", "-": "-", "±": "±", "%": "%", "<": "<<", ">": ">>", "&": "&", "^": "^",
            "min": "min", "max": "max",
        ]
        var steps: [String] = []
        var rest = list[...]
        while let word = rest.popFirst()?.text {
            if let step = alone[word] {
                steps.append(step)
                continue
            }
            guard let name = names[word], let operand = rest.popFirst() else {
                throw TheengsError("whose step \(word) is not known")
            }
            steps.append(quoted(name))
            if let text = operand.text, let number = Double(text) {
                steps.append(TheengsValue.number(number).toml ?? "0")
            } else if let id = operand.text {
                guard id.hasPrefix(".") else { throw TheengsError("whose step \(word) has no number") }
                steps.append(quoted(String(id.dropFirst())))
            } else if let number = operand.toml {
                steps.append(number)
            }
        }
        guard rest.isEmpty, !steps.isEmpty else { throw TheengsError("whose steps are none") }
        return steps.joined(separator: ", ")
    }

    // MARK: Names

    /// The quantity of a Theengs key, and its number among several.
    private static func quantity(_ key: String) -> (Quantity, Int?)? {
        if let found = named(key) { return (found, nil) }
        let digits = key.reversed().prefix { $0.isNumber }.reversed()
        guard !digits.isEmpty, let number = Int(String(digits)), (1...64).contains(number),
            let found = named(String(key.dropLast(digits.count)))
        else { return nil }
        return (found, number)
    }

    private static func named(_ key: String) -> Quantity? {
        let others: [String: Quantity] = [
            "open": .opening, "motion": .motion, "lowbatt": .batteryLow, "state": .text, "weight": .weight,
            "impedance": .impedance, "status": .text, "presence": .presence, "power": .power, "current": .current,
        ]
        if let found = others[key] ?? Quantity(key: key) { return found }
        return Quantity.allCases.first { $0.details.theengsKey == key && !$0.details.isList }
    }
}
