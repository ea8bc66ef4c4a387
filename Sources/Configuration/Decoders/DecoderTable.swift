// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// A table in a key of a `decoders.d` file, like `{ offset = 3, type = "u16" }`: takes known entries, and names an
/// unknown entry.
struct DecoderTable {
    private var entries: [String: ConfigurationValue]
    private var known: [String] = []

    init(_ entries: [String: ConfigurationValue]) { self.entries = entries }

    init(_ value: ConfigurationValue) throws(InvalidValue) {
        guard case .table(let entries) = value else { throw InvalidValue("is \(value.kind); wanted is a table") }
        self.init(entries)
    }

    mutating func take(_ name: String) -> ConfigurationValue? {
        known.append(name)
        return entries.removeValue(forKey: name)
    }

    mutating func text(_ name: String) throws(InvalidValue) -> String? {
        guard let value = take(name) else { return nil }
        guard case .string(let text) = value else {
            throw InvalidValue("has \(name), which is \(value.kind) and no string")
        }
        return text
    }

    mutating func integer(_ name: String, _ range: ClosedRange<Int> = .min ... .max) throws(InvalidValue) -> Int? {
        guard let value = take(name) else { return nil }
        guard case .integer(let number) = value else {
            throw InvalidValue("has \(name), which is \(value.kind) and no integer")
        }
        guard range.contains(number) else {
            throw InvalidValue(
                "has \(name) = \(number); allowed are \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// An integer, or up to 64 of them.
    mutating func integers(_ name: String) throws(InvalidValue) -> [Int64]? {
        guard let value = take(name) else { return nil }
        return try Self.integers(value, name)
    }

    static func integers(_ value: ConfigurationValue, _ name: String) throws(InvalidValue) -> [Int64] {
        let list: [ConfigurationValue] = if case .list(let list) = value { list } else { [value] }
        guard (1...64).contains(list.count) else { throw InvalidValue("has \(name), which are not 1 to 64 integers") }
        var numbers: [Int64] = []
        for entry in list {
            guard case .integer(let number) = entry else {
                throw InvalidValue("has \(name), which is \(entry.kind) and no integer")
            }
            numbers.append(Int64(number))
        }
        return numbers
    }

    mutating func flag(_ name: String) throws(InvalidValue) -> Bool {
        guard let value = take(name) else { return false }
        guard case .boolean(let flag) = value else {
            throw InvalidValue("has \(name), which is \(value.kind) and not true or false")
        }
        return flag
    }

    /// The first and the last octet. A negative number counts from the end.
    mutating func span(_ name: String) throws(InvalidValue) -> (first: Int, last: Int)? {
        guard let numbers = try integers(name) else { return nil }
        guard numbers.count == 2, numbers.allSatisfy({ (-512...511).contains($0) }) else {
            throw InvalidValue("has \(name), which is not the first and the last octet, like [0, -2]")
        }
        return (Int(numbers[0]), Int(numbers[1]))
    }

    func finish() throws(InvalidValue) {
        guard let stranger = entries.keys.min() else { return }
        let hint = NearestName.of(stranger, among: known).map { " – did you mean \(quoted($0))?" } ?? ""
        throw InvalidValue("has an unknown key \(quoted(stranger))\(hint)")
    }

    // MARK: Contents of tables

    /// `offset`, `type`, `order` and `mask`. Without a type, the number is an octet.
    mutating func number() throws(InvalidValue) -> OctetNumber? {
        guard let offset = try integer("offset", -512...511) else { return nil }
        let type = try text("type").map { text throws(InvalidValue) in try numberType(text) } ?? .octet
        let order = try text("order")
        guard order == nil || order == "little" || order == "big" else {
            throw InvalidValue("has order = \(quoted(order ?? "")); allowed are \"little\" and \"big\"")
        }
        let mask = try integer("mask").map { UInt64(bitPattern: Int64($0)) }
        try checkMask(mask, type)
        return OctetNumber(
            offset: offset, octets: type.octets, kind: type.kind, isBigEndian: order == "big", mask: mask)
    }

    /// A condition: a number or the length, and the wanted value.
    mutating func condition() throws(InvalidValue) -> OctetCondition {
        if let lengths = try integers("length") {
            try finish()
            guard lengths.count <= 2, let least = lengths.first, let most = lengths.last, least <= most else {
                throw InvalidValue("has a length that is no number and no range")
            }
            return OctetCondition(.length, range: least...most)
        }
        guard let number = try number() else { throw InvalidValue("has no offset and no length") }
        let (equal, unequal) = (try integers("equals"), try integers("not"))
        let (least, most) = (try integer("minimum"), try integer("maximum"))
        try finish()
        guard [equal != nil, unequal != nil, least != nil || most != nil].filter({ $0 }).count == 1 else {
            throw InvalidValue("needs one of equals, not, and minimum or maximum")
        }
        if let values = equal ?? unequal {
            return OctetCondition(.number(number), values: Set(values), isNegated: unequal != nil)
        }
        guard least ?? .min <= most ?? .max else { throw InvalidValue("has a minimum above its maximum") }
        return OctetCondition(.number(number), range: Int64(least ?? .min)...Int64(most ?? .max))
    }
}

@Sendable func parseConditions(_ value: ConfigurationValue) throws(InvalidValue) -> [OctetCondition] {
    let list: [ConfigurationValue] = if case .list(let list) = value { list } else { [value] }
    guard (1...SensorDefinition.maximumConditions).contains(list.count) else {
        throw InvalidValue("has \(list.count) conditions; allowed are 1 to \(SensorDefinition.maximumConditions)")
    }
    var conditions: [OctetCondition] = []
    for entry in list {
        var table = try DecoderTable(entry)
        conditions.append(try table.condition())
    }
    return conditions
}

func checkMask(_ mask: UInt64?, _ type: NumberType) throws(InvalidValue) {
    if let mask, mask == 0 || (type.octets < 8 && mask >> UInt64(8 * type.octets) != 0) {
        throw InvalidValue("has a mask without bits, or with more than its type has", at: "mask")
    }
}

/// The octets of a number, and how they encode it.
struct NumberType: Equatable, Sendable {
    var octets: Int
    var kind: OctetNumber.Kind
    /// The octets are letters.
    var isText = false

    static let octet = NumberType(octets: 1, kind: .unsigned)
    var isSigned: Bool { kind == .signed }
}

@Sendable func numberType(_ text: String) throws(InvalidValue) -> NumberType {
    switch text {
    case "f32": return NumberType(octets: 4, kind: .float)
    case "sfloat": return NumberType(octets: 2, kind: .shortMedical)
    case "mfloat": return NumberType(octets: 4, kind: .medical)
    case "text": return NumberType(octets: 1, kind: .unsigned, isText: true)
    default: break
    }
    let kinds: [(String, OctetNumber.Kind, Int)] = [
        ("bcd", .decimalDigits, 64), ("sm", .signMagnitude, 64), ("u", .unsigned, 56), ("s", .signed, 64),
    ]
    for (head, kind, most) in kinds where text.hasPrefix(head) {
        guard let bits = Int(text.dropFirst(head.count)), bits % 8 == 0, (8...most).contains(bits) else { break }
        return NumberType(octets: bits / 8, kind: kind)
    }
    throw InvalidValue(
        "is \(quoted(text)); wanted is u or s with 8, 16, 24, 32, 40, 48 or 56 bits, s64, sm or bcd with as many bits, f32, "
            + "sfloat, mfloat or text")
}
