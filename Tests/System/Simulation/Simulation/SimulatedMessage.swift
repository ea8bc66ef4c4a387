// SPDX-License-Identifier: Apache-2.0

/// One reading of a simulated sensor. The reading and the seed determine its values, so that a repeat has equal values.
package struct SimulatedReading: Equatable, Sendable {
    /// The payload's `n`: from 1, without a gap.
    package var n: Int64
    /// From 0.
    package var sensor: Int
    /// Milliseconds since the gateway's start.
    package var uptimeMilliseconds: Int64
    /// Milliseconds since 1970 UTC.
    package var unixMilliseconds: Int64
}

/// A message of a simulated gateway.
package enum SimulatedMessage: Equatable, Sendable {
    case online
    case information
    /// For an available sensor, numbered from 0.
    case availability(Int)
    case reading(SimulatedReading)
    /// The statistics, with QoS 0.
    case statistics
    case offline
    /// Makes the broker forget the retained message on the topic of this message.
    indirect case erasure(SimulatedMessage)

    /// The broker sends no acknowledgement.
    var isUnacknowledged: Bool { self == .statistics }

    var reading: SimulatedReading? { if case .reading(let reading) = self { reading } else { nil } }
}
