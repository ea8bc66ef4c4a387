// SPDX-License-Identifier: Apache-2.0

/// The work of some gateways since the simulation began.
package struct SimulationCounts: Equatable, Sendable {
    /// Gateways that are connected now, and gateways that have said goodbye.
    package var connected = 0
    package var over = 0
    /// Gateways that have ever been connected.
    package var reached = 0
    /// Connections that the broker has accepted.
    package var connects = 0
    /// Readings sent, repeats included.
    package var published = 0
    package var repeated = 0
    /// Readings that the broker has acknowledged, each once.
    package var acknowledged = 0
    /// Readings that the broker refused, by reason.
    package var refused: [String: Int] = [:]
    /// Readings that were never made because earlier readings could not go out.
    package var skipped = 0
    /// Readings made and not acknowledged.
    package var unacknowledged = 0
    /// Messages on their way now, of all kinds.
    package var inFlight = 0
    /// Other messages: status, information, availability, statistics, and the messages that take them back.
    package var others = 0
    /// Connections that ended early, by reason.
    package var losses: [String: Int] = [:]
    /// Failed connections, by reason.
    package var failures: [String: Int] = [:]
    /// The latencies of readings.
    package var latencies = LatencyHistogram()

    package init() {}

    /// Connections beyond the first of each gateway.
    package var reconnects: Int { connects - reached }

    package mutating func add(_ other: SimulationCounts) {
        connected += other.connected
        over += other.over
        reached += other.reached
        connects += other.connects
        published += other.published
        repeated += other.repeated
        acknowledged += other.acknowledged
        refused.merge(other.refused, uniquingKeysWith: +)
        skipped += other.skipped
        unacknowledged += other.unacknowledged
        inFlight += other.inFlight
        others += other.others
        losses.merge(other.losses, uniquingKeysWith: +)
        failures.merge(other.failures, uniquingKeysWith: +)
        latencies.add(other.latencies)
    }

    /// Counts a reason, within bounds: reasons may contain words of the broker's.
    static func count(_ reason: String, in reasons: inout [String: Int]) {
        let key = reasons[reason] != nil || reasons.count < 32 ? reason : "other"
        reasons[key, default: 0] += 1
    }
}
