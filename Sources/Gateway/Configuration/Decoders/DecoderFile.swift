// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// One file of `decoders.d`: a decoder, and the vectors that it has to pass.
struct DecoderFile {
    /// Octets and what they say; nil where they must be refused.
    struct Vector {
        var data: [UInt8]
        var values: [String: Double]?
        var localName: String?
        var address: UInt64?
        var path: [String]
    }

    static let maximumVectors = 64

    let decoder: UserDecoder
    /// Of what the decoder is known by: its family, or its characteristic.
    let keyLine: Int

    /// Throws everything that is wrong with it, and every vector that comes out otherwise.
    init(_ text: String, file: String) throws(ConfigurationError) {
        let document = try TOMLDocument(text, file: file)
        var reader = DecoderFileReader(document)
        let read = reader.read()
        guard reader.issues.isEmpty, let (decoder, vectors) = read else {
            throw ConfigurationError(reader.issues.sorted { $0.line < $1.line })
        }
        let complaints = Self.complaints(of: decoder, vectors, document)
        guard complaints.isEmpty else { throw ConfigurationError(complaints) }
        self.decoder = decoder
        if case .characteristic = decoder.source {
            keyLine = document.line(of: ["match", "characteristic"])
        } else {
            keyLine = document.line(of: ["family"])
        }
    }

    // MARK: Vectors

    private static func complaints(
        of decoder: UserDecoder, _ vectors: [Vector], _ document: TOMLDocument
    ) -> [ConfigurationIssue] {
        var issues: [ConfigurationIssue] = []
        var shown: Set<String> = []
        for vector in vectors {
            let line = document.line(of: vector.path)
            let fields = decode(vector, decoder)
            if let values = vector.values { shown.formUnion(values.keys) }
            guard let complaint = complaint(of: fields, values: vector.values) else { continue }
            issues.append(ConfigurationIssue(file: document.file, line: line, "this [[vector]] \(complaint)"))
        }
        guard issues.isEmpty else { return issues }
        let untried = decoder.fields.indices.filter { index in
            let quantity = decoder.fields[index].quantity.rawValue
            // Alone, or as one of several: `battery_2`, and not `battery_low`.
            return !shown.contains { key in
                key == quantity
                    || key.hasPrefix(quantity + "_") && key.dropFirst(quantity.count + 1).allSatisfy(\.isNumber)
            }
        }
        return untried.map { index in
            ConfigurationIssue(
                file: document.file, line: document.line(of: ["field", String(index)]),
                "no [[vector]] has a value of \(decoder.fields[index].quantity.rawValue): add one, so that it is known to be "
                    + "right")
        }
    }

    private static func decode(_ vector: Vector, _ decoder: UserDecoder) -> [Field]? {
        var advertisement = Advertisement(address: vector.address, name: vector.localName ?? decoder.localName)
        switch decoder.source {
        case .characteristic: return try? decoder.decode(vector.data)
        case .serviceData(let uuid): advertisement.serviceData[uuid] = vector.data
        case .manufacturer(let company):
            advertisement.manufacturerData =
                [UInt8(truncatingIfNeeded: company), UInt8(company >> 8)] + vector.data
        }
        if let offset = decoder.addressOffset, advertisement.address == nil, offset + 6 <= vector.data.count {
            // It is about the values: whose they are is checked on the air.
            advertisement.address = vector.data[offset..<(offset + 6)].reduce(0) { $0 << 8 | UInt64($1) }
        }
        return decoder.recognise(advertisement).flatMap { try? decoder.decode($0) }
    }

    /// What is wrong with what came of a vector; nil when nothing is.
    private static func complaint(of fields: [Field]?, values: [String: Double]?) -> String? {
        guard let values else {
            return fields == nil ? nil : "must be refused, and gives \(listed(fields ?? []))"
        }
        guard let fields else {
            return "is not taken: its length, what it begins with, or a number of it is not as the decoder says"
        }
        let given = Dictionary(fields.map { ($0.key, $0.value.number ?? 0) }) { first, _ in first }
        if given == values { return nil }
        return "gives \(listed(fields)); it says \(listed(values))"
    }

    private static func listed(_ fields: [Field]) -> String {
        listed(Dictionary(fields.map { ($0.key, $0.value.number ?? 0) }) { first, _ in first })
    }

    private static func listed(_ values: [String: Double]) -> String {
        guard !values.isEmpty else { return "no values" }
        return values.sorted { $0.key < $1.key }.map { "\($0.key) = \(text($0.value))" }.joined(separator: ", ")
    }

    private static func text(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : String(number)
    }
}
