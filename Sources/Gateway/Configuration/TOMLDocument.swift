// SPDX-License-Identifier: Apache-2.0

import CTOMLPlusPlus

/// One configuration file: its values and where they stand.
struct TOMLDocument: Sendable {
    let file: String
    let root: [String: ConfigurationValue]
    private let places: TOMLPlaces

    /// - Parameter file: Only used in messages.
    init(_ text: String, file: String) throws(ConfigurationError) {
        let found: TOMLText
        do throws(TOMLText.Mistake) {
            found = try TOMLText(text)
        } catch {
            throw ConfigurationError([Self.issue(error, in: text, file: file)])
        }
        self.file = file
        root = found.root
        places = found.places
    }

    /// The line of `path`, else that of the nearest thing that holds it, else 1. Elements of a list count from 0:
    /// `["sensor", "0", "name"]`.
    func line(of path: [String]) -> Int { places.line(of: path[...]) }

    /// What to write instead, where that is known.
    private static func issue(_ mistake: TOMLText.Mistake, in text: String, file: String) -> ConfigurationIssue {
        guard mistake.isSyntax else { return ConfigurationIssue(file: file, line: mistake.line, mistake.reason) }
        if let repeated = TOMLRepetition(in: text, at: mistake.line) {
            let reason = "\(repeated.name) is already in line \(repeated.first); write it once"
            return ConfigurationIssue(file: file, line: mistake.line, reason)
        }
        if let advice = TOMLAdvice(text).advice(at: mistake.line) {
            return ConfigurationIssue(file: file, line: advice.line, advice.text)
        }
        return ConfigurationIssue(file: file, line: mistake.line, mistake.reason)
    }
}

/// Where the values below something stand.
struct TOMLPlaces: Sendable {
    /// From 1.
    var line: Int
    /// By key; by number, from 0, what is in a list and holds something itself.
    var below: [String: TOMLPlaces] = [:]

    func line(of path: ArraySlice<String>) -> Int {
        guard let first = path.first, let place = below[first] else { return line }
        return place.line(of: path.dropFirst())
    }
}

/// A text of TOML, read by toml++. Nothing of the parser is left when it is read.
struct TOMLText {
    struct Mistake: Error {
        var line: Int
        var reason: String
        /// The text is no TOML; otherwise it is, and has something that no configuration has.
        var isSyntax: Bool
    }

    let root: [String: ConfigurationValue]
    let places: TOMLPlaces

    init(_ text: String) throws(Mistake) {
        var text = text
        let document = text.withUTF8 { octets in
            octets.withMemoryRebound(to: CChar.self) { ctoml_parse($0.baseAddress, $0.count) }
        }
        guard let document else { throw Mistake(line: 1, reason: "there is no memory to read it", isSyntax: false) }
        defer { ctoml_free(document) }
        var mistake = CTOMLMistake()
        if ctoml_mistake(document, &mistake) {
            throw Mistake(
                line: max(1, Int(mistake.line)), reason: String(cString: mistake.text), isSyntax: mistake.isSyntax)
        }
        var count = 0
        var reader = NodeReader(
            nodes: UnsafeBufferPointer(start: ctoml_nodes(document, &count), count: count))
        guard let (value, places) = reader.next(), case .table(let entries) = value else {
            throw Mistake(line: 1, reason: "it is no table", isSyntax: false)
        }
        root = entries
        self.places = places
    }
}

/// Takes the nodes of a document one after the other.
private struct NodeReader {
    let nodes: UnsafeBufferPointer<CTOMLNode>
    private var index = 0

    init(nodes: UnsafeBufferPointer<CTOMLNode>) { self.nodes = nodes }

    private static func text(_ start: UnsafePointer<CChar>?, _ length: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : length), as: UTF8.self)
    }

    /// A value with all that is in it. It calls itself: the parser has bounded how deep that is.
    mutating func next() -> (ConfigurationValue, TOMLPlaces)? {
        guard nodes.indices.contains(index) else { return nil }
        let node = nodes[index]
        index += 1
        var places = TOMLPlaces(line: Int(node.line))
        switch Int(node.kind) {
        case CTOML_STRING: return (.string(Self.text(node.text, node.textLength)), places)
        case CTOML_INTEGER: return (.integer(Int(node.integer)), places)
        case CTOML_REAL: return (.real(node.real), places)
        case CTOML_BOOLEAN: return (.boolean(node.integer != 0), places)
        case CTOML_LIST:
            var values: [ConfigurationValue] = []
            for number in 0..<node.count {
                guard let (value, place) = next() else { return nil }
                values.append(value)
                if !place.below.isEmpty || place.line != places.line { places.below[String(number)] = place }
            }
            return (.list(values), places)
        case CTOML_TABLE:
            var entries: [String: ConfigurationValue] = [:]
            for _ in 0..<node.count {
                guard nodes.indices.contains(index) else { return nil }
                let key = Self.text(nodes[index].key, nodes[index].keyLength)
                guard let (value, place) = next() else { return nil }
                entries[key] = value
                places.below[key] = place
            }
            return (.table(entries), places)
        default: return (.date, places)
        }
    }
}
