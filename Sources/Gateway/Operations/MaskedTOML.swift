// SPDX-License-Identifier: Apache-2.0

import Configuration

/// A configuration text in which `"…"` stands for each secret. Comments, order and spaces are as in the file.
///
/// A visitor may send the text back, changed or not: ``restored(_:)`` puts the secrets in their places again.
struct MaskedTOML {
    private struct Secret {
        var table: Int
        var path: [String]
        /// As in the file, and as it is shown.
        var value: String
        var shown: String
    }

    /// The sign for a secret.
    static let sign = "\"…\""
    /// The keys of the difference between two `[[sensor]]` tables.
    private static let marks: Set<String> = ["id", "address", "identifier", "name"]

    let text: String
    private let tokens: TOMLTokens
    private var secrets: [Secret] = []

    /// - Parameter words: Secrets of the configuration, which a comment may hold.
    ///
    /// - Throws: ``ConfigurationError`` if `file` is no TOML.
    init(_ file: String, name: String, words: [String] = []) throws(ConfigurationError) {
        let root = try TOMLDocument(file, file: name).root
        tokens = TOMLTokens(file)
        var changes: [(range: Range<Int>, text: String)] = []
        for value in tokens.values {
            let raw = tokens.text(value.range)
            let shown = Self.shown(raw, keys: value.keys)
            guard shown != raw else { continue }
            changes.append((value.range, shown))
            secrets.append(Secret(table: value.table, path: value.path, value: raw, shown: shown))
        }
        for range in tokens.comments {
            let comment = tokens.text(range)
            let shown = SupportReport.masked(MaskedComment.text(of: comment), secrets: words)
            if shown != comment { changes.append((range, shown)) }
        }
        let text = tokens.text(replacing: changes)
        // Two readers of a text may disagree. Then the values are written anew, without comments.
        let again = try? TOMLDocument(text, file: name).root
        if let again, ConfigurationValue.table(again) == ShownTOML.masked(.table(root), key: "") {
            self.text = text
        } else {
            self.text = ShownTOML.text(of: root)
        }
    }

    private static func shown(_ raw: String, keys: [String]) -> String {
        if raw == "true" || raw == "false" { return raw }
        guard GatewayConfiguration.openKeys.isSuperset(of: keys) else { return sign }
        return SupportReport.masked(raw, secrets: [])
    }

    // MARK: - The way back

    /// The text with each secret in its place again. A sign stays where the file has no secret.
    ///
    /// The line numbers stay: a secret of several lines is written in one.
    func restored(_ edited: String) -> (text: String, secrets: [String]) {
        guard (try? TOMLDocument(edited, file: "")) != nil else { return (edited, []) }
        let found = TOMLTokens(edited)
        let marks = (Self.identities(tokens), Self.identities(found))
        let places = (Self.places(tokens), Self.places(found))
        var changes: [(range: Range<Int>, text: String)] = []
        var used: [String] = []
        for value in found.values {
            let raw = found.text(value.range)
            let shown = raw == "'…'" ? Self.sign : raw
            guard shown.contains("…") else { continue }
            let table = found.tables[value.table]
            let candidates = secrets.filter { secret in
                let other = tokens.tables[secret.table]
                return secret.shown == shown && secret.path == value.path && other.header == table.header
                    && other.isListed == table.isListed
            }
            let match =
                table.isListed
                ? candidates.first { !marks.0[$0.table].isDisjoint(with: marks.1[value.table]) }
                    ?? candidates.first { places.0[$0.table] == places.1[value.table] }
                : candidates.first
            guard let secret = match else { continue }
            let line = Self.inOneLine(secret.value)
            changes.append((value.range, line))
            used.append(Self.content(of: line))
        }
        return (found.text(replacing: changes), used)
    }

    /// The difference between the tables, table by table.
    private static func identities(_ tokens: TOMLTokens) -> [Set<String>] {
        var found = [Set<String>](repeating: [], count: tokens.tables.count)
        for value in tokens.values where value.path.count == 1 && marks.contains(value.key) {
            let text = content(of: tokens.text(value.range))
            if text != "…" { found[value.table].insert("\(value.key) \(text)") }
        }
        return found
    }

    /// Each table's place among the tables of its header, and the number of these tables: a place counts only if both
    /// texts have as many.
    private static func places(_ tokens: TOMLTokens) -> [[Int]] {
        var counts: [[String]: Int] = [:]
        for table in tokens.tables { counts[table.header, default: 0] += 1 }
        var seen: [[String]: Int] = [:]
        return tokens.tables.map { table in
            seen[table.header, default: 0] += 1
            return [seen[table.header] ?? 0, counts[table.header] ?? 0]
        }
    }

    private static func value(of raw: String) -> ConfigurationValue? {
        (try? TOMLDocument("x = \(raw)\n", file: ""))?.root["x"]
    }

    private static func inOneLine(_ raw: String) -> String {
        raw.utf8.contains(0x0A) ? value(of: raw)?.toml ?? raw : raw
    }

    /// The text between the quotes.
    private static func content(of raw: String) -> String {
        if case .string(let text)? = value(of: raw) { return text }
        return raw
    }
}

/// A comment without the values of commented-out keys, and without words that look like keys.
enum MaskedComment {
    static func text(of comment: String) -> String {
        var shown = comment
        // A commented-out key is shown only with a value that would be shown.
        if let match = comment.firstMatch(of: /([A-Za-z0-9_.-]+)["']?\s*=\s*(\S.*)$/) {
            let name = match.1.split(separator: ".").last.map(String.init) ?? ""
            if !GatewayConfiguration.openKeys.contains(name) { shown = comment[..<match.2.startIndex] + "…" }
        }
        // Such a sentence says the secret itself; other sentences only speak of one.
        if let match = shown.firstMatch(
            of:
                /(?i)(?:password|passwort|passphrase|passkey|key|pin|secret|token)["']?\s*(?::|=|\bis\b|\bist\b|\bwas\b|\bwar\b)\s*(\S.*)$/
        ) {
            shown = shown[..<match.1.startIndex] + "…"
        }
        return shown.replacing(/[0-9A-Fa-f]{16,}/, with: "…")
    }
}
