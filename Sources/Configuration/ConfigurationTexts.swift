// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Parses the texts of configuration files. A file with the text of its last parse is not parsed again: an operation reads the
/// files several times, to check a change, to try it out and to keep it.
package final class ConfigurationTexts: Sendable {
    fileprivate struct Parsed: Sendable {
        let text: String
        let document: TOMLDocument
    }

    fileprivate struct State {
        /// By the file's name.
        var last: [String: Parsed] = [:]
        /// Octets of the texts in ``last``.
        var size = 0
        var parses: [String: Int] = [:]
    }

    /// Octets of the remembered texts at most. A larger text is parsed each time.
    package static let limit = 64 << 10

    private let state = Mutex(State())

    package init() {}

    /// How often a text of each file was parsed, by the file's name: for tests.
    package var parses: [String: Int] { state.withLock { $0.parses } }

    /// The parsed text, or its first mistake.
    package func document(of text: String, file: String) throws(ConfigurationError) -> TOMLDocument {
        if let last = state.withLock({ $0.last[file] }), last.text == text { return last.document }
        let document = try TOMLDocument(text, file: file)
        state.withLock { $0.remember(Parsed(text: text, document: document), of: file) }
        return document
    }
}

extension ConfigurationTexts.State {
    fileprivate mutating func remember(_ parsed: ConfigurationTexts.Parsed, of file: String) {
        // Files of a folder come and go.
        if parses.count >= 256, parses[file] == nil { parses = [:] }
        parses[file, default: 0] += 1
        size -= last.removeValue(forKey: file)?.text.utf8.count ?? 0
        let octets = parsed.text.utf8.count
        guard octets <= ConfigurationTexts.limit else { return }
        if size + octets > ConfigurationTexts.limit { (last, size) = ([:], 0) }
        last[file] = parsed
        size += octets
    }
}
