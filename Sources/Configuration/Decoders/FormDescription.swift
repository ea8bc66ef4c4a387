// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The keys of `[match]`, or of a `[[form]]`, in a file of `decoders.d`.
struct FormDescription: Sendable {
    var manufacturer: Company?
    var serviceData: BluetoothUUID?
    var characteristic: BluetoothUUID?
    var isRecord = false
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
    var models: SensorForm.NumberedModels?
    var isEvent = false
    var isUnique = false
    var cipher: CipherDescription?
    var tolerance: Int?

    enum Company: Equatable, Sendable { case one(UInt16), any }
    enum CipherDescription: Equatable, Sendable { case advertised(FormCipher), value(ValueCipher) }
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
            "manufacturer", \.manufacturer, as: "string of four hexadecimal digits, or `\"any\"`", parse: parseCompany,
            "Manufacturer Specific Data of this company; offsets count from behind the company. `\"any\"`: there is no "
                + "company, and offsets count from where it would be."),
        .parsed(
            "service_data", \.serviceData, as: "string, a UUID", parse: parseUUID,
            "Service Data of this UUID; offsets count from behind the UUID."),
        .parsed(
            "characteristic", \.characteristic, as: "string, a UUID", parse: parseUUID,
            "The value of this characteristic."),
        .flag(
            "record", \.isRecord,
            "Only in the files of built-in families: what the family's Swift makes of an advertisement."),
        .parsed(
            "with_manufacturer", \.withManufacturer, as: "string of four hexadecimal digits", parse: parseShortNumber,
            "The data of this company in the same advertisement, if present, follow the value."),
        .parsed(
            "with_service_data", \.withServiceData, as: "string of four hexadecimal digits", parse: parseShortNumber,
            "Service Data of this UUID, used as with `with_manufacturer`."),
        .octetCount("length", \.length, "Octets that it has: a number, or the least and the most, like `[20, 22]`."),
        .parsed(
            "prefix", \.prefix, as: "string of hexadecimal digits and `?`", parse: parsePrefix,
            "The first octets of the value; a `?` stands for any digit."),
        .parsed(
            "contains", \.contains, as: "string of hexadecimal digits", parse: parseContents,
            "Up to 32 octets that are somewhere in it."),
        .parsed(
            "service", \.service, as: "string, a UUID", parse: parseUUID,
            "A service that the sensor advertises beside it."),
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
        .table(
            "models", \.models, as: "table", parse: parseModels,
            "The models by a number of the value, up to 256, like `{ offset = 1, names = { 0x10 = \"T1\", 0x12 = \"T2\" } }`; the "
                + "number has `type`, `order` and `mask` as fields do. A number that is not listed means `model`."),
        .flag(
            "event", \.isEvent,
            "It tells of something that happened, like a press of a button. Needs `counter` or `unique`."),
        .flag("unique", \.isUnique, "Each event has other octets: the same octets again are a repeat."),
        .optionalInteger(
            "tolerate", \.tolerance, 0...32,
            "A packet with more impossible fields than this is not the sensor's. A packet with impossible fields alone never is."
        ),
        .table(
            "cipher", \.cipher, as: "table", parse: parseCipher,
            "The encryption with AES-128 and the sensor's key, like `{ kind = \"aes-ccm\", over = [4, -5], tag = [-4, 4], "
                + "nonce = [\"address\", \"d2fc\", \"0:4\"] }`; or `aes-ctr`, whose nonce is the first counter block. Pieces "
                + "are `address`, `address-reversed`, hexadecimal digits, and offset and count of octets; `additional` has "
                + "pieces of the additional data. `prefix` and `counter` are octets in the clear; `when` and `check` of encrypted "
                + "octets are looked at when they are opened. A characteristic has `{ kind = \"aes-cbc\", key = \"…\", iv = \"…\" }`: "
                + "the key of all sensors of the model and the initialization vector, 32 hexadecimal digits each; without `iv` it "
                + "is zeros. All other keys are about the decrypted octets, and the length is a multiple of 16."),
    ]

    func form(_ fields: [FormField]) throws(InvalidValue) -> SensorForm {
        let source = try source()
        guard let length else {
            throw InvalidValue("[match] has no length, so that anything could be taken for a value of it")
        }
        if characteristic != nil {
            guard localName == nil, addressOffset == nil, service == nil, !isEvent else {
                throw InvalidValue(
                    "family, local_name, address_at, service and event are about advertisements, and "
                        + "match.characteristic is not")
            }
        } else if !isRecord, !isStrict(length) {
            throw InvalidValue(
                "[match] needs a prefix, a local_name or address_at beside a length that varies, or beside any manufacturer"
            )
        }
        try checkCipher(length)
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
        (form.counter, form.model, form.isEvent) = (counter, model, isEvent)
        switch cipher {
        case .advertised(let cipher)?: form.cipher = cipher
        case .value(let cipher)?: form.valueCipher = cipher
        case nil: break
        }
        (form.isUnique, form.models, form.tolerance) = (isUnique, models, tolerance)
        try Self.checkClear(form)
        return form
    }

    private func checkCipher(_ length: ClosedRange<Int>) throws(InvalidValue) {
        switch cipher {
        case .advertised? where characteristic != nil:
            throw InvalidValue("is about advertisements; the value of a characteristic has aes-cbc", at: "cipher")
        case .value? where characteristic == nil:
            throw InvalidValue("is about the value of a characteristic, and there is none", at: "cipher")
        case .value? where !(length.lowerBound.isMultiple(of: 16) && length.upperBound.isMultiple(of: 16)):
            throw InvalidValue("is no multiple of 16, as the octets of aes-cbc are", at: "length")
        case .advertised?, .value?, nil: break
        }
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
            characteristic.map { .characteristic($0.description.lowercased()) }, isRecord ? .record : nil,
        ]
        let given = sources.compactMap { $0 }
        guard !isRecord || areBuiltInFamiliesRead else {
            throw InvalidValue("record is for the families that are built in")
        }
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
