// SPDX-License-Identifier: Apache-2.0

/// The topics of a subscription: a topic, where `+` stands for one level, and `#` at the end for this level and all
/// below. MQTT 5.0, 4.7.
package struct TopicFilter: Hashable, Sendable, CustomStringConvertible {
    /// 1…65,535 octets of UTF-8.
    package let text: String
    /// Some MQTT 5 brokers refuse filters with wildcards. MQTT 5.0, 3.2.2.3.11.
    package let hasWildcards: Bool

    package init(_ text: String) throws(TopicFault) {
        try TopicFault.check(text)
        guard !text.utf8.starts(with: "$share/".utf8) else { throw .shared }
        // By octets: a sign with an accent on it is a different character.
        let levels = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (place, level) in levels.enumerated() where level.contains(where: Self.isWildcard) {
            guard level.count == 1, level.first == UInt8(ascii: "+") || place == levels.count - 1 else {
                throw .wildcard
            }
        }
        self.text = text
        hasWildcards = text.utf8.contains(where: Self.isWildcard)
    }

    static func isWildcard(_ octet: UInt8) -> Bool { octet == UInt8(ascii: "+") || octet == UInt8(ascii: "#") }

    package var description: String { text }
}
