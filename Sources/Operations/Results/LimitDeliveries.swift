// SPDX-License-Identifier: Apache-2.0

/// The events of limits and their ways out, for the status.
package struct LimitDeliveries: Codable, Equatable, Sendable {
    /// Events since the start.
    package var events = 0
    /// Events that wait, by reader: `mqtt`, `webhook`.
    package var waiting: [String: Int] = [:]
    /// Events given up since the start, by reader and reason.
    package var dropped: [String: [String: Int]] = [:]
    /// Nil without a webhook.
    package var webhook: WebhookStatus?

    package init() {}
}

/// The state of the webhook.
package struct WebhookStatus: Codable, Equatable, Sendable {
    /// The name of the server; the rest of the address may be a secret.
    package var server: String
    /// Events that the server has taken since the start.
    package var delivered = 0
    /// Tries that failed since the start.
    package var failed = 0
    /// Why the last try failed; nil after a success.
    package var lastError: String?

    package init(server: String) { self.server = server }
}
