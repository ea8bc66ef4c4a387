// SPDX-License-Identifier: Apache-2.0

/// Text for a terminal.
enum Text {
    /// Columns padded to the widest cell, two blanks between them; nothing is left at line ends. A cell is plain, so that no cell makes a
    /// line.
    static func table(_ rows: [[String]], rightAligned: Set<Int> = []) -> [String] {
        let rows = rows.map { row in row.map { plain($0, limit: .max) } }
        var widths: [Int] = []
        for row in rows {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], width(cell))
            }
        }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                fit(cell, widths[column], right: rightAligned.contains(column))
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// Padded or cut to exactly `width` columns of the terminal.
    static func fit(_ text: String, _ width: Int, right: Bool = false) -> String {
        var text = text
        if self.width(text) > width { text = width > 1 ? prefix(text, width - 1) + "…" : prefix(text, width) }
        // Half of a wide character is not shown.
        let padding = String(repeating: " ", count: max(0, width - self.width(text)))
        return right ? padding + text : text + padding
    }

    /// Whether a character controls a terminal, or the direction or the lines of a text.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// With escapes (`\u009B`) in the places of control characters. Line ends, tabs, and our colours (``Paint``) stay. JSON keeps its
    /// values, because it has these characters only in strings.
    static func shown(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            (0x20..<0x7F).contains(scalar.value) || scalar == "\n" || scalar.value > 0x7F && !isControl(scalar)
        }
        guard !isPlain else { return text }
        var shown = ""
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\u{1B}", rest.first == "[",
                let end = rest.prefix(4).firstIndex(of: "m"),
                Paint.codes.contains(String(String.UnicodeScalarView(rest.dropFirst().prefix(upTo: end))))
            {
                shown.unicodeScalars.append(scalar)
                shown.unicodeScalars.append(contentsOf: rest[...end])
                rest = rest[rest.index(after: end)...]
            } else if isControl(scalar), scalar != "\n", scalar != "\t" {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16, uppercase: true)
                    shown += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    /// Without control characters: names come from the air. At most `limit` of Unicode's scalars, which is as long as a name
    /// may be.
    static func plain(_ text: String, limit: Int = 248) -> String {
        var plain = ""
        for scalar in text.unicodeScalars.prefix(limit) {
            plain.unicodeScalars.append(isControl(scalar) ? "?" : scalar)
        }
        return plain
    }
}
