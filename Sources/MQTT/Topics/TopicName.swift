// SPDX-License-Identifier: Apache-2.0

/// What a message can be published to: no wildcards. MQTT 5.0, 4.7.
package struct TopicName: Hashable, Sendable, CustomStringConvertible {
    /// 1…65,535 octets of UTF-8.
    package let text: String

    package init(_ text: String) throws(TopicFault) {
        try TopicFault.check(text)
        // By octets: as a character, a sign with an accent on it is another.
        guard !text.utf8.contains(where: TopicFilter.isWildcard) else { throw .wildcard }
        self.text = text
    }

    package var description: String { text }
}
