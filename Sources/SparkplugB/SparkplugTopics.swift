// SPDX-License-Identifier: Apache-2.0

/// The topics of one edge node. Sparkplug 3.0, 4.
package struct SparkplugTopics: Equatable, Sendable {
    /// The messages of a node and of a device.
    package enum Kind: String, Sendable {
        case birth = "BIRTH"
        case data = "DATA"
        case death = "DEATH"
        case command = "CMD"
    }

    private let group: String
    private let node: String

    /// - Parameters: Both are one level of a topic each, without `+`, `#` and `/`.
    package init(group: String, node: String) { (self.group, self.node) = (group, node) }

    package func node(_ kind: Kind) -> String { "spBv1.0/\(group)/N\(kind.rawValue)/\(node)" }

    /// - Parameter device: One level of a topic.
    package func device(_ device: String, _ kind: Kind) -> String {
        "spBv1.0/\(group)/D\(kind.rawValue)/\(node)/\(device)"
    }

    /// The topic on which a host application announces its state.
    package static func state(of host: String) -> String { "spBv1.0/STATE/\(host)" }
}
