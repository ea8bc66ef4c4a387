// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Files of the checkout that tests make, whole or in part. `MARTLET_WRITE=1 make unit TEST=…` writes them. Without the variable, a
/// file has to be as the test would write it.
package enum MadeFile {
    package struct NoMark: Error { package let mark: String }

    private static let isWriting = ProcessInfo.processInfo.environment["MARTLET_WRITE"] != nil

    /// Whether the file is `text`.
    ///
    /// - Parameter path: A path from the root of the checkout.
    package static func holds(_ text: String, at path: String) throws -> Bool {
        if isWriting { try text.write(to: Checkout.url(path), atomically: true, encoding: .utf8) }
        return try Checkout.text(path) == text
    }

    /// Whether the file has `part` behind a mark.
    ///
    /// - Parameter end: The mark behind the part; nil where the part is the end of the file.
    package static func holds(_ part: String, at path: String, from begin: String, to end: String? = nil) throws -> Bool
    {
        let text = try Checkout.text(path)
        guard let start = text.range(of: begin) else { throw NoMark(mark: begin) }
        let rest = text[start.upperBound...]
        guard let stop = end.map({ rest.range(of: $0)?.lowerBound }) ?? rest.endIndex else {
            throw NoMark(mark: end ?? "")
        }
        return try holds(text[..<start.upperBound] + part + rest[stop...], at: path)
    }

    /// Whether the file is a list of sentences for a test of the page, in the order of the alphabet.
    ///
    /// - Parameter about: The words with which the file tells its origin.
    package static func holds(sentences: Set<String>, about: String, at path: String) throws -> Bool {
        struct Sentences: Encodable {
            let about: String
            let sentences: [String]
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let octets = try encoder.encode(Sentences(about: about, sentences: sentences.sorted()))
        return try holds(String(decoding: octets, as: UTF8.self) + "\n", at: path)
    }
}
