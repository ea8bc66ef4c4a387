// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The keys of `[match]`, or of a `[[form]]`, in a file of `decoders.d`.
struct FormDescription: Sendable {
    var manufacturer: Company?
    var serviceData: BluetoothUUID?
    var characteristic: BluetoothUUID?
    var withManufacturer: UInt16?
    var withServiceData: UInt16?
    var length: ClosedRange<Int>?
    var prefix: [SensorForm.Constant]?
    var contains: [UInt8]?
    var service: BluetoothUUID?
    var localName: String?
    var addressOffset: Int?
    var addressOrder: AddressOrder?
    var conditions: [OctetCondition]?
    var check: [OctetCheck]?
    var counter: OctetNumber?
    var model: String?
    var isEvent = false
    var isUnique = false
    var cipher: FormCipher?

    enum Company: Equatable, Sendable { case one(UInt16), any }
    enum AddressOrder: String, Sendable { case printed, reversed }

    static let section = ConfigurationSection<FormDescription>(
        path: ["match"],
        help:
            "The data that the decoder reads: one of `manufacturer`, `service_data` and `characteristic`, and all else that is "
            + "given must hold. A sensor that sends in several ways has up to 16 `[[form]]` with these keys instead, each with "
            + "its own `[[form.field]]`; the first that fits is taken.",
        effect: .live, keys: keys)

    static let keys: [ConfigurationKey<FormDescription>] = [
        .parsed(
            "manufacturer", \.manufacturer, as: "string of four hexadecimal digits, or `\"any\"`", parse: company,
            "Manufacturer Specific Data of this company; offsets count from behind the company. `\"any\"`: there is no "
                + "company, and offsets count from where it would be."),
        .parsed(
            "service_data", \.serviceData, as: "string, a UUID", parse: uuid,
            "Service Data of this UUID; offsets count from behind the UUID."),
        .parsed(
            "characteristic", \.characteristic, as: "string, a UUID", parse: uuid, "The value of this characteristic."),
        .parsed(
            "with_manufacturer", \.withManufacturer, as: "string of four hexadecimal digits", parse: shortNumber,
            "The data of this company in the same advertisement, if present, follow the value."),
        .parsed(
            "with_service_data", \.withServiceData, as: "string of four hexadecimal digits", parse: shortNumber,
            "Service Data of this UUID, used as with `with_manufacturer`."),
        .octetCount("length", \.length, "Octets that it has: a number, or the least and the most, like `[20, 22]`."),
        .parsed(
            "prefix", \.prefix, as: "string of hexadecimal digits and `?`", parse: parsePrefix,
            "The first octets of the value; a `?` stands for any digit."),
        .parsed(
            "contains", \.contains, as: "string of hexadecimal digits", parse: parseContents,
            "Up to 32 octets that are somewhere in it."),
        .parsed(
            "service", \.service, as: "string, a UUID", parse: uuid, "A service that the sensor advertises beside it."),
        .text(
            "local_name", \.localName,
            "The name that the sensor advertises; a `*` at its beginning or its end stands for anything."),
        .optionalInteger(
            "address_at", \.addressOffset, 0...511, "Offset at which it repeats the sensor's address."),
        .optionalChoice(
            "address_order", \.addressOrder, [.printed, .reversed],
            "Whether that address is as it is printed; `\"printed\"` when not given."),
        .value(
            "when", \.conditions, as: "table, or list of up to 8", parse: parseConditions,
            "The form's condition, like `{ offset = 2, mask = 0x80, equals = 0x01 }` (also `not`, `minimum`, `maximum`; numbers have "
                + "`type` and `order` as fields do)."),
        .table(
            "check", \.check, as: "table", parse: parseCheck,
            "A checksum, like `{ kind = \"crc8\", over = [0, -2], offset = -1, polynomial = 0x31, initial = 0xFF }`: `kind` is "
                + "`sum`, `xor`, `crc8` or `crc16`, `over` the first and the last octet; also `type`, `order`, `mask`, "
                + "`reflected` and `final`."),
        .table(
            "counter", \.counter, as: "table", parse: parseCounter,
            "The place of the sensor's packet number, like `{ offset = 4, type = \"u16\" }`: for repeats and gaps."),
        .text("model", \.model, "The sensor's model, for people."),
        .flag(
            "event", \.isEvent,
            "It tells of something that happened, like a press of a button. Needs `counter` or `unique`."),
        .flag("unique", \.isUnique, "Each event has other octets: the same octets again are a repeat."),
        .table(
            "cipher", \.cipher, as: "table", parse: parseCipher,
            "The encryption with AES-128 and the sensor's key, like `{ kind = \"aes-ccm\", over = [4, -5], tag = [-4, 4], "
                + "nonce = [\"address\", \"d2fc\", \"0:4\"] }`; or `aes-ctr`, whose nonce is the first counter block. Pieces "
                + "are `address`, `address-reversed`, hexadecimal digits, and offset and count of octets; `additional` has "
                + "pieces of the additional data. `prefix` and `counter` are octets in the clear; `when` and `check` of encrypted "
                + "octets are looked at when they are opened."),
    ]

