// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// One form of a sensor's data: the place of its octets, their marks, and their fields.
package struct SensorForm: Equatable, Sendable {
    /// The place of the octets.
    package enum Source: Hashable, Sendable {
        /// The data after the company identifier in Manufacturer Specific Data.
        case manufacturer(UInt16)
        /// All of Manufacturer Specific Data: the sensor has values in place of the company identifier.
        case anyManufacturer
        /// The data after the 16-bit UUID in Service Data.
        case serviceData(UInt16)
        /// The data after a UUID of 32 or 128 bits in Service Data.
        case longServiceData(BluetoothUUID)
        /// The value of a characteristic, by its name in readings.
        case characteristic(String)
        /// A record of a built-in family: see ``RecordDecoder``.
        case record
    }

    /// The names of models by their numbers, and the place of the number.
    package struct NumberedModels: Equatable, Sendable {
        package var number: OctetNumber
        package var names: [Int64: String]

        package init(_ number: OctetNumber, _ names: [Int64: String]) { (self.number, self.names) = (number, names) }
    }

    /// One required octet: its value under the mask.
    package struct Constant: Equatable, Sendable {
        package var mask: UInt8
        package var value: UInt8

        package init(mask: UInt8, value: UInt8) { (self.mask, self.value) = (mask, value & mask) }
    }

    /// Other data of the advertisement, which follows the value if present.
    package enum Companion: Equatable, Sendable {
        case manufacturer(UInt16)
        case serviceData(UInt16)
    }

    package var source: Source
    package var companion: Companion?
    /// Permitted lengths of the value, in octets.
    package var length: ClosedRange<Int>
    /// The beginning of the value. No longer than the shortest value.
    package var prefix: [Constant] = []
    /// Octets anywhere in the value: at most 32.
    package var contains: [UInt8] = []
    package var conditions: [OctetCondition] = []
    package var checks: [OctetCheck] = []
    /// A service UUID in the advertisement.
    package var service: BluetoothUUID?
    /// The advertised name; `*` at either end stands for any text.
    package var localName: String?
    /// The place of the advertiser's address in the value, in printed or reversed order.
    package var addressOffset: Int?
    package var isAddressReversed = false
    /// The place of the packet number.
    package var counter: OctetNumber?
    package var model: String?
    /// The models of numbers in the value. A number without an entry means ``model``.
    package var models: NumberedModels?
    /// The packet reports an event.
    package var isEvent = false
    /// Each event has octets of its own: the same octets again are a repeat.
    package var isUnique = false
    package var cipher: FormCipher?
    /// The encryption of a characteristic's value. All other properties describe the plain octets.
    package var valueCipher: ValueCipher?
    /// A packet with more impossible fields than this is not the sensor's; nil: any number short of all fields.
    package var tolerance: Int?
    package var fields: [FormField]

    package init(_ source: Source, length: ClosedRange<Int>, fields: [FormField]) {
        (self.source, self.length, self.fields) = (source, length, fields)
    }

    /// The carriers to look in. A form without a company is found by the rarest fact about its advertisements.
    var carriers: [AdvertisementCarrier] {
        switch source {
        case .manufacturer(let company): return [.manufacturer(company)]
        case .serviceData(let uuid): return [.serviceData(uuid)]
        case .longServiceData(let uuid): return [.longServiceData(uuid)]
        case .characteristic, .record: return []
        case .anyManufacturer:
            let firsts = prefix.first.map(Self.octets(of:)) ?? []
            if !firsts.isEmpty, prefix.count >= 2, prefix[1].mask == 0xFF {
                return firsts.map { .head(UInt16($0) | UInt16(prefix[1].value) << 8) }
            }
            if let service { return [.service(service)] }
            if let name = localName.map({ $0.last == "*" ? String($0.dropLast()) : $0 }), !name.isEmpty,
                name.first != "*"
            {
                return [.name(name)]
            }
            if !firsts.isEmpty { return firsts.map { .firstOctet($0) } }
            return length.map { .length($0) }
        }
    }

    /// Only the carrier and the length recognise the form, and a field has a range. Ranges leave fields out, and recognise
    /// nothing.
    var restsOnRanges: Bool {
        switch source {
        case .characteristic, .record: return false
        case .manufacturer, .anyManufacturer, .serviceData, .longServiceData: break
        }
        return prefix.isEmpty && contains.isEmpty && conditions.isEmpty && checks.isEmpty && service == nil
            && localName == nil && addressOffset == nil && companion == nil && cipher == nil
            && fields.contains { $0.allowed != nil }
    }

    /// The octets that fit a constant; none if any octet fits.
    private static func octets(of constant: Constant) -> [UInt8] {
        constant.mask == 0 ? [] : (0...255).filter { $0 & constant.mask == constant.value }
    }

    /// The form's value in an advertisement; nil if there is none. Encrypted octets are not checked.
    func value(in advertisement: Advertisement) -> [UInt8]? {
        let found: [UInt8]? =
            switch source {
            case .manufacturer(let company): advertisement.manufacturerData(of: company).map(Array.init)
            case .anyManufacturer: advertisement.manufacturerData
            case .serviceData(let uuid): advertisement.serviceData[uuid]
            case .longServiceData(let uuid): advertisement.longServiceData[uuid]
            case .characteristic, .record: nil
            }
        guard var value = found else { return nil }
        switch companion {
        case .manufacturer(let company)?:
            guard let others = advertisement.manufacturerData(of: company) else { return nil }
            value += others
        case .serviceData(let uuid)?:
            guard let others = advertisement.serviceData[uuid] else { return nil }
            value += others
        case nil: break
        }
        guard fits(value), !Self.isBlank(value) else { return nil }
        if let service, !advertisement.services.contains(service) { return nil }
        if let localName {
            guard let name = advertisement.name, Self.isName(name, localName) else { return nil }
        }
        if let addressOffset {
            guard let address = advertisement.addressOctets, addressOffset + 6 <= value.count else { return nil }
            let repeated = value[addressOffset..<(addressOffset + 6)]
            guard repeated.elementsEqual(isAddressReversed ? address.reversed() : address) else { return nil }
        }
        return value
    }

    /// Unwritten memory: six octets or more, and each octet is the same.
    static func isBlank(_ value: some Collection<UInt8>) -> Bool {
        guard value.count >= 6, let first = value.first else { return false }
        return value.allSatisfy { $0 == first }
    }

    /// The plain octets of a characteristic's value, or a record; nil if they do not fit the form.
    func plain(_ value: [UInt8]) -> [UInt8]? {
        guard let valueCipher else { return fits(value) ? value : nil }
        guard length.contains(value.count), let opened = valueCipher.open(value) else { return nil }
        return fits(opened) ? opened : nil
    }

    /// Whether the octets fit the form, as sent.
    func fits(_ value: [UInt8]) -> Bool {
        length.contains(value.count) && zip(prefix, value).allSatisfy { $0.value == $1 & $0.mask }
            && conditions.allSatisfy { isEnciphered($0, value.count) || $0.holds(in: value) } && holdsContents(value)
            && checks.allSatisfy { isEnciphered($0.number, value.count) || $0.holds(in: value) }
    }

    /// Whether the decrypted octets fit the form.
    func fitsOpened(_ value: [UInt8]) -> Bool {
        conditions.allSatisfy { !isEnciphered($0, value.count) || $0.holds(in: value) }
            && checks.allSatisfy { !isEnciphered($0.number, value.count) || $0.holds(in: value) }
    }

    /// Whether the number has encrypted octets in a value of `count` octets.
    package func isEnciphered(_ number: OctetNumber, _ count: Int) -> Bool {
        guard let sealed = cipher?.range(in: count), let octets = number.range(of: count) else { return false }
        return sealed.overlaps(octets)
    }

    private func isEnciphered(_ condition: OctetCondition, _ count: Int) -> Bool {
        if case .number(let number) = condition.subject { isEnciphered(number, count) } else { false }
    }

    private func holdsContents(_ value: [UInt8]) -> Bool {
        guard !contains.isEmpty else { return true }
        guard contains.count <= value.count else { return false }
        return (0...(value.count - contains.count)).contains { start in
            value[start..<(start + contains.count)].elementsEqual(contains)
        }
    }

    static func isName(_ name: String, _ pattern: String) -> Bool {
        switch (pattern.first == "*" && pattern.count > 1, pattern.last == "*") {
        case (false, false): name == pattern
        case (false, true): name.hasPrefix(pattern.dropLast())
        case (true, false): name.hasSuffix(pattern.dropFirst())
        case (true, true): name.contains(pattern.dropFirst().dropLast())
        }
    }

    func number(of value: [UInt8]) -> PacketNumber? {
        guard let counter, let raw = counter.integer(in: value) else { return nil }
        return PacketNumber(UInt32(truncatingIfNeeded: raw), bits: counter.bits)
    }

    /// - Parameter name: The model, if the form has none and a state of the form ends by itself: the model decides
    ///   when.
    func packet(_ value: [UInt8], head: [UInt8], name: String) -> AdvertisedPacket {
        let model = self.model(of: value) ?? (fields.contains { $0.endsAfter != nil } ? name : nil)
        return AdvertisedPacket(
            head + value, number: number(of: value), model: model, isEvent: isEvent, isUnique: isUnique)
    }

    func model(of value: [UInt8]) -> String? {
        models.flatMap { table in table.number.integer(in: value).flatMap { table.names[$0] } } ?? model
    }

    /// The fields of a fitting value, without impossible ones. Throws if a field's octets are missing, if more fields are
    /// impossible than ``tolerance``, and if the only fields are impossible.
    func fields(of value: [UInt8]) throws(DecodeError) -> [Field] {
        var numbers: [Field.Decimal?] = []
        var found: [Field] = []
        // The places of impossible fields among the found ones. An impossible field keeps its number.
        var impossible: [Int] = []
        var count = 0
        for field in fields {
            switch try field.read(value, numbers) {
            case .unknown: numbers.append(nil)
            case .impossible:
                numbers.append(nil)
                count += 1
                if let placeholder = field.named(.int(0), numbers) {
                    impossible.append(found.count)
                    found.append(placeholder)
                }
            case .known(let one, let number):
                numbers.append(number)
                guard let one else { continue }
                if tolerance != nil, !one.isPossible {
                    count += 1
                    impossible.append(found.count)
                }
                found.append(one)
            }
        }
        let named = found.contains { $0.index != 0 } ? found.numberedBesides : found.numbered
        guard count > 0 else { return named }
        let possible = named.indices.filter { !impossible.contains($0) }.map { named[$0] }
        guard count <= tolerance ?? .max, !possible.isEmpty else { throw .invalid(field: "value") }
        return possible
    }
}

extension [Field] {
    /// Like ``numbered``, but keeps fields with numbers of their own.
    fileprivate var numberedBesides: [Field] {
        var others = filter { $0.index == 0 }.numbered.makeIterator()
        return compactMap { $0.index != 0 ? $0 : others.next() }
    }
}
