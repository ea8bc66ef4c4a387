// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Advice on a line that is not TOML. It replaces the parser's message, because many people who write configurations
/// have never heard of TOML.
struct TOMLAdvice {
    struct Found: Equatable {
        var line: Int
        var text: String
    }

    static let maximumLength = 1_000
    private let lines: [TOMLLine]

    init(_ text: String) {
        lines = text.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r\n" }).map {
            // The search for quotes takes quadratic time.
            TOMLLine(String($0.prefix(Self.maximumLength)))
        }
    }

    /// Advice on the line at which the parser gave up, or on an earlier line with the cause; nil without advice.
    func advice(at line: Int) -> Found? {
        guard let index = lines.indices.last.map({ min(max(line - 1, 0), $0) }) else { return nil }
        // The mistake may be inside a list that began on an earlier line, or the list's missing end may be the mistake.
        if let start = unclosed(before: index) {
            let isInside = lines[index].header == nil && lines[index].key == nil
            if isInside, let text = lines[index].adviceInList { return Found(line: index + 1, text: text) }
            return Found(line: start + 1, text: "the list of this line is not closed: write ] after its last value")
        }
        return lines[index].advice.map { Found(line: index + 1, text: $0) }
    }

    /// The first line of a list that is still open at `index`.
    private func unclosed(before index: Int) -> Int? {
        var start: Int?
        var depth = 0
        for number in 0..<index {
            let line = lines[number]
            if start == nil {
                guard line.key != nil else { continue }
                depth = 0
            }
            depth += line.depth
            start = depth > 0 ? start ?? number : nil
        }
        return start
    }
}

/// One line of a configuration file, taken apart as its writer meant the line.
struct TOMLLine {
    /// The name between brackets, and how many brackets open.
    let header: (name: String, brackets: Int)?
    /// The text before the equals sign.
    let key: String?
    private let content: String
    /// The text after the equals sign.
    private let value: String
    /// Opened minus closed brackets of the line, outside of strings.
    let depth: Int

    init(_ text: String) {
        let content = Self.withoutComment(text).trimmed
        self.content = content
        var (key, value): (String?, String) = (nil, "")
        if content.first == "[", !content.contains("=") {
            let name = content.drop { $0 == "[" || $0.isBlank }.prefix { $0 != "]" && !$0.isBlank }
            header = (String(name), content.prefix { $0 == "[" }.count)
        } else {
            header = nil
            if let sign = content.firstIndex(of: "=") {
                let name = String(content[..<sign]).trimmed
                if !name.isEmpty, name.allSatisfy({ $0.isKeyCharacter || $0.isBlank || $0.isQuote }) { key = name }
                value = String(content[content.index(after: sign)...]).trimmed
            }
        }
        self.key = key
        self.value = value
        depth = key == nil && header != nil ? 0 : Self.depth(of: key == nil ? content : value)
    }

    // MARK: - Advice

    /// Advice on the line alone; nil without advice.
    var advice: String? { adviceOnMeaning ?? adviceOnForm }

    private var adviceOnMeaning: String? {
        if let header { return advice(on: header) }
        if content.hasPrefix(";") || content.hasPrefix("//") { return "a comment begins with #" }
        guard let key else { return adviceWithoutSign }
        if value.hasPrefix("=") || content.contains(":=") { return "one = is enough: write \(key) = \(shown(nil))" }
        if key.contains(where: \.isBlank) { return "a key has no blanks: write \(key.joinedWords) = \(shown(nil))" }
        return adviceOnValue
    }

    /// Advice on mistakes of form, if the writer's intention is unclear.
    private var adviceOnForm: String? {
        if content.first == "[", let first = content.first(where: { $0 != "[" && !$0.isBlank }),
            first != "]", !first.isKeyCharacter, !first.isStraightQuote
        {
            return "a table's name is no TOML key"
        }
        var open: [Character] = []
        var text: String?
        Self.outside(content) { character, _ in
            switch character {
            case "[", "{": open.append(character)
            case "]", "}":
                let opening: Character = character == "]" ? "[" : "{"
                if open.popLast() != opening { text = "a bracket closes what it did not open" }
            default: if !character.isASCII { text = "outside of strings and comments TOML is ASCII" }
            }
            return text == nil
        }
        return text
    }

