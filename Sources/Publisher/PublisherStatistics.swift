// SPDX-License-Identifier: Apache-2.0

/// How the way to the broker is doing. Counts begin with the process.
package struct PublisherStatistics: Codable, Equatable, Sendable {
    package var connected = false
    /// `host:port` of the broker in use, or of the one tried last.
    package var broker: String
    /// `5.0` or `3.1.1`; nil before the first connection.
    package var protocolVersion: String?
    /// Messages with readings that were sent, repeats included.
    package var published = 0
    /// Messages with readings that the broker acknowledged.
    package var acknowledged = 0
    /// Of the messages acknowledged, those to `…/state`.
    package var liveAcknowledged: Int?
    /// How long the broker took to acknowledge them.
    package var acknowledgementTimes: AcknowledgementTimes?
    /// Of the messages sent, those to `…/state`.
    package var live = 0
    /// Of the messages sent, those to `…/history`.
    package var history = 0
    /// Readings that a minimum interval or a dead band kept from `…/state`.
    package var suppressed = 0
    /// `normal`, `paused` or `draining`.
    package var historyMode = "normal"
    /// Messages sent and not acknowledged yet.
    package var inFlight = 0
    /// Sensors whose readings the broker refuses now; nil: none.
    package var refusedSensors: Int?
    /// Connections made after the first.
    package var reconnects = 0
    /// The step of the try that goes on: `name`, `connect`, `tls`, `broker` (CONNECT has gone out), or `subscriptions`
    /// (SUBSCRIBE has, on a connection that stands); nil between two tries, and once all is answered.
    package var step: String?
    /// What went wrong last, in words for a person; nil when nothing has since the last connection was made.
    package var lastError: String?

    package init(broker: String) { self.broker = broker }
}
