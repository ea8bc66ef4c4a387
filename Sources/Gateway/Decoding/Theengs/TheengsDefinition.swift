// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation

/// A user's definition in the format of Theengs Decoder, for conversion into a file of `decoders.d`
/// (decoder.theengs.io, "Adding decoders").
package struct TheengsDefinition {
    private let head: [String: TheengsValue]
    private let condition: TheengsCondition
    private let properties: [(key: String, entries: [String: TheengsValue])]

    /// - Parameter text: JSON, or a text that contains a JSON object, such as a C++ header. Throws if a part is
    ///   missing.
    package init(_ text: String) throws(TheengsError) {
        guard let value = Self.json(in: text), case .table(let head) = value else {
            throw TheengsError("there is no JSON object that is a definition")
        }
        guard let conditions = head["condition"]?.list else { throw TheengsError("the definition has no condition") }
        guard case .table(let properties)? = head["properties"], properties.count <= 64 else {
            throw TheengsError("the definition has no properties, or more than 64")
        }
        self.head = head
        condition = try TheengsCondition(conditions)
        // Properties used by other properties go first; JSON has no order.
        self.properties = properties.sorted {
            ($0.key.hasPrefix(".") ? 0 : 1, $0.key) < ($1.key.hasPrefix(".") ? 0 : 1, $1.key)
        }.map { key, value in
            if case .table(let entries) = value { (key, entries) } else { (key, [:]) }
        }
    }

    private static func json(in text: String) -> TheengsValue? {
        if let value = try? JSONDecoder().decode(TheengsValue.self, from: Data(text.utf8)) { return value }
        guard let start = text.range(of: "{\n") ?? text.range(of: "{"),
            let end = text.range(of: "}", options: .backwards), start.lowerBound < end.upperBound
        else { return nil }
        return try? JSONDecoder().decode(TheengsValue.self, from: Data(text[start.lowerBound..<end.upperBound].utf8))
    }

    /// The file, without vectors. Throws if no form can be converted.
    package func file(family: String? = nil) throws(TheengsError) -> String {
        let brand = head["brand"]?.text ?? ""
        let model = head["model_id"]?.text ?? head["model"]?.text ?? "sensor"
        var lines = [
            "# Converted by martlet decoder import. Add a [[vector]] for what your sensor has sent, and run martlet check-config.",
            "family = \(quoted(family ?? Self.plain(model)))",
            "name = \(quoted(brand.isEmpty ? model : "\(brand) \(model)"))",
        ]
        for alternative in condition.alternatives {
            lines.append("")
            lines += try TheengsForm(alternative, properties, hasOthers: condition.alternatives.count > 1).lines()
        }
        lines += ["", "# [[vector]]", "# data = \"\"", "# values = { }"]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func plain(_ model: String) -> String {
        let words = model.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let name = String(words.joined(separator: "-").prefix(24))
        return "my-" + (name.isEmpty ? "sensor" : name)
    }
}
