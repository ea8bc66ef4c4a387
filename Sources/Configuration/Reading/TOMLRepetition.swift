// SPDX-License-Identifier: Apache-2.0

/// Finds the first use of a repeated key or table. The parser only reports the second use.
struct TOMLRepetition {
    /// The name as written.
    let name: String
    /// The line of the first use, from 1.
    let first: Int

    /// Reads the lines before `line`, and `line` as an entry of its table; nil if no entry is in both.
    init?(in text: String, at line: Int) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.indices.contains(line - 1) else { return nil }
        let before = lines[..<(line - 1)]
        let here = TOMLLine(String(lines[line - 1].prefix(TOMLAdvice.maximumLength)))
        var entry: [String] = []
        if let header = here.header, header.brackets == 1 {
            entry = ["[\(header.name)]"]
            name =
                header.name == "sensor"
                ? "[sensor], which has to be [[sensor]] for each sensor," : "[\(header.name)]"
        } else if let key = here.key {
            let header = before.last { $0.drop { $0 == " " || $0 == "\t" }.first == "[" }
            entry = (header.map { [String($0)] } ?? []) + ["\(key) = 0"]
            name = key
        } else {
            return nil
        }
        guard let earlier = try? TOMLText(before.joined(separator: "\n")),
            let later = try? TOMLText(entry.joined(separator: "\n")),
            let path = Self.path(to: .table(later.root), in: .table(earlier.root))
        else { return nil }
        let (first, isExact) = earlier.places.line(of: path)
        guard isExact else { return nil }
        self.first = first
    }

    /// The path of the last entry of `later`, if `earlier` has it, too.
    private static func path(to later: ConfigurationValue, in earlier: ConfigurationValue) -> [String]? {
        switch (later, earlier) {
        case (.table(let later), .table(let earlier)):
            guard let (key, value) = later.first else { return [] }
            return earlier[key].flatMap { path(to: value, in: $0) }.map { [key] + $0 }
        case (.list(let later), .list(let earlier)):
            // A table below an array of tables belongs to the newest table of the array.
            guard let value = later.first, let known = earlier.last else { return nil }
            return path(to: value, in: known).map { [String(earlier.count - 1)] + $0 }
        case (.table, _): return nil
        default: return []
        }
    }
}
