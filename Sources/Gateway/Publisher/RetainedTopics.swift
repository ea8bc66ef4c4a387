// SPDX-License-Identifier: Apache-2.0

/// The topics on which brokers retain a sensor's availability, kept in the journal over restarts: what the gateway has said
/// there must be taken back when the sensor is removed.
struct RetainedTopics: Sendable {
    private static let prefix = "retained:"

    let journal: Journal

    /// The devices, by topic.
    var all: [String: String] { journal.identifiers(withPrefix: Self.prefix) }

    /// Notes that a broker will retain what is said of `device`; to be called before that is sent.
    func note(_ topic: String, of device: String) { journal.setIdentifier(device, for: Self.prefix + topic) }

    /// Notes that the broker retains nothing on the topic any more.
    func forget(_ topic: String) {
        guard journal.identifier(for: Self.prefix + topic) != nil else { return }
        journal.setIdentifier("", for: Self.prefix + topic)
    }
}
