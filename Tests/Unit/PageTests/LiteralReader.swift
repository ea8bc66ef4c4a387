// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads a string literal of Swift, or several literals with `+` between them.
struct LiteralReader {
    private(set) var rest: Substring
    /// The code of the interpolations.
    private(set) var interpolations: [Substring] = []

    init(_ rest: Substring) { self.rest = rest }

    /// The text with `{1}`, `{2}` … in place of interpolations; nil if no literal of one line comes next.
    mutating func template() -> String? {
        rest = rest.drop(while: \.isWhitespace)
        guard var text = literal() else { return nil }
        while true {
            let after = rest.drop(while: \.isWhitespace)
            guard after.first == "+" else { break }
            let next = after.dropFirst().drop(while: \.isWhitespace)
            guard next.first == "\"" || next.first == "#" else { break }
            rest = next
            guard let more = literal() else { break }
            text += more
        }
        let parts = text.split(separator: "\u{0}", omittingEmptySubsequences: false)
        guard let first = parts.first else { return text }
        return parts.dropFirst().enumerated().reduce(String(first)) { $0 + "{\($1.offset + 1)}" + $1.element }
    }

    /// Each interpolation is a zero.
    private mutating func literal() -> String? {
        let marks = String(rest.prefix { $0 == "#" })
        rest = rest.dropFirst(marks.count)
        guard rest.first == "\"", !rest.hasPrefix("\"\"\"") else { return nil }
        rest = rest.dropFirst()
        var text = ""
        while let character = rest.first {
            if take("\"" + marks) { return text }
            if take("\\" + marks + "(") {
                skipInterpolation()
                text += "\u{0}"
            } else if take("\\" + marks) {
                text.append(rest.popFirst().map { $0 == "n" ? "\n" : $0 } ?? " ")
            } else {
                text.append(character)
                rest = rest.dropFirst()
            }
        }
        return nil
    }

    private mutating func take(_ mark: String) -> Bool {
        guard rest.hasPrefix(mark) else { return false }
        rest = rest.dropFirst(mark.count)
        return true
    }

    private mutating func skipInterpolation() {
        var depth = 1
        let code = rest
        defer { interpolations.append(code[..<rest.startIndex]) }
        while depth > 0, let character = rest.first {
            if character == "\"" {
                var inner = LiteralReader(rest)
                _ = inner.literal()
                rest = inner.rest
                continue
            }
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            rest = rest.dropFirst()
        }
    }

    /// A literal of a source, and the code in front of it.
    struct Place {
        var before: Substring
        var template: String
    }

    /// All literals of a source and of its interpolations, without literals in comments and literals of several lines. Joined
    /// literals count as one.
    static func all(in source: String) -> [Place] {
        var places: [Place] = []
        var rest = source[...]
        while let quote = rest.utf8.firstIndex(of: UInt8(ascii: "\"")) {
            let lead = rest[..<quote]
            let line = lead.utf8.lastIndex(of: UInt8(ascii: "\n")).map { lead[$0...] } ?? lead
            if line.contains("//") {
                let end = rest[quote...].utf8.firstIndex(of: UInt8(ascii: "\n"))
                rest = end.map { rest[$0...] } ?? ""
                continue
            }
            if rest[quote...].hasPrefix("\"\"\"") {
                let inside = rest[quote...].dropFirst(3)
                rest = inside.range(of: "\"\"\"").map { inside[$0.upperBound...] } ?? ""
                continue
            }
            let marks = lead.reversed().prefix { $0 == "#" }.count
            let start = source.index(quote, offsetBy: -marks)
            var reader = LiteralReader(source[start...])
            if let template = reader.template() {
                places.append(Place(before: source[..<start].suffix(160), template: template))
                places += reader.interpolations.flatMap { all(in: String($0)) }
                rest = reader.rest
            } else {
                rest = rest[quote...].dropFirst()
            }
        }
        return places
    }
}
