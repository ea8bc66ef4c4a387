// SPDX-License-Identifier: Apache-2.0

/// A sensor's advertised name, made fit for payloads and logs. The name comes from the air, and any device can send any
/// name.
package enum AdvertisedName {
    /// Octets of UTF-8. An advertisement has room for 29, the Device Name characteristic for 248, in each of a sensor's messages.
    package static let maximumLength = 64

    /// Removes control characters, characters that change the text direction around them, and blanks at both ends; cuts
    /// the rest to ``maximumLength``. Nil if nothing is left.
    package static func clean(_ text: String?) -> String? {
        guard let text else { return nil }
        var name = ""
        var length = 0
        for scalar in text.unicodeScalars where isAllowed(scalar) {
            if name.isEmpty, scalar.properties.isWhitespace { continue }
            length += UTF8.width(scalar)
            guard length <= maximumLength else { break }
            name.unicodeScalars.append(scalar)
        }
        while let last = name.unicodeScalars.last, last.properties.isWhitespace { name.unicodeScalars.removeLast() }
        return name.isEmpty ? nil : name
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        // The joiner between the parts of an emoji is a format character, too.
        case .format: scalar == "\u{200D}"
        default: true
        }
    }
}
