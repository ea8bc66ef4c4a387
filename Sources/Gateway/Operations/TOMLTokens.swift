// SPDX-License-Identifier: Apache-2.0

/// The places of a TOML text's values and comments, so that single values can be replaced and all else stays.
///
/// For a text that ``TOMLDocument`` has read without a mistake. A result for any other text is of no use, and does no
/// harm.
struct TOMLTokens {
    struct Table {
        /// `["bluetooth"]` of `[bluetooth]`; empty before the first header.
        var header: [String]
        /// `[[sensor]]`.
        var isListed: Bool
    }

    /// A text, a number, or the like: no table and no list.
    struct Value {
        /// The value's table, by its place in ``tables``.
        var table: Int
        /// The keys below the table. Elements of lists count from 0.
        var path: [String]
        /// The nearest key, and the keys of lists around it that hold more than tables.
        var keys: [String]
        var range: Range<Int>

        var key: String { keys.first ?? "" }
    }

    private static let maximumDepth = 64

    let octets: [UInt8]
    private(set) var tables = [Table(header: [], isListed: false)]
    private(set) var values: [Value] = []
    /// From `#` to the end of the line.
    private(set) var comments: [Range<Int>] = []
    private var at = 0

    init(_ text: String) {
        octets = Array(text.utf8)
        while !isAtEnd {
            skipBlanks()
            guard let octet = current else { break }
            let before = at
            if octet == UInt8(ascii: "[") {
                header()
            } else {
                entry([], depth: 0)
            }
            if at == before { at += 1 }
        }
    }

    func text(_ range: Range<Int>) -> String { String(decoding: octets[range], as: UTF8.self) }

    /// The text with other content at these places, which do not overlap.
    func text(replacing changes: [(range: Range<Int>, text: String)]) -> String {
        var result: [UInt8] = []
        var end = 0
        for change in changes.sorted(by: { $0.range.lowerBound < $1.range.lowerBound })
        where change.range.lowerBound >= end {
            result += octets[end..<change.range.lowerBound]
            result += Array(change.text.utf8)
            end = change.range.upperBound
        }
        return String(decoding: result + octets[end...], as: UTF8.self)
    }

    // MARK: - Reading

    private var isAtEnd: Bool { at >= octets.count }
    private var current: UInt8? { octets.indices.contains(at) ? octets[at] : nil }

    private func starts(with text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard at + count <= octets.count else { return false }
        return text.withUTF8Buffer { octets[at..<at + count].elementsEqual($0) }
    }

    /// Skips spaces, ends of lines, and comments.
    private mutating func skipBlanks() {
        while let octet = current {
            if octet == UInt8(ascii: "#") {
                let start = at
                while let octet = current, octet != 0x0A { at += 1 }
                // A line of Windows ends in two characters.
                let end = at > start && octets[at - 1] == 0x0D ? at - 1 : at
                comments.append(start..<end)
            } else if [0x20, 0x09, 0x0A, 0x0D].contains(octet) {
                at += 1
            } else {
                return
            }
        }
    }

    private mutating func take(_ octet: UInt8) -> Bool {
        guard current == octet else { return false }
        at += 1
        return true
    }

    private mutating func header() {
        at += 1
        let isListed = take(UInt8(ascii: "["))
        skipBlanks()
        tables.append(Table(header: keys(), isListed: isListed))
        skipBlanks()
        if take(UInt8(ascii: "]")), isListed { _ = take(UInt8(ascii: "]")) }
    }

    /// `a`, or `a.b`.
    private mutating func keys() -> [String] {
        var found: [String] = []
        while let octet = current {
            if octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "'") {
                found.append(text(string()).trimmingQuotes)
            } else {
                let start = at
                while let octet = current, Self.isBare(octet), octet != UInt8(ascii: ".") { at += 1 }
                guard at > start else { return found }
                found.append(text(start..<at))
            }
            skipBlanks()
            guard take(UInt8(ascii: ".")) else { return found }
            skipBlanks()
        }
        return found
    }

    private mutating func entry(_ path: [String], depth: Int) {
        let found = keys()
        guard let key = found.last else { return }
        skipBlanks()
        guard take(UInt8(ascii: "=")) else { return }
        skipBlanks()
        value(path + found, key, depth: depth)
    }

    private mutating func value(_ path: [String], _ key: String, depth: Int) {
        guard let octet = current, depth < Self.maximumDepth else { return }
        switch octet {
        case UInt8(ascii: "["):
            at += 1
            let first = values.count
            var (number, hasOthers) = (0, false)
            elements(until: UInt8(ascii: "]")) { tokens in
                if tokens.current != UInt8(ascii: "{") { hasOthers = true }
                tokens.value(path + [String(number)], key, depth: depth + 1)
                number += 1
            }
            // Such a list may be a secret in a wrong shape.
            if hasOthers { for place in values.indices.dropFirst(first) { values[place].keys.append(key) } }
        case UInt8(ascii: "{"):
            at += 1
            elements(until: UInt8(ascii: "}")) { $0.entry(path, depth: depth + 1) }
        case UInt8(ascii: "\""), UInt8(ascii: "'"): add(string(), path, key)
        default:
            let start = at
            while let octet = current, Self.isBare(octet) { at += 1 }
            // A date and its time may have a space between them.
            if current == 0x20, at + 1 < octets.count, at - start == 10, octets[start..<at].contains(UInt8(ascii: "-")),
                (0x30...0x39).contains(octets[at + 1])
            {
                at += 1
                while let octet = current, Self.isBare(octet) { at += 1 }
            }
            if at > start { add(start..<at, path, key) }
        }
    }

    private mutating func elements(until end: UInt8, _ element: (inout TOMLTokens) -> Void) {
        while true {
            skipBlanks()
            if isAtEnd || take(end) { return }
            let before = at
            if !take(UInt8(ascii: ",")) { element(&self) }
            if at == before { at += 1 }
        }
    }

    private mutating func add(_ range: Range<Int>, _ path: [String], _ key: String) {
        values.append(Value(table: tables.count - 1, path: path, keys: [key], range: range))
    }

    /// One of TOML's four kinds of strings, with its quotes.
    private mutating func string() -> Range<Int> {
        let start = at
        let hasEscapes = current == UInt8(ascii: "\"")
        let isLong = starts(with: hasEscapes ? "\"\"\"" : "'''")
        guard let quote = current else { return start..<start }
        at += isLong ? 3 : 1
        while let octet = current {
            if hasEscapes, octet == UInt8(ascii: "\\") {
                at = min(at + 2, octets.count)
            } else if octet == quote {
                guard isLong else {
                    at += 1
                    return start..<at
                }
                guard starts(with: hasEscapes ? "\"\"\"" : "'''") else {
                    at += 1
                    continue
                }
                at += 3
                // Up to two more quotes belong to the string.
                for _ in 0..<2 where current == quote { at += 1 }
                return start..<at
            } else {
                at += 1
            }
        }
        return start..<at
    }

    /// Numbers, dates, true and false, and keys without quotes.
    private static func isBare(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"),
            UInt8(ascii: "."), UInt8(ascii: ":"):
            true
        default: false
        }
    }
}

extension String {
    /// Without the quotes of a key. An escape stays as it is, and makes another name: a name that no key has.
    fileprivate var trimmingQuotes: String { count >= 2 ? String(dropFirst().dropLast()) : self }
}