    /// Advice on a line inside a list of several lines.
    var adviceInList: String? {
        let element = content.trimmed(",").trimmed
        guard let first = element.first, !first.isStraightQuote, !"[]{}".contains(first) else { return nil }
        return "each text of a list needs straight quotes: write \"…\""
    }

    private func advice(on header: (name: String, brackets: Int)) -> String? {
        let name = header.name
        guard !name.isEmpty, name.allSatisfy(\.isKeyCharacter) else { return nil }
        if name == "sensor" || header.brackets > 1 { return "write [[\(name)]]" }
        return "write [\(name)]"
    }

    /// `host: "a"`, `host "a"`, and `host`.
    private var adviceWithoutSign: String? {
        let name = content.prefix { $0.isKeyCharacter }
        let rest = String(content.dropFirst(name.count)).trimmed
        guard !name.isEmpty, rest.isEmpty || rest.first == ":" || content.dropFirst(name.count).first?.isBlank == true
        else { return nil }
        let line = TOMLLine("\(name) = \(rest.first == ":" ? String(rest.dropFirst()) : rest)")
        return "a key and its value have = between them: write \(name) = \(line.shown(line.value))"
    }

    private var adviceOnValue: String? {
        guard let key else { return nil }
        func write(_ why: String, _ text: String?) -> String { "\(why): write \(key) = \(shown(text))" }
        guard let first = value.first else { return write("it has no value", nil) }
        if first.isCurlyQuote || value.contains(where: { $0.isCurlyQuote }) && depth == 0 {
            return write("these are typographic quotes, and TOML has straight ones", value)
        }
        if let odd = value.unicodeScalars.first(where: { $0.value >= 0x80 }), !first.isStraightQuote {
            return write("\(Self.name(of: odd)) can only stand between quotes", value)
        }
        if first.isStraightQuote { return adviceOnQuoted }
        if first == "[" {
            guard depth == 0 else {
                return depth > 0 ? write("the list is not closed", value) : write("the list is closed twice", nil)
            }
            return value.contains(where: { "{}".contains($0) }) ? nil : write("each text of a list needs quotes", value)
        }
        if first == "{" { return depth > 0 ? write("the { is not closed", nil) : nil }
        let kind = Kind(key)
        if let flag = Self.flag(value), kind == .flag || kind == nil {
            return write("TOML has true and false", "\(flag)")
        }
        let digits = value.drop { $0 == "+" || $0 == "-" }
        if digits.wholeMatch(of: #/\d+,\d+/#) != nil, kind != .text {
            return write("a fraction is written with a point", value.replacing(",", with: "."))
        }
        if digits.wholeMatch(of: #/\d{18,}|0x[0-9A-Fa-f]{16,}/#) != nil { return "this number is too large" }
        if kind == .number, let match = digits.prefixMatch(of: #/0*(\d+(?:\.\d+)?)\s*[A-Za-z%°]*/#),
            match.range.upperBound == digits.endIndex
        {
            return write("a number has no unit and no zeros in front", String(match.1))
        }
        if kind == .flag { return write("it is true or false", nil) }
        if kind == .number { return write("a number is wanted", nil) }
        return write("text needs quotes around it", value)
    }

    private var adviceOnQuoted: String? {
        guard let key, let quote = value.first else { return nil }
        guard let end = Self.end(ofQuoted: value) else {
            return "the quotes are not closed: write \(key) = \(shown(value + String(quote)))"
        }
        let rest = String(value[end...]).trimmed
        if !rest.isEmpty { return "nothing can follow the value: write \(key) = \(shown(String(value[..<end])))" }
        if quote == "\"", value.contains("\\") {
            return
                "a backslash between double quotes is written twice: write \(key) = \(shown(nil, quote: "'")), or \\\\"
        }
        return nil
    }

    // MARK: - Values in advice

    /// The kind of a key's value, by the key's name; nil for an unknown key.
    private enum Kind {
        case flag, number, list, text, secret

        init?(_ key: String) {
            let name = key.split(separator: ".").last.map { $0.filter { !$0.isQuote && !$0.isBlank } } ?? key
            let types =
                GatewayConfiguration.sections.flatMap { $0.keys.filter { $0.name == name }.map(\.type) }
                + GatewayConfiguration.sensorSection.keys.filter { $0.name == name }.map(\.type)
            guard let type = types.first else { return nil }
            switch type {
            case _ where ["password", "passkey", "bindkey"].contains(name): self = .secret
            case "true or false": self = .flag
            case _ where type.hasPrefix("integer") || type.hasPrefix("number"): self = .number
            case _ where type.hasPrefix("list"): self = .list
            default: self = .text
            }
        }
    }

    /// The value, corrected. Possible secrets are not shown: passwords, values of unknown keys (the key may be a
    /// misspelt `password`), and texts that may be a URL with a password.
    private func shown(_ text: String?, quote: Character = "\"") -> String {
        let kind = key.flatMap { Kind($0) }
        switch (kind, text) {
        case (nil, let text?) where Self.flag(text) != nil: return text
        case (.secret, _), (nil, _), (.text, nil): return "\(quote)…\(quote)"
        case (.flag, let text): return text.flatMap(Self.flag).map(String.init) ?? "true"
        case (.number, let text): return text.flatMap { Double($0) == nil ? nil : $0 } ?? "1"
        case (.list, let text):
            let elements = (text ?? "").split { "[],".contains($0) || $0.isBlank }.map { Self.bare(String($0)) }
            guard !elements.isEmpty, !elements.contains(where: { $0.contains("@") }) else { return "[\"…\"]" }
            return "[" + elements.map { quoted($0) }.joined(separator: ", ") + "]"
        case (.text, let text?):
            let bare = Self.bare(text)
            return bare.contains("@") || bare.isEmpty ? "\"…\"" : quoted(bare)
        }
    }

    /// The text without quotes at its ends, and without text after the value.
    private static func bare(_ text: String) -> String {
        text.trimmed(",;").trimmed.trimmed("\"'").trimmed { $0.isCurlyQuote }
    }

    private static func flag(_ text: String) -> Bool? {
        switch text.trimmed(",;\"'").lowercased() {
        case "true", "yes", "on": true
        case "false", "no", "off": false
        default: nil
        }
    }

    private static func name(of scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        let code = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        return scalar.properties.isWhitespace || scalar.properties.generalCategory == .format
            ? "the invisible \(code)" : "\"\(scalar)\" (\(code))"
    }

    // MARK: - Taking apart

    /// The index after the closing quote of the string that opens `text`; nil if the string is not closed.
    private static func end(ofQuoted text: some StringProtocol) -> String.Index? {
        guard let quote = text.first else { return nil }
        var isEscaped = false
        for index in text.indices.dropFirst() {
            if isEscaped {
                isEscaped = false
            } else if text[index] == quote {
                return text.index(after: index)
            } else {
                isEscaped = quote == "\"" && text[index] == "\\"
            }
        }
        return nil
    }

    /// Calls `body` for each character outside of closed strings, until `body` returns false.
    private static func outside(_ text: String, _ body: (Character, String.Index) -> Bool) {
        var index = text.startIndex
        while index < text.endIndex {
            if text[index].isStraightQuote, let end = end(ofQuoted: text[index...]) {
                index = end
                continue
            }
            guard body(text[index], index) else { return }
            index = text.index(after: index)
        }
    }

    private static func withoutComment(_ text: String) -> String {
        var end = text.endIndex
        outside(text) { character, index in
            if character == "#" { end = index }
            return character != "#"
        }
        return String(text[..<end])
    }

    private static func depth(of text: String) -> Int {
        var depth = 0
        outside(text) { character, _ in
            if character == "[" { depth += 1 }
            if character == "]" { depth -= 1 }
            return true
        }
        return depth
    }
}

extension Character {
    fileprivate var isBlank: Bool { self == " " || self == "\t" || self == "\r" }
    fileprivate var isStraightQuote: Bool { self == "\"" || self == "'" }
    fileprivate var isCurlyQuote: Bool { "“”„‟«»‘’‚‛`´".contains(self) }
    fileprivate var isQuote: Bool { isStraightQuote || isCurlyQuote }
    fileprivate var isKeyCharacter: Bool { isASCII && (isLetter || isNumber || "_-.".contains(self)) }
}

extension String {
    fileprivate var trimmed: String { trimmed { $0.isBlank } }

    fileprivate func trimmed(_ characters: String) -> String { trimmed { characters.contains($0) } }

    fileprivate func trimmed(_ isEdge: (Character) -> Bool) -> String {
        var text = self[...].drop(while: isEdge)
        while let last = text.last, isEdge(last) { text.removeLast() }
        return String(text)
    }

    fileprivate var joinedWords: String { split(whereSeparator: \.isBlank).joined(separator: "_") }
}
