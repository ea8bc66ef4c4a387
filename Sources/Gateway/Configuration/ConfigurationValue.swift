// SPDX-License-Identifier: Apache-2.0

import TOMLKit

/// A TOML value as plain data: the parser's own objects point into its document and stay in `TOMLDocument`.
enum ConfigurationValue: Equatable, Sendable {
    case string(String)
    case integer(Int)
    case real(Double)
    case boolean(Bool)
    case list([ConfigurationValue])
    case table([String: ConfigurationValue])
    case date

    /// What is nested more deeply is empty: nothing that can be configured is.
    private static let deepest = 64

    init(_ value: any TOMLValueConvertible, depth: Int = 0) {
        guard depth < Self.deepest else {
            self = .list([])
            return
        }
        self =
            switch value.type {
            case .string: .string(value.string ?? "")
            case .int: .integer(value.int ?? 0)
            case .double: .real(value.double ?? 0)
            case .bool: .boolean(value.bool ?? false)
            case .array:
                .list(value.array.map { array in array.map { ConfigurationValue($0, depth: depth + 1) } } ?? [])
            case .table: .table(value.table.map { Self.entries(of: $0, depth: depth + 1) } ?? [:])
            case .date, .time, .dateTime: .date
            }
    }

    static func entries(of table: TOMLTable, depth: Int = 0) -> [String: ConfigurationValue] {
        var entries: [String: ConfigurationValue] = [:]
        for key in table.keys {
            if let value = table[key] { entries[key] = ConfigurationValue(value, depth: depth) }
        }
        return entries
    }

    /// What it is, for a person: "a string".
    var kind: String {
        switch self {
        case .string: "a string"
        case .integer: "an integer"
        case .real: "a number with a fraction or an exponent"
        case .boolean: "true or false"
        case .list: "a list"
        case .table: "a table"
        case .date: "a date or time"
        }
    }
}

/// One configuration file: its values and where they stand.
struct TOMLDocument: Sendable {
    let file: String
    let root: [String: ConfigurationValue]
    private let outline: TOMLOutline

    /// `file` is only used in messages.
    init(_ text: String, file: String) throws(ConfigurationError) {
        self.file = file
        // The parser takes a C string: it would silently stop at a zero octet.
        if let zero = text.utf8.firstIndex(of: 0) {
            let line = 1 + text.utf8[..<zero].count { $0 == UInt8(ascii: "\n") }
            throw ConfigurationError([ConfigurationIssue(file: file, line: line, "a zero octet is not text")])
        }
        if let line = TOMLKeyLengths.lineOfLongKey(text) {
            let reason = "a key has at most \(TOMLKeyLengths.limit) parts"
            throw ConfigurationError([ConfigurationIssue(file: file, line: line, reason)])
        }
        outline = TOMLOutline(text)
        if let trap = outline.trap {
            throw Self.mistake(trap.reason, at: trap.line, of: text, outline, file: file)
        }
        do {
            let table = try TOMLTable(string: text)
            root = withExtendedLifetime(table) { ConfigurationValue.entries(of: table) }
        } catch let error as TOMLParseError {
            let message = error.description.split(separator: "\n").first.map(String.init) ?? "not TOML"
            throw Self.mistake(message, at: error.source.begin.line, of: text, outline, file: file)
        } catch {
            throw ConfigurationError([ConfigurationIssue(file: file, line: 1, "not TOML: \(error)")])
        }
        if let line = outline.lineOfZero {
            throw ConfigurationError([ConfigurationIssue(file: file, line: line, "a zero octet is not text")])
        }
    }

    func line(of path: [String]) -> Int { outline.line(of: path) }

    /// - Parameter message: What is said where nothing better is known.
    private static func mistake(
        _ message: String, at line: Int, of text: String, _ outline: TOMLOutline, file: String
    ) -> ConfigurationError {
        var issue = ConfigurationIssue(file: file, line: line, message)
        if let repeated = outline.repeated.first(where: { $0.line == line }) {
            issue.message = "\(repeated.name) is already in line \(repeated.first); write it once"
        } else if let advice = TOMLAdvice(text).advice(at: line) {
            issue = ConfigurationIssue(file: file, line: advice.line, advice.text)
        }
        return ConfigurationError([issue])
    }
}
