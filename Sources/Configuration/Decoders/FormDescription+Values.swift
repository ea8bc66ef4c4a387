// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

// The values of the keys of a form.

@Sendable func parseShortNumber(_ text: String) throws(InvalidValue) -> UInt16 {
    guard text.count == 4, let number = UInt16(text, radix: 16) else {
        throw InvalidValue("is \(quoted(text)); wanted are four hexadecimal digits like \"0499\"")
    }
    return number
}

@Sendable func parseCompany(_ text: String) throws(InvalidValue) -> FormDescription.Company {
    if text == "any" { return .any }
    guard text.count == 4, let number = UInt16(text, radix: 16) else {
        throw InvalidValue("is \(quoted(text)); wanted are four hexadecimal digits like \"0499\", or \"any\"")
    }
    return .one(number)
}

@Sendable func parseUUID(_ text: String) throws(InvalidValue) -> BluetoothUUID {
    guard let uuid = BluetoothUUID(text) else { throw InvalidValue("is \(quoted(text)), which is not a UUID") }
    return uuid
}

@Sendable func parseContents(_ text: String) throws(InvalidValue) -> [UInt8] {
    guard let octets = [UInt8](hexadecimal: text.filter { $0 != " " }), (1...32).contains(octets.count) else {
        throw InvalidValue("is no string of 1 to 32 octets, two hexadecimal digits each")
    }
    return octets
}

@Sendable func parsePrefix(_ text: String) throws(InvalidValue) -> [SensorForm.Constant] {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2), (2...64).contains(digits.count) else {
        throw InvalidValue("has \(digits.count) digits; wanted are two for each octet, and no more than 32 octets")
    }
    var found: [SensorForm.Constant] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
        var constant = SensorForm.Constant(mask: 0, value: 0)
        for digit in digits[index...(index + 1)] {
            let value = Character(UnicodeScalar(digit)).hexDigitValue
            guard value != nil || digit == UInt8(ascii: "?") else {
                throw InvalidValue("is \(quoted(text)); wanted are hexadecimal digits, and ? for any")
            }
            constant = SensorForm.Constant(
                mask: constant.mask << 4 | (value == nil ? 0 : 0xF), value: constant.value << 4 | UInt8(value ?? 0))
        }
        found.append(constant)
    }
    return found
}

@Sendable func parseCounter(_ entries: [String: ConfigurationValue]) throws(InvalidValue) -> OctetNumber {
    var table = DecoderTable(entries)
    guard let number = try table.number(), number.octets <= 4, number.kind == .unsigned else {
        throw InvalidValue("needs an offset, and a type of up to u32")
    }
    try table.finish()
    return number
}

@Sendable func parseModels(
    _ entries: [String: ConfigurationValue]
) throws(InvalidValue) -> SensorForm.NumberedModels {
    var table = DecoderTable(entries)
    guard let number = try table.number(), let names = table.take("names") else {
        throw InvalidValue("needs an offset, and names")
    }
    try table.finish()
    var found: [Int64: String] = [:]
    for (key, name) in try parseLookup(names) {
        guard case .string(let text) = name, text.utf8.count <= 64, labelComplaint(text) == nil else {
            throw InvalidValue("has a name of \(key) that is no text of up to 64 letters")
        }
        found[key] = text
    }
    return SensorForm.NumberedModels(number, found)
}

