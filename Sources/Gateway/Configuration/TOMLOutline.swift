// SPDX-License-Identifier: Apache-2.0

/// Where the keys and tables of a TOML text stand, because the parser does not tell.
///
/// A light scan, right for a text that the parser accepts: headers, keys at the beginning of an expression, strings and
/// comments are recognised, values are skipped. Keys inside an inline table are found on the line of the outer key.
struct TOMLOutline: Sendable {
    /// Line numbers from 1, by path: `["sensor", "0", "name"]`. Elements of an array of tables count from 0.
    private(set) var lines: [[String]: Int] = [:]
    /// Where a string has a zero octet, written as an escape: the parser's strings end there.
    private(set) var lineOfZero: Int?
    /// The first thing at which the parser would not refuse the text but stop the process.
    private(set) var trap: (line: Int, reason: String)?
    /// Keys and tables that are there again, in lines after those of the first.
    private(set) var repeated: [(line: Int, name: String, first: Int)] = []

    private var rest: Substring.UTF8View
    private var line = 1
    private var table: [String] = []
    private var counts: [[String]: Int] = [:]
    /// Tables whose headers were there; others may be implied by those below them.
    private var headers: [[String]: Int] = [:]

    init(_ text: String) {
        rest = text[...].utf8
        // A byte order mark is no part of the text.
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        while !rest.isEmpty { expression() }
    }

    /// The line of `path`, else that of the nearest thing that holds it, else 1.
    func line(of path: [String]) -> Int {
        var path = path
        while !path.isEmpty {
            if let line = lines[path] { return line }
            path.removeLast()
        }
        return 1
    }
}

extension TOMLOutline {
    private mutating func advance() {
        if rest.first == UInt8(ascii: "\n") { line += 1 }
        rest = rest.dropFirst()
    }

