// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The flight recorder's recordings in a support bundle.
package enum SupportRecordings {
    /// The beginning of each part of a bundle, before the part's title.
    static let border = "===== "
    /// The beginning of a recording's title. The time and the reason follow.
    static let title = "flight recorder, "

    /// The recordings in a text, in their order: time and reason of each, and its btsnoop file; nil for an unreadable
    /// file, for example with missing lines.
    package static func find(in text: String) -> [(when: String, file: [UInt8]?)] {
        var found: [(when: String, file: [UInt8]?)] = []
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)[...]
        while let line = lines.popFirst() {
            guard line.hasPrefix(border + title) else { continue }
            let when = line.dropFirst(border.count + title.count)
            let part = lines.prefix { !$0.hasPrefix(border) }
            lines = lines[part.endIndex...]
            // The first line is an explanation.
            let digits = part.dropFirst().joined()
            let data = Data(base64Encoded: digits, options: .ignoreUnknownCharacters)
            found.append((String(when), data.flatMap { $0.isEmpty ? nil : [UInt8]($0) }))
        }
        return found
    }
}
