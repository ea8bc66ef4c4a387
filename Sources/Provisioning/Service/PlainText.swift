// SPDX-License-Identifier: Apache-2.0

/// Text from the air, and for the air. A phone's text reaches files, logs and other people's screens. So invisible
/// characters, and characters that change the look of others, are refused.
enum PlainText {
    /// The value as text; refused if not UTF-8.
    static func decode(_ octets: [UInt8]) throws(WriteRefusal) -> String {
        guard let text = String(validating: octets, as: UTF8.self) else {
            throw WriteRefusal(.notValid, "The value has to be text in UTF-8.")
        }
        return text
    }

    /// No control characters, no line ends, no characters that change the direction of writing.
    static func isPlain(_ text: String) -> Bool { text.unicodeScalars.allSatisfy { !isHidden($0) } }

    /// Printable ASCII without the space.
    static func isGraphic(_ text: String) -> Bool { text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }

    /// For one line: a character that ``isPlain(_:)`` refuses becomes a space, and text beyond `limit` octets is cut.
    static func line(_ text: some StringProtocol, limit: Int) -> String {
        var line = ""
        var octets = 0
        for scalar in text.unicodeScalars {
            let shown = isHidden(scalar) ? " " : scalar
            octets += UTF8.width(shown)
            guard octets <= limit else { break }
            line.unicodeScalars.append(shown)
        }
        return line
    }

    /// Like ``line(_:limit:)``, and a text that is cut ends with `…`: the page finds a sentence by its beginning.
    static func sentence(_ text: some StringProtocol, limit: Int) -> String {
        let whole = line(text, limit: .max)
        return whole.utf8.count <= limit ? whole : line(whole, limit: limit - "…".utf8.count) + "…"
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Directional marks, embeddings, overrides and isolates.
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default:
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
            default: false
            }
        }
    }
}
