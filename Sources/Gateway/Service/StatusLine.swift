// SPDX-License-Identifier: Apache-2.0

import Collector
import Health
import Publisher
import Readings

/// The line of `systemctl status`: first the problems that need a person, then the gateway's work.
enum StatusLine {
    static func text(_ status: GatewayStatus) -> String {
        // The connection has words of its own below.
        var parts = status.failures.filter { $0.code != .brokerUnreachable }.map { "\($0.part): \($0.text)" }
        let sensors = status.collector.sensors
        let collecting = status.isRadioDown ? 0 : sensors.count { $0.health.isPresent }
        let sum = sensors.isEmpty ? "no sensors yet" : sum(collecting, sensors.count)
        let awaited = status.collector.awaited
        // The line has room for one name of each list.
        let unseen = awaited.filter { $0.refused == nil }
        let refused = awaited.filter { $0.refused != nil }
        let words = [named(unseen, "not seen yet"), named(refused, refused.first?.shortState ?? "")]
        parts.append(([sum] + words.compactMap { $0 }).joined(separator: ", "))
        parts.append(broker(status.mqtt))
        let waiting = status.journal.buffered + status.journal.waiting
        if waiting > 0 { parts.append("\(waiting) readings not delivered yet") }
        return parts.joined(separator: "; ")
    }

    private static func sum(_ collecting: Int, _ all: Int) -> String {
        if collecting > 0 { return "collecting from \(collecting) of \(all) sensors" }
        return all == 1 ? "no values come from the sensor" : "no values come from the \(all) sensors"
    }

    private static func named(_ awaited: [AwaitedSensor], _ state: String) -> String? {
        guard let first = awaited.first else { return nil }
        return "\(awaited.count == 1 ? first.entry : "\(awaited.count) entries") \(state)"
    }

    private static func broker(_ mqtt: PublisherStatistics) -> String {
        if mqtt.connected { return "connected to \(mqtt.broker)" }
        return "not connected to \(mqtt.broker)" + (mqtt.lastError.map { " (\($0))" } ?? "")
    }
}
