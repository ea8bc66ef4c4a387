// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The keys of a file of `decoders.d`: of its head and of `[match]`.
struct DecoderDescription: Sendable {
    var family: String?
    var name: String?
    var manufacturer: UInt16?
    var serviceData: UInt16?
    var characteristic: BluetoothUUID?
    var length: ClosedRange<Int>?
    var prefix: [UserDecoder.Constant]?
    var localName: String?
    var addressOffset: Int?

    static let section = ConfigurationSection<DecoderDescription>(
        path: [],
        help: "A decoder of your own: see [own decoders](own-decoders.md). A new, a changed and a removed file "
            + "hold from the next reload on.",
        effect: .live, keys: keys)

    static let match = ConfigurationSection<DecoderDescription>(
        path: ["match"],
        help:
            "What the decoder is about: one of `manufacturer`, `service_data` and `characteristic`, and all else that is "
            + "given must hold.",
        effect: .live, keys: matchKeys)

    static let keys: [ConfigurationKey<DecoderDescription>] = [
        .text(
            "family", \.family, check: familyComplaint,
            "For advertisements: what readings, topics and entries call the family, like `\"acme-t1\"`."),
        .text("name", \.name, "What people call it, like `\"ACME T1\"`."),
    ]

    static let matchKeys: [ConfigurationKey<DecoderDescription>] = [
        .parsed(
            "manufacturer", \.manufacturer, as: "string of four hexadecimal digits", parse: shortNumber,
            "Manufacturer Specific Data of this company; offsets count from behind the company."),
        .parsed(
            "service_data", \.serviceData, as: "string of four hexadecimal digits", parse: shortNumber,
            "Service Data of this UUID; offsets count from behind the UUID."),
        .parsed(
            "characteristic", \.characteristic, as: "string, a UUID", parse: uuid, "The value of this characteristic."),
        .octetCount("length", \.length, "Octets that it has: a number, or the least and the most, like `[20, 22]`."),
        .parsed(
            "prefix", \.prefix, as: "string of hexadecimal digits and `?`", parse: parsePrefix,
            "What it begins with; a `?` stands for any digit."),
        .text(
            "local_name", \.localName,
            "The name that the sensor advertises; with a trailing `*` every name that begins so."),
        .optionalInteger(
            "address_at", \.addressOffset, 0...511,
            "Offset at which it repeats the sensor's address, as it is printed."),
    ]

    func decoder(_ fields: [UserField]) throws(InvalidValue) -> UserDecoder {
        let sources: [UserDecoder.Source?] = [
            manufacturer.map { .manufacturer($0) }, serviceData.map { .serviceData($0) },
            characteristic.map { .characteristic($0.description.lowercased()) },
        ]
        guard sources.compactMap({ $0 }).count == 1, let source = sources.compactMap({ $0 }).first else {
            throw InvalidValue("[match] needs one of manufacturer, service_data and characteristic")
        }
        guard let length else {
            throw InvalidValue("[match] has no length, so that anything could be taken for a value of it")
        }
        let key: String
        if case .characteristic(let uuid) = source {
            guard family == nil, localName == nil, addressOffset == nil else {
                throw InvalidValue(
                    "family, local_name and address_at are about advertisements, and match.characteristic is not")
            }
            key = uuid
        } else {
            guard let family else { throw InvalidValue("there is no family, by which entries and readings name it") }
            guard prefix != nil || localName != nil || addressOffset != nil || length.count == 1 else {
                throw InvalidValue("[match] needs a prefix, a local_name or address_at beside a length that varies")
            }
            key = family
        }
        for field in fields where field.offset + field.octets > length.lowerBound {
            throw InvalidValue(
                "a field ends at octet \(field.offset + field.octets), and the shortest value has \(length.lowerBound)",
                at: "length")
        }
        let prefix = prefix ?? []
        guard prefix.count <= length.lowerBound else {
            throw InvalidValue("is longer than the shortest value", at: "prefix")
        }
        var decoder = UserDecoder(key: key, name: name ?? key, source: source, length: length, fields: fields)
        (decoder.prefix, decoder.localName, decoder.addressOffset) = (prefix, localName, addressOffset)
        return decoder
    }
}

private func familyComplaint(_ text: String) -> String? {
    let isPlain = text.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") }
    guard !text.isEmpty, text.utf8.count <= 32, isPlain else {
        return "is \(quoted(String(text.prefix(64)))); wanted are up to 32 lower-case letters, digits and dashes"
    }
    return SensorFamilies.all.contains { $0.family == text }
        ? "is \(quoted(text)), a family that is built in: give it another name" : nil
}

@Sendable private func shortNumber(_ text: String) throws(InvalidValue) -> UInt16 {
    guard text.count == 4, let number = UInt16(text, radix: 16) else {
        throw InvalidValue("is \(quoted(text)); wanted are four hexadecimal digits like \"0499\"")
    }
    return number
}

@Sendable private func uuid(_ text: String) throws(InvalidValue) -> BluetoothUUID {
    guard let uuid = BluetoothUUID(text) else { throw InvalidValue("is \(quoted(text)), which is not a UUID") }
    return uuid
}

@Sendable private func parsePrefix(_ text: String) throws(InvalidValue) -> [UserDecoder.Constant] {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2), (2...64).contains(digits.count) else {
        throw InvalidValue("has \(digits.count) digits; wanted are two for each octet, and no more than 32 octets")
    }
    var found: [UserDecoder.Constant] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
        var constant = UserDecoder.Constant(mask: 0, value: 0)
        for digit in digits[index...(index + 1)] {
            let value = Character(UnicodeScalar(digit)).hexDigitValue
            guard value != nil || digit == UInt8(ascii: "?") else {
                throw InvalidValue("is \(quoted(text)); wanted are hexadecimal digits, and ? for any")
            }
            constant = UserDecoder.Constant(
                mask: constant.mask << 4 | (value == nil ? 0 : 0xF), value: constant.value << 4 | UInt8(value ?? 0))
        }
        found.append(constant)
    }
    return found
}
