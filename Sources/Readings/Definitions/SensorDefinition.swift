// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A sensor described by a file, in numbers instead of code: its octets, and their quantities.
///
/// The cost of a packet is bounded, whatever the file says: ``maximumForms`` forms with ``maximumFields`` fields, and
/// for each field ``maximumConditions`` conditions and ``maximumSteps`` steps.
package struct SensorDefinition: Equatable, Sendable {
    package static let maximumForms = 16
    package static let maximumFields = 32
    package static let maximumConditions = 8
    package static let maximumSteps = 16
    package static let maximumLookup = 256
    /// Forms of records, which are found by the first octet of a record.
    package static let maximumRecordForms = 64
    /// The longest value, in octets.
    package static let maximumLength = 512

    /// The family's name in readings; for a characteristic, its UUID.
    package var key: String
    /// For people.
    package var name: String
    /// The maker and products, for people; may be empty.
    package var products = ""
    /// Facts for owners of the sensor: sentences; may be empty.
    package var hint = ""
    /// The sensor's forms. The first form that fits a packet decodes the packet.
    package var forms: [SensorForm]

    /// Some form has a field with a range, and nothing but its carrier and its length recognises a packet.
    package var restsOnRanges: Bool { forms.contains { $0.restsOnRanges } }

    package init(key: String, name: String, forms: [SensorForm]) {
        (self.key, self.name, self.forms) = (key, name, forms)
    }

    package init(
        key: String, name: String, source: SensorForm.Source, length: ClosedRange<Int>, fields: [FormField]
    ) {
        self.init(key: key, name: name, forms: [SensorForm(source, length: length, fields: fields)])
    }

    var quantities: [Quantity] {
        forms.flatMap { $0.fields.compactMap(\.quantity) }
            .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    var carriers: [AdvertisementCarrier] {
        forms.flatMap(\.carriers).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The described characteristic; nil if the definition describes advertisements.
    package var characteristic: String? {
        if case .characteristic(let uuid)? = forms.first?.source { uuid } else { nil }
    }

    /// The definition describes records, and ``RecordDecoder`` finds them.
    package var isOfRecords: Bool { forms.first?.source == .record }

    var needs: FamilyNeeds {
        FamilyNeeds(
            key: forms.allSatisfy { $0.cipher != nil } ? .required : hasCipher ? .optional : .none,
            // Names are mostly in scan responses.
            needsActiveScan: forms.contains { $0.localName != nil }, products: products, hint: hint)
    }

    package var hasCipher: Bool { forms.contains { $0.cipher != nil } }

    /// Quantities whose beginning alone the sensor reports, and the seconds after which they are over.
    var impulses: [Quantity: Int] {
        forms.flatMap(\.fields).reduce(into: [:]) { found, field in
            if let quantity = field.quantity, let seconds = field.endsAfter { found[quantity] = seconds }
        }
    }

    // MARK: Advertisements

    /// The family's packet in an advertisement; nil if there is none. If there are several forms, the first octet of
    /// the value is the form's number, by which later readers know the form again.
    package func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        for (index, form) in forms.enumerated() {
            guard let value = form.value(in: advertisement) else { continue }
            let head = forms.count > 1 ? [UInt8(truncatingIfNeeded: index)] : []
            if let cipher = form.cipher {
                guard let address = advertisement.address,
                    var sealed = cipher.sealed(value, address: address, model: form.model)
                else { continue }
                sealed.header = head + value
                sealed.counter = form.number(of: value)
                return .sealed(sealed)
            }
            guard (try? form.fields(of: value)) != nil else { continue }
            return .plain(form.packet(value, head: head, name: name))
        }
        return nil
    }

    /// The packet in decrypted octets: its value, with the plaintext in place of the ciphertext.
    package func unsealed(_ packet: SealedPacket, plaintext: [UInt8]) -> AdvertisedPacket? {
        var value = packet.header
        guard let form = form(of: &value), let cipher = form.cipher, let range = cipher.range(in: value),
            range.count == plaintext.count
        else { return nil }
        value.replaceSubrange(range, with: plaintext)
        guard form.fitsOpened(value) else { return nil }
        let head = forms.count > 1 ? Array(packet.header.prefix(1)) : []
        var opened = form.packet(value, head: head, name: name)
        opened.opened = (range.lowerBound + head.count)..<(range.upperBound + head.count)
        return opened
    }

    /// The form of a kept value. Removes the form's number from the value.
    private func form(of value: inout [UInt8]) -> SensorForm? {
        guard forms.count > 1, characteristic == nil else { return forms.first }
        guard let index = value.first, forms.indices.contains(Int(index)) else { return nil }
        value.removeFirst()
        return forms[Int(index)]
    }

    /// Families of several forms whose kept readings may have no form's number: they were code, or had one form.
    private static let formerlyWhole: Set<String> = [
        "bluemaestro", "hhccjcy10", "inkbird", "mi-scale", "oral-b", "polar", "radioland", "rapt", "sensirion",
        "sensorpush", "thermopro",
    ]

    /// Throws if the value is not this sensor's. Leaves out fields that the sensor does not know.
    package func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var value = value
        if characteristic != nil || isOfRecords {
            for form in forms {
                if let plain = form.plain(value) { return try form.fields(of: plain) }
            }
            throw .invalid(field: "length or prefix")
        }
        let whole = value
        if let form = form(of: &value), form.cipher != nil || form.fits(value) { return try form.fields(of: value) }
        // Older readings in journals have no form's number.
        guard Self.formerlyWhole.contains(key), let form = forms.first(where: { $0.cipher == nil && $0.fits(whole) })
        else {
            throw .invalid(field: "length or prefix")
        }
        return try form.fields(of: whole)
    }
}