    func form(_ fields: [FormField]) throws(InvalidValue) -> SensorForm {
        let source = try source()
        guard let length else {
            throw InvalidValue("[match] has no length, so that anything could be taken for a value of it")
        }
        if characteristic != nil {
            guard localName == nil, addressOffset == nil, service == nil, cipher == nil, !isEvent else {
                throw InvalidValue(
                    "family, local_name, address_at, service, event and cipher are about advertisements, and "
                        + "match.characteristic is not")
            }
        } else if !isStrict(length) {
            throw InvalidValue(
                "[match] needs a prefix, a local_name or address_at beside a length that varies, or beside any manufacturer"
            )
        }
        for field in fields { try Self.checkEnd(of: field, length.lowerBound) }
        let prefix = prefix ?? []
        guard prefix.count <= length.lowerBound else {
            throw InvalidValue("is longer than the shortest value", at: "prefix")
        }
        if isEvent, counter == nil, !isUnique {
            throw InvalidValue(
                "is true without counter or unique: a repeat could not be told from a second event", at: "event")
        }
        guard withManufacturer == nil || withServiceData == nil else {
            throw InvalidValue("[match] has with_manufacturer and with_service_data: one of them")
        }
        var form = SensorForm(source, length: length, fields: fields)
        form.companion = withManufacturer.map { .manufacturer($0) } ?? withServiceData.map { .serviceData($0) }
        (form.prefix, form.contains, form.conditions) = (prefix, contains ?? [], conditions ?? [])
        (form.checks, form.service, form.localName) = (check ?? [], service, localName)
        (form.addressOffset, form.isAddressReversed) = (addressOffset, addressOrder == .reversed)
        (form.counter, form.model, form.isEvent, form.cipher) = (counter, model, isEvent, cipher)
        form.isUnique = isUnique
        try Self.checkClear(form)
        return form
    }

    /// A form is recognised, and its packets are numbered, before anything is opened.
    private static func checkClear(_ form: SensorForm) throws(InvalidValue) {
        for count in form.length {
            if let counter = form.counter, form.isEnciphered(counter, count) {
                throw InvalidValue(
                    "counter lies within the octets of cipher.over, and is wanted before they are opened", at: "counter"
                )
            }
            if let sealed = form.cipher?.range(in: count), sealed.lowerBound < form.prefix.count,
                form.prefix[sealed.lowerBound...].contains(where: { $0.mask != 0 })
            {
                throw InvalidValue(
                    "prefix reaches into the octets of cipher.over, which are not known before they are opened",
                    at: "prefix")
            }
        }
    }

    private func source() throws(InvalidValue) -> SensorForm.Source {
        let sources: [SensorForm.Source?] = [
            manufacturer.map { if case .one(let company) = $0 { .manufacturer(company) } else { .anyManufacturer } },
            serviceData.map { uuid in uuid.short.map { .serviceData($0) } ?? .longServiceData(uuid) },
            characteristic.map { .characteristic($0.description.lowercased()) },
        ]
        let given = sources.compactMap { $0 }
        guard given.count == 1, let source = given.first else {
            throw InvalidValue("[match] needs one of manufacturer, service_data and characteristic")
        }
        return source
    }