@Sendable func parseCheck(_ entries: [String: ConfigurationValue]) throws(InvalidValue) -> [OctetCheck] {
    var table = DecoderTable(entries)
    guard let span = try table.span("over") else { throw InvalidValue("has no over, like [0, -2]") }
    let kind = try table.text("kind") ?? ""
    let width = kind == "crc8" ? 8 : 16
    let method: OctetCheck.Method
    switch kind {
    case "sum": method = .sum
    case "xor": method = .exclusiveOr
    case "crc8", "crc16":
        let range = 0...(1 << width - 1)
        guard let polynomial = try table.integer("polynomial", range) else { throw InvalidValue("has no polynomial") }
        let (initial, final) = (try table.integer("initial", range) ?? 0, try table.integer("final", range) ?? 0)
        method = .crc(
            CyclicCheck(
                width: width, polynomial: UInt16(polynomial), initial: UInt16(initial),
                isReflected: try table.flag("reflected"), final: UInt16(final)))
    default: throw InvalidValue("has kind = \(quoted(kind)); allowed are \"sum\", \"xor\", \"crc8\" and \"crc16\"")
    }
    guard let number = try table.number(), number.kind == .unsigned else {
        throw InvalidValue("has no offset, at which it is")
    }
    try table.finish()
    return [OctetCheck(method, first: span.first, last: span.last, number: number)]
}

@Sendable func parseCipher(
    _ entries: [String: ConfigurationValue]
) throws(InvalidValue) -> FormDescription.CipherDescription {
    var table = DecoderTable(entries)
    let kind = try table.text("kind") ?? ""
    if kind == "aes-cbc" { return .value(try valueCipher(&table)) }
    guard let span = try table.span("over") else { throw InvalidValue("has no over, like [4, -5]") }
    let (nonce, additional) = (
        try pieces(table.take("nonce"), "nonce"), try pieces(table.take("additional"), "additional")
    )
    let mode: FormCipher.Mode
    switch kind {
    case "aes-ctr": mode = .ctr
    case "aes-ccm":
        guard let tag = try table.integers("tag"), tag.count == 2, (-512...511).contains(tag[0]),
            [4, 6, 8].contains(tag[1])
        else { throw InvalidValue("needs a tag, its offset and its count of octets (4, 6 or 8), like [-4, 4]") }
        mode = .ccm(tag: Int(tag[1]), at: Int(tag[0]))
    default: throw InvalidValue("has kind = \(quoted(kind)); allowed are \"aes-ccm\", \"aes-ctr\" and \"aes-cbc\"")
    }
    try table.finish()
    guard !nonce.isEmpty else { throw InvalidValue("has no nonce") }
    return .advertised(
        FormCipher(mode, first: span.first, last: span.last, nonce: nonce, additionalData: additional))
}

private func valueCipher(_ table: inout DecoderTable) throws(InvalidValue) -> ValueCipher {
    func block(_ name: String, _ text: String?) throws(InvalidValue) -> [UInt8]? {
        guard let text else { return nil }
        guard let octets = [UInt8](hexadecimal: text), octets.count == ValueCipher.blockLength else {
            throw InvalidValue("has \(name), which is not 32 hexadecimal digits")
        }
        return octets
    }
    let (key, initial) = (try block("key", table.text("key")), try block("iv", table.text("iv")))
    try table.finish()
    guard let key else { throw InvalidValue("has no key") }
    return ValueCipher(key: key, initial: initial ?? [UInt8](repeating: 0, count: ValueCipher.blockLength))
}

private func pieces(_ value: ConfigurationValue?, _ name: String) throws(InvalidValue) -> [FormCipher.Part] {
    guard let value else { return [] }
    guard case .list(let list) = value, list.count <= 8 else {
        throw InvalidValue("has \(name), which is no list of up to 8")
    }
    var parts: [FormCipher.Part] = []
    for entry in list {
        guard case .string(let text) = entry else { throw InvalidValue("has \(name) with \(entry.kind) in it") }
        let numbers = text.split(separator: ":").map { Int($0) }
        switch text {
        case "address": parts.append(.address(isReversed: false))
        case "address-reversed": parts.append(.address(isReversed: true))
        default:
            if text.contains(":"), numbers.count == 2, let offset = numbers[0], let count = numbers[1],
                (-512...511).contains(offset), (1...16).contains(count)
            {
                parts.append(.value(offset: offset, count: count))
            } else if let octets = [UInt8](hexadecimal: text), (1...16).contains(octets.count) {
                parts.append(.octets(octets))
            } else {
                throw InvalidValue("has \(name) with \(quoted(text)), which is no piece")
            }
        }
    }
    return parts
}
