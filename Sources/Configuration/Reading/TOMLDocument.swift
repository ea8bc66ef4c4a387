// SPDX-License-Identifier: Apache-2.0

import CTOMLPlusPlus

/// A configuration file: its values and their lines.
package struct TOMLDocument: Sendable {
    package let file: String
    package let root: [String: ConfigurationValue]
    private let places: TOMLPlaces

    /// - Parameter file: Only used in messages.
    package init(_ text: String, file: String) throws(ConfigurationError) {
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

    /// The line of `path`, else of its nearest known parent, else 1. Elements of a list count from 0: `["sensor", "0",
    /// "name"]`.
    package func line(of path: [String]) -> Int { places.line(of: path).line }

    /// Replaces the parser's message by advice if possible.
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

/// The places of a text's values.
struct TOMLPlaces: Sendable {
    fileprivate struct Place: Sendable {
        var key: String
        /// In a list.
        var number: Int?
        var line: UInt32
        /// The places of the table's or list's elements.
        var below: Range<Int> = 0..<0

        func isBefore(_ part: String) -> Bool {
            if let number { return number < Int(part) ?? .max }
            return key.utf8.lexicographicallyPrecedes(part.utf8)
        }

        func isFor(_ part: String) -> Bool { number.map { $0 == Int(part) } ?? (key == part) }
    }

    /// The elements of a table or a list are adjacent, in the order of the keys' octets, which is the parser's order,
    /// or in the order of numbers.
    private var places: [Place] = []
    fileprivate var root = Place(key: "", line: 1)

    fileprivate mutating func add(_ below: [Place]) -> Range<Int> {
        places += below
        return places.count - below.count..<places.count
    }

    /// The line of the longest known part of a path, and whether the part is the whole path.
    package func line(of path: [String]) -> (line: Int, isExact: Bool) {
        var place = root
        for part in path {
            var (low, high) = (place.below.lowerBound, place.below.upperBound)
            while low < high {
                let middle = low + (high - low) / 2
                if places[middle].isBefore(part) { low = middle + 1 } else { high = middle }
            }
            guard low < place.below.upperBound, places[low].isFor(part) else { return (Int(place.line), false) }
            place = places[low]
        }
        return (Int(place.line), true)
    }
}

/// A text of TOML, read by toml++. The initializer frees all of the parser's memory.
struct TOMLText {
    struct Mistake: Error {
        var line: Int
        var reason: String
        /// True: the text is no TOML. False: the text is TOML, but has a value that no configuration has.
        var isSyntax: Bool
    }

    package let root: [String: ConfigurationValue]
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
        guard let (value, place) = reader.next(), case .table(let entries) = value else {
            throw Mistake(line: 1, reason: "it is no table", isSyntax: false)
        }
        root = entries
        var places = reader.places
        places.root = place
        self.places = places
    }
}

/// Reads the nodes of a document in order.
private struct NodeReader {
    let nodes: UnsafeBufferPointer<CTOMLNode>
    private(set) var places = TOMLPlaces()
    private var index = 0

    init(nodes: UnsafeBufferPointer<CTOMLNode>) { self.nodes = nodes }

    private static func text(_ start: UnsafePointer<CChar>?, _ length: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : length), as: UTF8.self)
    }

    /// A value and its content. The function is recursive; the parser has limited the depth.
    ///
    /// - Parameter number: The element's number in a list.
    mutating func next(number: Int? = nil) -> (ConfigurationValue, TOMLPlaces.Place)? {
        guard nodes.indices.contains(index) else { return nil }
        let node = nodes[index]
        index += 1
        var place = TOMLPlaces.Place(key: Self.text(node.key, node.keyLength), number: number, line: node.line)
        switch Int(node.kind) {
        case CTOML_STRING: return (.string(Self.text(node.text, node.textLength)), place)
        case CTOML_INTEGER: return (.integer(Int(node.integer)), place)
        case CTOML_REAL: return (.real(node.real), place)
        case CTOML_BOOLEAN: return (.boolean(node.integer != 0), place)
        case CTOML_LIST:
            var (values, below): ([ConfigurationValue], [TOMLPlaces.Place]) = ([], [])
            for number in 0..<node.count {
                guard let (value, inner) = next(number: number) else { return nil }
                values.append(value)
                // Other elements are on the list's own line.
                if inner.line != node.line || !inner.below.isEmpty { below.append(inner) }
            }
            place.below = places.add(below)
            return (.list(values), place)
        case CTOML_TABLE:
            var (entries, below): ([String: ConfigurationValue], [TOMLPlaces.Place]) = ([:], [])
            for _ in 0..<node.count {
                guard let (value, inner) = next() else { return nil }
                entries[inner.key] = value
                below.append(inner)
            }
            place.below = places.add(below)
            return (.table(entries), place)
        default: return (.date, place)
        }
    }
}
