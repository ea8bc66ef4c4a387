// SPDX-License-Identifier: Apache-2.0

/// The name of an operation, written once: in the file of its row, or, where advice speaks of the operation, here. A name is
/// the verb of the command line, with hyphens between words.
package struct OperationName: Sendable {
    package let rawValue: String
    /// The last word of the verb: `pause` of `martlet buffer pause`.
    package let word: String

    /// - Parameter group: The verb's first word, for a verb of two words.
    package init(_ word: String, of group: String? = nil) {
        self.word = word
        rawValue = (group.map { $0 + "-" } ?? "") + word
    }

    /// The command line's verb: `buffer pause`.
    package var verb: String { rawValue == word ? word : String(rawValue.dropLast(word.count + 1)) + " " + word }

    /// The first words of verbs of two words.
    package static let buffer = "buffer"
    package static let clockGroup = "clock"
    package static let provisionGroup = "provision"
}

extension OperationName: Hashable, CustomStringConvertible {
    package static func == (one: Self, other: Self) -> Bool { one.rawValue == other.rawValue }
    package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
    package var description: String { rawValue }
}

extension OperationName: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
