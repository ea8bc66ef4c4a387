// SPDX-License-Identifier: Apache-2.0

/// Text for a terminal.
enum Text {
    /// Columns padded to the widest cell, two blanks between them; nothing is left at line ends.
    static func table(_ rows: [[String]], rightAligned: Set<Int> = []) -> [String] {
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

    /// Without control characters: names come from the air. At most `limit` of Unicode's scalars, which is as long as a name
    /// may be.
    static func plain(_ text: String, limit: Int = 248) -> String {
        var plain = ""
        for scalar in text.unicodeScalars.prefix(limit) {
            let isControl =
                scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
            plain.unicodeScalars.append(isControl ? "?" : scalar)
        }
        return plain
    }
}
