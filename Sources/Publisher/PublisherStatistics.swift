// SPDX-License-Identifier: Apache-2.0

/// The state of the way to the broker. Counts begin with the process.
package struct PublisherStatistics: Codable, Equatable, Sendable {
    package var connected = false
    /// `host:port` of the present or last tried broker.
    package var broker: String
    /// `5.0` or `3.1.1`; nil before the first connection.
    package var protocolVersion: String?
    /// Sent messages with readings, with repeats.
    package var published = 0
    /// Acknowledged messages with readings.
    package var acknowledged = 0
    /// Acknowledged messages to `…/state`.
    package var liveAcknowledged: Int?
    /// The broker's times for these acknowledgements.
    package var acknowledgementTimes: AcknowledgementTimes?
    /// Sent messages to `…/state`.
    package var live = 0
    /// Sent messages to `…/history`.
    package var history = 0
    /// Readings that a minimum interval or a dead band kept from `…/state`.
    package var suppressed = 0
    /// `normal`, `paused` or `draining`.
    package var historyMode = "normal"
    /// Messages that wait for their acknowledgement.
    package var inFlight = 0
    /// Sensors whose readings the broker refuses now; nil: none.
    package var refusedSensors: Int?
    /// Another gateway lives under this gateway's name; nil: none.
    package var namesake: Bool?
    /// Connections made after the first.
    package var reconnects = 0
    /// The step of the present attempt: `name`, `connect`, `tls`, `broker` (CONNECT has gone out), or `subscriptions`
    /// (SUBSCRIBE has gone out on the connection); nil between two attempts, and after the last answer.
    package var step: String?
    /// The last error, in words for a person; nil without an error since the start of the last connection.
    package var lastError: String?

    package init(broker: String) { self.broker = broker }
}
