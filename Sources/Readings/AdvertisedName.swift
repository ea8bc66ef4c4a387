// SPDX-License-Identifier: Apache-2.0

/// What a sensor calls itself, fit for payloads and logs. It comes from the air, and anybody can send anything.
package enum AdvertisedName {
    /// Octets of UTF-8. An advertisement has room for 29, the Device Name characteristic for 248, in each of a sensor's messages.
    package static let maximumLength = 64

    /// Without control characters, without those that change the order of what stands around them, and without blanks at its
    /// ends; cut to ``maximumLength``. Nil when nothing is left.
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
        // What joins the parts of an emoji is one of these, too.
        case .format: scalar == "\u{200D}"
        default: true
        }
    }
}
