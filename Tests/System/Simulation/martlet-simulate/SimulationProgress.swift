// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Simulation

/// The progress of a simulation, a line a second.
struct SimulationProgress {
    private let gateways: Int
    private var before = SimulationCounts()
    private var second = 0

    init(gateways: Int) { self.gateways = gateways }

    /// Events since the last line, a second ago.
    mutating func line(_ counts: SimulationCounts, isEnding: Bool) -> String {
        second += 1
        defer { before = counts }
        let latencies = counts.latencies.since(before.latencies)
        var parts = [
            isEnding
                ? "\(counts.over) of \(gateways) have said goodbye" : "\(counts.connected) of \(gateways) connected",
            "\(counts.published - before.published) published/s",
            "\(counts.acknowledged - before.acknowledged) acknowledged/s",
            "\(counts.inFlight) in flight",
        ]
        if let median = latencies.quantile(0.5), let high = latencies.quantile(0.99) {
            parts.append("p50 \(Self.milliseconds(median)) ms, p99 \(Self.milliseconds(high)) ms")
        }
        if counts.reconnects > 0 { parts.append("\(counts.reconnects) reconnections") }
        let failures = counts.failures.values.reduce(0, +)
        if failures > 0 { parts.append("\(failures) failed tries") }
        if counts.skipped > 0 { parts.append("\(counts.skipped) never made") }
        return "\(second) s: " + parts.joined(separator: ", ")
    }

    private static func milliseconds(_ time: Duration) -> String {
        SimulationText.number(time / .milliseconds(1))
    }
}