    /// Anybody may send anything.
    private func isStrict(_ length: ClosedRange<Int>) -> Bool {
        if localName != nil || addressOffset != nil || check != nil || cipher != nil { return true }
        guard manufacturer != .any else {
            let known = (prefix ?? []).reduce(0) { $0 + $1.mask.nonzeroBitCount }
            return service != nil || known >= 12 || (contains ?? []).count >= 3
        }
        return prefix != nil || length.count == 1 || contains != nil || conditions != nil || service != nil
    }

    private static func checkEnd(of field: FormField, _ shortest: Int) throws(InvalidValue) {
        let (offset, octets): (Int, Int)
        switch field.origin {
        case .octets(let number): (offset, octets) = (number.offset, number.octets)
        case .text(let start, _): (offset, octets) = (start, 1)
        case .constant, .field: return
        }
        if offset < 0, octets > -offset {
            throw InvalidValue("a field that begins at octet \(offset) has \(octets) octets", at: "length")
        }
        let end = offset < 0 ? -offset : offset + octets
        // A field with a condition is left out where its octets are missing.
        guard field.conditions.isEmpty, end > shortest else { return }
        throw InvalidValue("a field ends at octet \(end), and the shortest value has \(shortest)", at: "length")
    }
}

// MARK: Values

@Sendable private func shortNumber(_ text: String) throws(InvalidValue) -> UInt16 {
    guard text.count == 4, let number = UInt16(text, radix: 16) else {
        throw InvalidValue("is \(quoted(text)); wanted are four hexadecimal digits like \"0499\"")
    }
    return number
}

@Sendable private func company(_ text: String) throws(InvalidValue) -> FormDescription.Company {
    if text == "any" { return .any }
    guard text.count == 4, let number = UInt16(text, radix: 16) else {
        throw InvalidValue("is \(quoted(text)); wanted are four hexadecimal digits like \"0499\", or \"any\"")
    }
    return .one(number)
}

@Sendable private func uuid(_ text: String) throws(InvalidValue) -> BluetoothUUID {
    guard let uuid = BluetoothUUID(text) else { throw InvalidValue("is \(quoted(text)), which is not a UUID") }
    return uuid
}

@Sendable private func parseContents(_ text: String) throws(InvalidValue) -> [UInt8] {
    guard let octets = [UInt8](hexadecimal: text.filter { $0 != " " }), (1...32).contains(octets.count) else {
        throw InvalidValue("is no string of 1 to 32 octets, two hexadecimal digits each")
    }
    return octets
}

@Sendable private func parsePrefix(_ text: String) throws(InvalidValue) -> [SensorForm.Constant] {
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

@Sendable private func parseCounter(_ entries: [String: ConfigurationValue]) throws(InvalidValue) -> OctetNumber {
    var table = DecoderTable(entries)
    guard let number = try table.number(), number.octets <= 4, number.kind == .unsigned else {
        throw InvalidValue("needs an offset, and a type of up to u32")
    }
    try table.finish()
    return number
}

@Sendable private func parseCheck(_ entries: [String: ConfigurationValue]) throws(InvalidValue) -> [OctetCheck] {
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

@Sendable private func parseCipher(_ entries: [String: ConfigurationValue]) throws(InvalidValue) -> FormCipher {
    var table = DecoderTable(entries)
    guard let span = try table.span("over") else { throw InvalidValue("has no over, like [4, -5]") }
    let kind = try table.text("kind") ?? ""
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
    default: throw InvalidValue("has kind = \(quoted(kind)); allowed are \"aes-ccm\" and \"aes-ctr\"")
    }
    try table.finish()
    guard !nonce.isEmpty else { throw InvalidValue("has no nonce") }
    return FormCipher(mode, first: span.first, last: span.last, nonce: nonce, additionalData: additional)
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