    private mutating func take(_ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard rest.count >= length,
            rest.prefix(length).elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: length))
        else { return false }
        for _ in 0..<length { advance() }
        return true
    }

    private mutating func skipBlanks() {
        while let first = rest.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") { advance() }
    }

    private mutating func skipLine() {
        while let first = rest.first, first != UInt8(ascii: "\n") { advance() }
        advance()
    }

    private mutating func expression() {
        skipBlanks()
        let start = line
        switch rest.first {
        case UInt8(ascii: "["):
            advance()
            let isElement = take("[")
            skipBlanks()
            if let first = rest.first, !first.canBeginKey { note("a table's name is no TOML key") }
            header(dottedKey(), isElement: isElement, at: start)
            skipLine()
        case UInt8(ascii: "#"), UInt8(ascii: "\r"), UInt8(ascii: "\n"), nil:
            skipLine()
        default:
            let key = dottedKey()
            if let first = lines[table + key] {
                repeated.append((start, key.joined(separator: "."), first))
            }
            for length in stride(from: 1, through: key.count, by: 1) where lines[table + key.prefix(length)] == nil {
                lines[table + key.prefix(length)] = start
            }
            value()
        }
    }

    private mutating func header(_ key: [String], isElement: Bool, at start: Int) {
        // A table below an array of tables belongs to the array's newest element.
        var path: [String] = []
        for (index, part) in key.enumerated() {
            path.append(part)
            let isLast = index == key.count - 1
            if isLast, isElement {
                let count = counts[path, default: 0]
                counts[path] = count + 1
                if lines[path] == nil { lines[path] = start }
                path.append(String(count))
            } else if let count = counts[path] {
                path.append(String(count - 1))
            }
            if lines[path] == nil { lines[path] = start }
        }
        if !isElement, let first = headers.updateValue(start, forKey: path) {
            let name = key.joined(separator: ".")
            let hint = name == "sensor" ? "[sensor], which has to be [[sensor]] for each sensor," : "[\(name)]"
            repeated.append((start, hint, first))
        }
        table = path
    }

    private mutating func dottedKey() -> [String] {
        var parts: [String] = []
        repeat {
            skipBlanks()
            parts.append(simpleKey())
            skipBlanks()
        } while take(".")
        return parts
    }

    private mutating func simpleKey() -> String {
        if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            advance()
            var octets: [UInt8] = []
            while let next = rest.first, next != quote, next != UInt8(ascii: "\n") {
                octets.append(next)
                advance()
                guard quote == UInt8(ascii: "\""), next == UInt8(ascii: "\\"), let escaped = rest.first else {
                    continue
                }
                octets.append(escaped)
                advance()
            }
            advance()
            return String(decoding: octets, as: UTF8.self)
        }
        let ends: [UInt8] = [".", "=", "]", " ", "\t", "\r", "\n"].map { UInt8(ascii: $0) }
        var octets: [UInt8] = []
        while let next = rest.first, !ends.contains(next) {
            if next >= 0x80 { note(Self.notASCII) }
            octets.append(next)
            advance()
        }
        return String(decoding: octets, as: UTF8.self)
    }

    /// Skips a value and what follows it on its last line: lines end a value only outside brackets and strings.
    private mutating func value() {
        var brackets: [UInt8] = []
        // What comes before the equals sign is a key, here and in inline tables.
        var isKey = true
        while let next = rest.first {
            switch next {
            case UInt8(ascii: "\"") where take("\"\"\""): skipString(until: "\"\"\"", escapes: true)
            case UInt8(ascii: "'") where take("'''"): skipString(until: "'''", escapes: false)
            case UInt8(ascii: "\"") where take("\""): skipString(until: "\"", escapes: true)
            case UInt8(ascii: "'") where take("'"): skipString(until: "'", escapes: false)
            case UInt8(ascii: "#"):
                while let octet = rest.first, octet != UInt8(ascii: "\n") { advance() }
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                brackets.append(next)
                isKey = next == UInt8(ascii: "{")
                advance()
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                let opening = next == UInt8(ascii: "]") ? UInt8(ascii: "[") : UInt8(ascii: "{")
                if brackets.popLast() != opening { note("a bracket closes what it did not open") }
                isKey = false
                advance()
            case UInt8(ascii: ","):
                isKey = brackets.last == UInt8(ascii: "{")
                advance()
            case UInt8(ascii: "="):
                isKey = false
                advance()
            case UInt8(ascii: "\n"):
                advance()
                if brackets.isEmpty { return }
            case let first where TOMLScalar.begins(with: first) && !isKey:
                number()
            default:
                if next >= 0x80 { note(Self.notASCII) }
                advance()
            }
        }
    }

    /// Skips a number, a date or a time; a date may have a space before its time.
    private mutating func number() {
        var octets = Array(rest.prefix { !$0.endsScalar })
        let next = rest.dropFirst(octets.count)
        if octets.count == 10, next.first == UInt8(ascii: " "), let digit = next.dropFirst().first, digit.isDigit {
            octets += [UInt8(ascii: " ")] + next.dropFirst().prefix { !$0.endsScalar }
        }
        if !TOMLScalar.isNumeric(octets[...]) { note("a value is no number, date or time of TOML") }
        rest = rest.dropFirst(octets.count)
    }

    /// Some of it is blank space to the parser, which would then be elsewhere than we.
    private static let notASCII = "outside of strings and comments TOML is ASCII"

    private mutating func note(_ reason: String) {
        if trap == nil { trap = (line, reason) }
    }

    private mutating func skipString(until end: StaticString, escapes: Bool) {
        while let next = rest.first {
            if escapes, next == UInt8(ascii: "\\") {
                advance()
                if lineOfZero == nil, rest.starts(with: "u0000".utf8) || rest.starts(with: "U00000000".utf8) {
                    lineOfZero = line
                }
                advance()
            } else if take(end) {
                // Up to two quotation marks before the three that end it belong to the string.
                for _ in 0..<2 where end.utf8CodeUnitCount == 3 && rest.first == next { advance() }
                return
            } else {
                advance()
            }
        }
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// A bare key, a quoted one, or the bracket of a header without a key.
    fileprivate var canBeginKey: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: isDigit || "-_\"']".utf8.contains(self)
        }
    }

    /// What follows a number in a list, in an inline table or on its line.
    fileprivate var endsScalar: Bool { " \t\r\n,]}#".utf8.contains(self) }
}
