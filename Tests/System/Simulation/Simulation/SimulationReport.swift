// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The result of a simulation; the object of `martlet-simulate --json`.
package struct SimulationReport: Codable, Equatable, Sendable {
    /// Milliseconds from a message to its acknowledgement; nil without any.
    package struct Latency: Codable, Equatable, Sendable {
        package var p50: Double?
        package var p90: Double?
        package var p99: Double?
        package var max: Double?

        package init(_ latencies: LatencyHistogram) {
            func milliseconds(_ time: Duration?) -> Double? {
                time.map { ($0 / .microseconds(10)).rounded() / 100 }
            }
            p50 = milliseconds(latencies.quantile(0.5))
            p90 = milliseconds(latencies.quantile(0.9))
            p99 = milliseconds(latencies.quantile(0.99))
            max = latencies.count > 0 ? milliseconds(latencies.longest) : nil
        }
    }

    package var gateways: Int
    package var sensors: Int
    package var mqttVersion: String
    /// Seconds, from the first connection to the last goodbye.
    package var seconds: Double
    package var connects: Int
    package var reconnects: Int
    /// Gateways that were never connected.
    package var neverConnected: Int
    /// Gateways that had not said goodbye at the end of the time: their retained messages are still at the broker.
    package var unfinished: Int
    /// Readings sent, repeats included.
    package var published: Int
    package var repeated: Int
    /// Acknowledged readings, each once.
    package var acknowledged: Int
    package var unacknowledged: Int
    package var refused: [String: Int]
    /// Readings that were never made because the broker did not take earlier readings in time.
    package var skipped: Int
    /// Other messages: status, information, availability, statistics, and the messages that take them back.
    package var otherMessages: Int
    /// Acknowledged readings a second, over the whole time.
    package var acknowledgedPerSecond: Double
    package var latencyMs: Latency
    /// Connections that ended early, by reason.
    package var losses: [String: Int]
    /// Failed connections, by reason.
    package var failures: [String: Int]

    package init(_ plan: SimulationPlan, _ counts: SimulationCounts, mqttVersion: String, time: Duration) {
        gateways = plan.gateways
        sensors = plan.gateways * plan.sensors
        self.mqttVersion = mqttVersion
        seconds = (time / .milliseconds(100)).rounded() / 10
        connects = counts.connects
        reconnects = counts.reconnects
        neverConnected = plan.gateways - counts.reached
        unfinished = plan.gateways - counts.over
        published = counts.published
        repeated = counts.repeated
        acknowledged = counts.acknowledged
        unacknowledged = counts.unacknowledged
        refused = counts.refused
        skipped = counts.skipped
        otherMessages = counts.others
        acknowledgedPerSecond =
            (Double(counts.acknowledged) / max(time / .seconds(1), 0.001) * 10).rounded() / 10
        latencyMs = Latency(counts.latencies)
        losses = counts.losses
        failures = counts.failures
    }

    /// Every gateway was connected, and the broker has all readings.
    package var isGood: Bool { unacknowledged == 0 && refused.isEmpty && neverConnected == 0 && unfinished == 0 }
}
