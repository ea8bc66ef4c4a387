// SPDX-License-Identifier: Apache-2.0

/// One reading of a simulated sensor. Its values follow from it and the seed, so that a repeat has the same ones.
package struct SimulatedReading: Equatable, Sendable {
    /// The payload's `n`: from 1, without a hole.
    package var n: Int64
    /// From 0.
    package var sensor: Int
    /// Milliseconds since the gateway's start.
    package var uptimeMilliseconds: Int64
    /// Milliseconds since 1970 UTC.
    package var unixMilliseconds: Int64
}

/// What a simulated gateway says next.
package enum SimulatedMessage: Equatable, Sendable {
    case online
    case information
    /// Of a sensor, from 0, that is there.
    case availability(Int)
    case reading(SimulatedReading)
    /// The books, with QoS 0.
    case statistics
    case offline
    /// Has the broker forget what is retained on the topic of the message.
    indirect case erasure(SimulatedMessage)

    /// Nobody acknowledges it.
    var isUnacknowledged: Bool { self == .statistics }

    var reading: SimulatedReading? { if case .reading(let reading) = self { reading } else { nil } }
}
