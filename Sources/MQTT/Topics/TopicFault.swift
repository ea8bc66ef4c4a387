// SPDX-License-Identifier: Apache-2.0

/// Why a text is no topic name, or no topic filter. MQTT 5.0, 4.7.
package enum TopicFault: Error, Equatable, Sendable {
    case empty
    /// More than 65,535 octets of UTF-8.
    case tooLong(Int)
    /// A control character or a non-character: the other side may end the connection over them. MQTT 5.0, 1.5.4.
    case character
    /// A wildcard in a name; in a filter, a wildcard beside other characters on its level, or `#` before the last
    /// level. MQTT 5.0, 4.7.1.
    case wildcard
    /// The broker chooses which member of a shared subscription gets a message: a gateway has no use for shared
    /// subscriptions. MQTT 5.0, 4.8.2.
    case shared

    /// Checks the rules that hold for names and for filters. MQTT 5.0, 4.7.3.
    static func check(_ text: String) throws(TopicFault) {
        guard !text.isEmpty else { throw .empty }
        guard text.utf8.count <= MQTTText.longest else { throw .tooLong(text.utf8.count) }
        guard MQTTText.isPlain(text) else { throw .character }
    }
}

extension TopicFault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty: "a topic has at least one character"
        case .tooLong(let octets): "a topic has at most 65535 octets, not \(octets)"
        case .character: "a topic has no control characters"
        case .wildcard: "+ and # stand for whole levels, # for the last ones, and only in a filter"
        case .shared: "shared subscriptions are not supported"
        }
    }
}
