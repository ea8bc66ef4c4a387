// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The flight recorder's recordings in a support bundle.
package enum SupportRecordings {
    /// What each part of a bundle begins with, before its title.
    static let border = "===== "
    /// What the title of a recording begins with; when and why it was kept follow.
    static let title = "flight recorder, "

    /// The recordings in a text, in their order: when and why each was kept, and its btsnoop file; nil where that cannot be read, as
    /// when lines are missing.
    package static func find(in text: String) -> [(when: String, file: [UInt8]?)] {
        var found: [(when: String, file: [UInt8]?)] = []
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)[...]
        while let line = lines.popFirst() {
            guard line.hasPrefix(border + title) else { continue }
            let when = line.dropFirst(border.count + title.count)
            let part = lines.prefix { !$0.hasPrefix(border) }
            lines = lines[part.endIndex...]
            // The first one says what follows.
            let digits = part.dropFirst().joined()
            let data = Data(base64Encoded: digits, options: .ignoreUnknownCharacters)
            found.append((String(when), data.flatMap { $0.isEmpty ? nil : [UInt8]($0) }))
        }
        return found
    }
}
