// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The keys of a `[[field]]` in a file of `decoders.d`.
struct FieldDescription: Sendable {
    var quantity: Quantity?
    var offset: Int?
    var type: NumberType?
    var isBigEndian: ByteOrder?
    var mask: UInt64?
    var factor = Field.Decimal(mantissa: 1, places: 0)
    var add = Field.Decimal(mantissa: 0, places: 0)
    var unknown: [Int64] = []
    var unknownAbove: Int64?
    var minimum: Int64?
    var maximum: Int64?
    var unit: String?

    enum ByteOrder: String, Sendable { case little, big }

    struct NumberType: Equatable, Sendable {
        var octets: Int
        var isSigned: Bool
    }

    static let section = ConfigurationSection<FieldDescription>(
        path: ["field"],
        help:
            "A number in it; the table may be written 32 times. `quantity`, `offset` and `type` must be given. Several of one "
            + "quantity are numbered in their order: `temperature_1`, `temperature_2`.",
        effect: .live, keys: keys)

    static let keys: [ConfigurationKey<FieldDescription>] = [
        .parsed(
            "quantity", \.quantity, as: "string, like `\"temperature\"`", parse: parseQuantity,
            "What it is: one of docs/decoders.md that is a number, or true and false."),
        .optionalInteger("offset", \.offset, 0...511, "Octets before it."),
        .parsed(
            "type", \.type, as: "`\"u8\"`, `\"s8\"`, `\"u16\"`, … `\"s64\"`", parse: numberType,
            "Its bits, with a sign (`s`) or without."),
        .optionalChoice(
            "order", \.isBigEndian, [.little, .big], "Which octet comes first; `\"little\"`, the least, when not given."
        ),
        .mask("mask", \.mask, "The bits that are it, like `0x7FF`; the lowest of them becomes bit 0."),
        .decimal("factor", \.factor, "What one step is worth in the quantity's unit, like `0.01`."),
        .decimal("add", \.add, "What 0 stands for, like `-273.15`."),
        .integers("unknown", \.unknown, "Numbers, before `factor`, that stand for no value, like `[0x8000]`."),
        .wholeNumber("unknown_above", \.unknownAbove, "Everything above it stands for no value, too."),
        .wholeNumber(
            "minimum", \.minimum,
            "The least that is possible, before `factor`: a packet with less is none of the sensor's."),
        .wholeNumber("maximum", \.maximum, "The same for the most."),
        .text(
            "unit", \.unit,
            "What the value is in after `factor` and `add`; it has to be the quantity's unit, and is there for the reader."
        ),
    ]

    func field() throws(InvalidValue) -> UserField {
        guard let quantity else { throw InvalidValue("has no quantity") }
        guard let offset else { throw InvalidValue("has no offset") }
        guard let type else { throw InvalidValue("has no type, like \"u16\"") }
        let wanted = quantity.details.unit
        if let unit, unit != (wanted ?? "") {
            throw InvalidValue(
                "is in \(quoted(unit)); \(quantity.rawValue) is in \(wanted.map(quoted) ?? "no unit"): change factor and "
                    + "add", at: "unit")
        }
        if let mask, mask == 0 || (type.octets < 8 && mask >> UInt64(8 * type.octets) != 0) {
            throw InvalidValue("has a mask without bits, or with more than its type has", at: "mask")
        }
        if factor.mantissa == 0 { throw InvalidValue("has a factor of 0: every value would be the same", at: "factor") }
        if let minimum, let maximum, minimum > maximum { throw InvalidValue("has a minimum above its maximum") }
        var field = UserField(quantity, offset: offset, octets: type.octets)
        (field.isSigned, field.isBigEndian, field.mask) = (type.isSigned, isBigEndian == .big, mask)
        (field.factor, field.add) = (factor, add)
        // As it is written, 0x8000 of 16 bits with a sign is a negative number.
        field.unknown = Set(unknown.map { Self.signed($0, type, mask) })
        field.unknownAbove = unknownAbove
        if minimum != nil || maximum != nil { field.allowed = (minimum ?? .min)...(maximum ?? .max) }
        return field
    }

    private static func signed(_ number: Int64, _ type: NumberType, _ mask: UInt64?) -> Int64 {
        let bits = mask.map { 64 - $0.leadingZeroBitCount - $0.trailingZeroBitCount } ?? 8 * type.octets
        guard type.isSigned, bits < 64, number >= 1 << Int64(bits - 1), number < 1 << Int64(bits) else { return number }
        return number - 1 << Int64(bits)
    }
}

@Sendable private func parseQuantity(_ text: String) throws(InvalidValue) -> Quantity {
    let usable = Quantity.allCases.filter { quantity in
        let details = quantity.details
        return !details.isList && details.kind != .event && details.kind != .text
    }
    if let quantity = Quantity(rawValue: text), usable.contains(quantity) { return quantity }
    let hint = NearestName.of(text, among: usable.map(\.rawValue)).map { " – did you mean \(quoted($0))?" } ?? ""
    throw InvalidValue("is \(quoted(text)), which is no quantity that is a number\(hint); docs/decoders.md lists them")
}

@Sendable private func numberType(_ text: String) throws(InvalidValue) -> FieldDescription.NumberType {
    guard let sign = text.first, sign == "u" || sign == "s", let bits = Int(text.dropFirst()), bits % 8 == 0,
        (8...64).contains(bits), !(sign == "u" && bits == 64)
    else { throw InvalidValue("is \(quoted(text)); wanted is u or s with 8, 16, 24, 32, 40, 48 or 56 bits, or s64") }
    return FieldDescription.NumberType(octets: bits / 8, isSigned: sign == "s")
}
