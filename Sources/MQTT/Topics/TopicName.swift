// SPDX-License-Identifier: Apache-2.0

/// A topic to publish to: no wildcards. MQTT 5.0, 4.7.
package struct TopicName: Hashable, Sendable, CustomStringConvertible {
    /// 1…65,535 octets of UTF-8.
    package let text: String

    package init(_ text: String) throws(TopicFault) {
        try TopicFault.check(text)
        // By octets: a sign with an accent on it is a different character.
        guard !text.utf8.contains(where: TopicFilter.isWildcard) else { throw .wildcard }
        self.text = text
    }

    package var description: String { text }
}
