// SPDX-License-Identifier: Apache-2.0

/// How the way to the broker is doing. Counts begin with the process.
package struct PublisherStatistics: Codable, Equatable, Sendable {
    package var connected = false
    /// `host:port`.
    package var broker: String
    /// `5.0` or `3.1.1`; nil before the first connection.
    package var protocolVersion: String?
    /// Messages with readings that were sent, repeats included.
    package var published = 0
    /// Messages with readings that the broker acknowledged.
    package var acknowledged = 0
    /// Messages sent and not acknowledged yet.
    package var inFlight = 0
    /// Connections made after the first.
    package var reconnects = 0
    /// What went wrong last, in words for a person; nil when nothing has since the last connection was made.
    package var lastError: String?

    package init(broker: String) { self.broker = broker }
}
