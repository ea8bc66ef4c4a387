// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// Reads a file of `decoders.d`, and collects its mistakes.
struct DecoderFileReader {
    private let document: TOMLDocument
    private(set) var issues: [ConfigurationIssue] = []

    init(_ document: TOMLDocument) { self.document = document }

    private mutating func fail(_ path: [String], _ message: String) {
        issues.append(ConfigurationIssue(file: document.file, line: document.line(of: path), message))
    }

    private static let tables = ["match", "form", "field", "vector"]

    mutating func read() -> (SensorDefinition, [DecoderFile.Vector])? {
        var file = DecoderDescription()
        for (name, value) in document.root where !Self.tables.contains(name) {
            apply(value, name, DecoderDescription.keys, &file, [name], also: Self.tables)
        }
        let forms = document.root["form"] == nil ? [onlyForm()] : severalForms()
        let vectors = tables("vector", in: document.root, [], of: DecoderFile.maximumVectors).map {
            vectorTable($0.path, $0.entries)
        }
        guard issues.isEmpty else { return nil }
        if !vectors.contains(where: { $0?.values?.isEmpty == false }) {
            fail(["vector"], "there is no [[vector]] with values: a decoder has to show that it is right")
        }
        do throws(InvalidValue) {
            return (try file.definition(forms.compactMap { $0 }), vectors.compactMap { $0 })
        } catch {
            fail(["match"], error.reason)
            return nil
        }
    }

    // MARK: Forms

    /// `[match]` and `[[field]]`.
    private mutating func onlyForm() -> SensorForm? {
        var entries: [String: ConfigurationValue] = [:]
        if case .table(let found) = document.root["match"] {
            entries = found
        } else {
            fail(["match"], "there is no [match], which says what the decoder is about")
        }
        let fields = fields(in: document.root, [])
        return form(entries, fields, ["match"])
    }

    private mutating func severalForms() -> [SensorForm?] {
        for name in ["match", "field"] where document.root[name] != nil {
            fail([name], "there is [[form]]: \(name) belongs into it")
        }
        let limit = areBuiltInFamiliesRead ? SensorDefinition.maximumRecordForms : SensorDefinition.maximumForms
        return tables("form", in: document.root, [], of: limit).map { path, entries in
            let fields = fields(in: entries, path)
            return form(entries.filter { $0.key != "field" }, fields, path)
        }
    }

    private mutating func form(
        _ entries: [String: ConfigurationValue], _ fields: [FormField], _ path: [String]
    ) -> SensorForm? {
        var description = FormDescription()
        for (name, value) in entries { apply(value, name, FormDescription.keys, &description, path + [name]) }
        guard issues.isEmpty else { return nil }
        do throws(InvalidValue) {
            return try description.form(fields)
        } catch {
            fail(path + (error.key.map { [$0] } ?? []), error.reason)
            return nil
        }
    }

    private mutating func fields(in entries: [String: ConfigurationValue], _ path: [String]) -> [FormField] {
        var earlier: [String: Int] = [:]
        var found: [FormField] = []
        for (path, entries) in tables("field", in: entries, path, of: SensorDefinition.maximumFields) {
            var description = FieldDescription()
            let before = issues.count
            for (name, value) in entries { apply(value, name, FieldDescription.keys, &description, path + [name]) }
            guard issues.count == before else { continue }
            do throws(InvalidValue) {
                let field = try description.field(after: earlier)
                if let id = description.id, earlier.updateValue(found.count, forKey: id) != nil {
                    throw InvalidValue("has an id that another has", at: "id")
                }
                found.append(field)
            } catch {
                fail(path + (error.key.map { [$0] } ?? []), "this [[field]] \(error.reason)")
            }
        }
        return found
    }

    private mutating func tables(
        _ name: String, in entries: [String: ConfigurationValue], _ path: [String], of limit: Int
    ) -> [(path: [String], entries: [String: ConfigurationValue])] {
        guard case .list(let list) = entries[name], !list.isEmpty else {
            fail(path + [name], "there is no [[\(name)]]")
            return []
        }
        if list.count > limit { fail(path + [name], "there are more than \(limit) [[\(name)]]") }
        var found: [(path: [String], entries: [String: ConfigurationValue])] = []
        for (index, entry) in list.prefix(limit).enumerated() {
            let path = path + [name, String(index)]
            if case .table(let entries) = entry {
                found.append((path, entries))
            } else {
                fail(path, "\(name) holds \(entry.kind); wanted are tables headed [[\(name)]]")
            }
        }
        return found
    }

    // MARK: Vectors and keys

    private mutating func vectorTable(_ path: [String], _ entries: [String: ConfigurationValue]) -> DecoderFile.Vector?
    {
        var description = VectorDescription()
        let before = issues.count
        for (name, value) in entries { apply(value, name, VectorDescription.keys, &description, path + [name]) }
        guard issues.count == before else { return nil }
        guard (description.data != nil) != (description.advertisement != nil) else {
            fail(path, "this [[vector]] has no data")
            return nil
        }
        guard (description.values != nil) != description.isRefused else {
            fail(path, "this [[vector]] needs values, or refused = true")
            return nil
        }
        return DecoderFile.Vector(description, path: path)
    }

    private mutating func apply<Root>(
        _ value: ConfigurationValue, _ name: String, _ keys: [ConfigurationKey<Root>], _ root: inout Root,
        _ path: [String], also: [String] = []
    ) {
        let title = path.filter { Int($0) == nil }.joined(separator: ".")
        guard let key = keys.first(where: { $0.name == name }) else {
            let hint = NearestName.of(name, among: keys.map(\.name) + also).map { " – did you mean \"\($0)\"?" } ?? ""
            return fail(path, "unknown key \"\(title)\"\(hint)")
        }
        do throws(InvalidValue) {
            try key.apply(value, &root)
        } catch {
            fail(path + (error.key.map { [$0] } ?? []), "\(title) \(error.reason)")
        }
    }
}
