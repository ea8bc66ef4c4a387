// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The keys of a `[[field]]` in a file of `decoders.d`.
struct FieldDescription: Sendable {
    var quantity: Quantity?
    var id: String?
    var offset: Int?
    var type: NumberType?
    var octets: Int?
    var isBigEndian: ByteOrder?
    var mask: UInt64?
    var factor = Field.Decimal(mantissa: 1, places: 0)
    var add = Field.Decimal(mantissa: 0, places: 0)
    var unknown: [Int64] = []
    var unknownAbove: Int64?
    var minimum: Int64?
    var maximum: Int64?
    var unit: String?
    var of: String?
    var value: ConfigurationValue?
    var conditions: [OctetCondition]?
    var lookup: [Int64: ConfigurationValue]?
    var otherwise: String?
    var steps: [ConfigurationValue]?
    var places: Int?
    var index: Int?
    var numberOf: String?
    var endsAfter: Int?

    enum ByteOrder: String, Sendable { case little, big }

    static let section = ConfigurationSection<FieldDescription>(
        path: ["field"],
        help:
            "A value in it; the table may be written 32 times. Several of one quantity are numbered in their order: "
            + "`temperature_1`, `temperature_2`. A field without `quantity` is there for `compute` alone.",
        effect: .live, keys: keys)

    static let keys: [ConfigurationKey<FieldDescription>] = [
        .parsed(
            "quantity", \.quantity, as: "string, like `\"temperature\"`", parse: parseQuantity,
            "The field's quantity: one of docs/decoders.md."),
        .text("id", \.id, "A name by which `of` and `compute` of later fields know it."),
        .optionalInteger(
            "offset", \.offset, -512...511, "Octets before it; below zero it counts from the end: -1 is the last octet."
        ),
        .parsed(
            "type", \.type, as: "`\"u8\"`, `\"s8\"`, `\"u16\"`, … `\"s64\"`, and others", parse: numberType,
            "Its bits, with a sign (`s`) or without (`u`), with the highest bit for a sign (`sm16`), or two decimal digits an "
                + "octet (`bcd16`); `f32` (IEEE 754), `sfloat` and `mfloat` (IEEE 11073, 16 and 32 bits), `text`."),
        .optionalInteger("octets", \.octets, 1...64, "The octets of a text, up to a zero."),
        .optionalChoice(
            "order", \.isBigEndian, [.little, .big], "Which octet comes first; `\"little\"`, the least, when not given."
        ),
        .mask("mask", \.mask, "The bits that are it, like `0x7FF`; the lowest of them becomes bit 0."),
        .decimal("factor", \.factor, "The value of one step in the quantity's unit, like `0.01`."),
        .decimal("add", \.add, "The value that 0 stands for, like `-273.15`."),
        .integers("unknown", \.unknown, "Numbers, before `factor`, that stand for no value, like `[0x8000]`."),
        .wholeNumber("unknown_above", \.unknownAbove, "Everything above it stands for no value, too."),
        .wholeNumber(
            "minimum", \.minimum,
            "The least that is possible, before `factor`. A field with less is left out."),
        .wholeNumber("maximum", \.maximum, "The greatest possible number, before `factor`."),
        .text(
            "unit", \.unit,
            "The unit after `factor` and `add`, for the reader; only the quantity's unit is allowed."
        ),
        .value(
            "when", \.conditions, as: "table, or list of up to 8", parse: parseConditions,
            "The condition for the field's presence, as in `[match]`; also `{ length = 20 }`. Octets that are missing then are "
                + "no mistake."),
        .text("of", \.of, "Instead of `offset` and `type`: the value of the field with this `id`."),
        .value(
            "value", \.value, as: "number, string, true or false", parse: { value throws(InvalidValue) in value },
            "Instead of `offset` and `type`: always this."),
        .value(
            "lookup", \.lookup, as: "table, like `{ 0 = \"closed\", 0x10 = \"open\" }`", parse: parseLookup,
            "The meanings of numbers, up to 256; a number that is not listed stands for no value."),
        .text(
            "otherwise", \.otherwise,
            "Beside `lookup`: the text of a number that is not listed, up to 64 letters, like `\"error_#\"`; `#` is the number."
        ),
        .value(
            "compute", \.steps, as: "list, like `[\"/\", 10, \"-\", \"tare\"]`", parse: parseSteps,
            "Up to 16 steps after `factor` and `add`, in their order: `+ - * / // % << >> & ^ ± e min max` with a number or "
                + "the `id` of a field before (`//` drops the fraction, `e` is times ten to the power, `±` adds away from zero, "
                + "`min` and `max` are bounds), and `abs`, `neg` and `not` alone."),
        .optionalInteger("round", \.places, 0...9, "Decimal places that it is rounded to."),
        .optionalInteger("number", \.index, 1...64, "Which of several it is: 2 makes `temperature_2`."),
        .text(
            "number_of", \.numberOf,
            "Instead of `number`: the value of the field with this `id`, from 1 to 64, is the number."),
        .optionalInteger(
            "ends_after", \.endsAfter, 1...86_400,
            "Seconds after which a state is over, of which the sensor tells the beginning alone."),
    ]
}

@Sendable private func parseQuantity(_ text: String) throws(InvalidValue) -> Quantity {
    let usable = Quantity.allCases.filter { !$0.details.isList }
    if let quantity = Quantity(key: text), usable.contains(quantity) { return quantity }
    let hint = NearestName.of(text, among: usable.map(\.key)).map { " – did you mean \(quoted($0))?" } ?? ""
    throw InvalidValue("is \(quoted(text)), which is no quantity\(hint); docs/decoders.md lists them")
}

@Sendable func parseLookup(_ value: ConfigurationValue) throws(InvalidValue) -> [Int64: ConfigurationValue] {
    guard case .table(let entries) = value else { throw InvalidValue("is \(value.kind); wanted is a table") }
    guard (1...SensorDefinition.maximumLookup).contains(entries.count) else {
        throw InvalidValue("has \(entries.count) entries; allowed are 1 to \(SensorDefinition.maximumLookup)")
    }
    var found: [Int64: ConfigurationValue] = [:]
    for (key, entry) in entries {
        let number = key.hasPrefix("0x") ? Int64(key.dropFirst(2), radix: 16) : Int64(key)
        guard let number else { throw InvalidValue("has \(quoted(key)), which is no number like 12 or 0x0C") }
        guard found.updateValue(entry, forKey: number) == nil else { throw InvalidValue("has \(number) twice") }
    }
    return found
}

@Sendable private func parseSteps(_ value: ConfigurationValue) throws(InvalidValue) -> [ConfigurationValue] {
    guard case .list(let list) = value else { throw InvalidValue("is \(value.kind); wanted is a list") }
    return list
}
