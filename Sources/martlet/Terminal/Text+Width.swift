// SPDX-License-Identifier: Apache-2.0

/// The width of text on a terminal.
extension Text {
    /// Columns: two for a wide character, none for a combining character.
    static func width(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + width($1) } }

    /// The longest beginning of at most `width` columns.
    static func prefix(_ text: String, _ width: Int) -> String {
        var (kept, used) = ("", 0)
        for scalar in text.unicodeScalars {
            used += self.width(scalar)
            guard used <= width else { break }
            kept.unicodeScalars.append(scalar)
        }
        return kept
    }

    /// The text in lines of at most `width` columns, broken between words; all lines but the first begin with `indent`
    /// blanks.
    static func wrapped(_ text: String, _ width: Int, indent: Int = 0) -> [String] {
        // A wide character must fit after the blanks.
        guard width >= indent + 2, self.width(text) > width else { return [prefix(text, max(width, 0))] }
        let blanks = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line: String?
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            var rest = line.map { $0 + " " + word } ?? String(word)
            if let line, self.width(rest) > width {
                lines.append(line)
                rest = blanks + word
            }
            // A word longer than a line is split.
            while self.width(rest) > width {
                let piece = prefix(rest, width)
                lines.append(piece)
                rest = blanks + String(rest.unicodeScalars.dropFirst(piece.unicodeScalars.count))
            }
            line = rest
        }
        return lines + [line ?? ""]
    }

    private static func width(_ scalar: Unicode.Scalar) -> Int {
        // Nearly all characters.
        if scalar.value < 0x300 { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        return wide.contains { $0.contains(scalar.value) } || scalar.properties.isEmojiPresentation ? 2 : 1
    }

    /// East Asian Width W and F (Unicode Standard Annex 11), in blocks.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF,
        0x20000...0x3FFFD,
    ]
}
