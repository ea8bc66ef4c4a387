// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// Reads what a file of `decoders.d` says, and gathers all that is wrong with it.
struct DecoderFileReader {
    private let document: TOMLDocument
    private(set) var issues: [ConfigurationIssue] = []

    init(_ document: TOMLDocument) { self.document = document }

    private mutating func fail(_ path: [String], _ message: String) {
        issues.append(ConfigurationIssue(file: document.file, line: document.line(of: path), message))
    }

    mutating func read() -> (UserDecoder, [DecoderFile.Vector])? {
        var file = DecoderDescription()
        for (name, value) in document.root where !["match", "field", "vector"].contains(name) {
            apply(value, name, DecoderDescription.keys, &file, [name], also: ["match", "field", "vector"])
        }
        if case .table(let entries) = document.root["match"] {
            for (name, value) in entries {
                apply(value, name, DecoderDescription.matchKeys, &file, ["match", name])
            }
        } else {
            fail(["match"], "there is no [match], which says what the decoder is about")
        }
        let fields = tables("field", of: UserDecoder.maximumFields).map { fieldTable($0.path, $0.entries) }
        let vectors = tables("vector", of: DecoderFile.maximumVectors).map { vectorTable($0.path, $0.entries) }
        guard issues.isEmpty else { return nil }
        if !vectors.contains(where: { $0?.values?.isEmpty == false }) {
            fail(["vector"], "there is no [[vector]] with values: a decoder has to show that it is right")
        }
        do throws(InvalidValue) {
            return (try file.decoder(fields.compactMap { $0 }), vectors.compactMap { $0 })
        } catch {
            fail(error.key.map { ["match", $0] } ?? ["match"], error.reason)
            return nil
        }
    }

    private mutating func tables(
        _ name: String, of limit: Int
    ) -> [(path: [String], entries: [String: ConfigurationValue])] {
        guard case .list(let list) = document.root[name], !list.isEmpty else {
            fail([name], "there is no [[\(name)]]")
            return []
        }
        if list.count > limit { fail([name], "there are more than \(limit) [[\(name)]]") }
        var found: [(path: [String], entries: [String: ConfigurationValue])] = []
        for (index, entry) in list.prefix(limit).enumerated() {
            let path = [name, String(index)]
            if case .table(let entries) = entry {
                found.append((path, entries))
            } else {
                fail(path, "\(name) holds \(entry.kind); wanted are tables headed [[\(name)]]")
            }
        }
        return found
    }

    private mutating func fieldTable(_ path: [String], _ entries: [String: ConfigurationValue]) -> UserField? {
        var description = FieldDescription()
        let before = issues.count
        for (name, value) in entries { apply(value, name, FieldDescription.keys, &description, path + [name]) }
        guard issues.count == before else { return nil }
        do throws(InvalidValue) {
            return try description.field()
        } catch {
            fail(path + (error.key.map { [$0] } ?? []), "this [[field]] \(error.reason)")
            return nil
        }
    }

    private mutating func vectorTable(_ path: [String], _ entries: [String: ConfigurationValue]) -> DecoderFile.Vector?
    {
        var description = VectorDescription()
        let before = issues.count
        for (name, value) in entries { apply(value, name, VectorDescription.keys, &description, path + [name]) }
        guard issues.count == before else { return nil }
        guard let data = description.data else {
            fail(path, "this [[vector]] has no data")
            return nil
        }
        guard (description.values != nil) != description.isRefused else {
            fail(path, "this [[vector]] needs values, or refused = true")
            return nil
        }
        return DecoderFile.Vector(
            data: data, values: description.values, localName: description.localName, address: description.address,
            path: path)
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
