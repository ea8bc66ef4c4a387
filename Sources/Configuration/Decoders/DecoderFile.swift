// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import SensorCipher

/// A file of `decoders.d`: a decoder, and the vectors that the decoder must pass.
package struct DecoderFile {
    enum Value: Equatable, Sendable {
        case number(Double)
        case text(String)
    }

    /// Octets and their values; without values if the decoder must refuse the octets.
    struct Vector {
        var description: VectorDescription
        var path: [String]
        var values: [String: Value]? { description.values }

        init(_ description: VectorDescription, path: [String]) { (self.description, self.path) = (description, path) }
    }

    static let maximumVectors = 64

    package let decoder: SensorDefinition
    /// Line of the key that identifies the decoder: its family, or its characteristic.
    let keyLine: Int

    /// Throws all mistakes of the file, and every vector with a wrong result.
    package init(_ text: String, file: String) throws(ConfigurationError) {
        try self.init(TOMLDocument(text, file: file))
    }

    init(_ document: TOMLDocument) throws(ConfigurationError) {
        var reader = DecoderFileReader(document)
        let read = reader.read()
        guard reader.issues.isEmpty, let (decoder, vectors) = read else {
            throw ConfigurationError(reader.issues.sorted { $0.line < $1.line })
        }
        let complaints = Self.complaints(of: decoder, vectors, document)
        guard complaints.isEmpty else { throw ConfigurationError(complaints) }
        self.decoder = decoder
        keyLine = document.line(of: decoder.characteristic == nil ? ["family"] : ["match", "characteristic"])
    }

    // MARK: Vectors

    private static func complaints(
        of decoder: SensorDefinition, _ vectors: [Vector], _ document: TOMLDocument
    ) -> [ConfigurationIssue] {
        var issues: [ConfigurationIssue] = []
        var shown: Set<String> = []
        for vector in vectors {
            let line = document.line(of: vector.path)
            if let values = vector.values { shown.formUnion(values.keys) }
            guard let complaint = complaint(of: decode(vector.description, decoder), vector.description) else {
                continue
            }
            issues.append(ConfigurationIssue(file: document.file, line: line, "this [[vector]] \(complaint)"))
        }
        guard issues.isEmpty else { return issues }
        for (form, entry) in decoder.forms.enumerated() {
            for (index, field) in entry.fields.enumerated() {
                guard let quantity = field.quantity?.key, !isShown(quantity, shown) else { continue }
                let path = (decoder.forms.count > 1 ? ["form", String(form)] : []) + ["field", String(index)]
                issues.append(
                    ConfigurationIssue(
                        file: document.file, line: document.line(of: path),
                        "no [[vector]] has a value of \(quantity): add one, so that it is known to be right"))
            }
        }
        return issues
    }

    /// Whether the quantity is shown alone, or with a number: `battery_2`, but not `battery_low`.
    private static func isShown(_ quantity: String, _ shown: Set<String>) -> Bool {
        shown.contains { key in
            key == quantity
                || key.hasPrefix(quantity + "_") && key.dropFirst(quantity.count + 1).allSatisfy(\.isNumber)
        }
    }

    private static func decode(_ vector: VectorDescription, _ decoder: SensorDefinition) -> [Field]? {
        if decoder.characteristic != nil || decoder.isOfRecords { return try? decoder.decode(vector.data ?? []) }
        for advertisement in advertisements(of: vector, decoder) {
            switch decoder.recognise(advertisement) {
            case .plain(let packet)?:
                if let fields = try? decoder.decode(packet.value) { return fields }
            case .sealed(let packet)?:
                guard let plaintext = PacketCipher.open(packet, key: vector.encryptionKey ?? []),
                    let opened = decoder.unsealed(packet, plaintext: plaintext)
                else { continue }
                if let fields = try? decoder.decode(opened.value) { return fields }
            case nil: continue
            }
        }
        return nil
    }

    /// The advertisements of a vector. Bare octets give an advertisement for each form.
    private static func advertisements(
        of vector: VectorDescription, _ decoder: SensorDefinition
    ) -> [Advertisement] {
        if let octets = vector.advertisement {
            return Advertisement.all(
                in: (octets + (vector.scanResponse ?? []))[...], responseAt: octets.count, address: vector.address)
        }
        let data = vector.data ?? []
        return decoder.forms.map { form in
            let name = form.localName.map { $0.filter { $0 != "*" } }
            var advertisement = Advertisement(
                address: vector.address, name: vector.localName ?? name, services: form.service.map { [$0] } ?? [])
            switch form.source {
            case .characteristic, .record: break
            case .serviceData(let uuid): advertisement.serviceData[uuid] = data
            case .longServiceData(let uuid): advertisement.longServiceData[uuid] = data
            case .anyManufacturer: advertisement.manufacturerData = data
            case .manufacturer(let company):
                advertisement.manufacturerData = [UInt8(truncatingIfNeeded: company), UInt8(company >> 8)] + data
            }
            if let offset = form.addressOffset, advertisement.address == nil, offset + 6 <= data.count {
                // A vector tests values. The address is checked on the air.
                let octets = data[offset..<(offset + 6)]
                advertisement.address = (form.isAddressReversed ? octets.reversed() : Array(octets)).reduce(0) {
                    $0 << 8 | UInt64($1)
                }
            }
            return advertisement
        }
    }

    /// The fault of a vector's result; nil if the result is right.
    private static func complaint(of fields: [Field]?, _ vector: VectorDescription) -> String? {
        guard let values = vector.values else {
            return fields == nil ? nil : "must be refused, and gives \(listed(fields ?? []))"
        }
        guard let fields else {
            return "is not taken: its length, what it begins with, or a number of it is not as the decoder says"
        }
        let given = named(fields)
        let tolerance = Double(vector.tolerance.mantissa.magnitude) / pow10(vector.tolerance.places)
        let isRight =
            given.count == values.count
            && values.allSatisfy { key, value in
                switch (given[key], value) {
                case (.number(let number)?, .number(let said)): abs(number - said) <= tolerance || number == said
                case (let found?, _): found == value
                case (nil, _): false
                }
            }
        return isRight ? nil : "gives \(listed(fields)); it says \(listed(values))"
    }

    private static func pow10(_ places: Int) -> Double { (0..<places).reduce(1) { power, _ in power * 10 } }

    private static func named(_ fields: [Field]) -> [String: Value] {
        let values = fields.map { field -> (String, Value) in
            if case .string(let text) = field.value { return (field.key, .text(text)) }
            return (field.key, .number(field.value.number ?? 0))
        }
        return Dictionary(values) { first, _ in first }
    }

    private static func listed(_ fields: [Field]) -> String { listed(named(fields)) }

    private static func listed(_ values: [String: Value]) -> String {
        guard !values.isEmpty else { return "no values" }
        return values.sorted { $0.key < $1.key }.map { "\($0.key) = \(text($0.value))" }.joined(separator: ", ")
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .text(let text): quoted(text)
        case .number(let number):
            number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : String(number)
        }
    }
}
