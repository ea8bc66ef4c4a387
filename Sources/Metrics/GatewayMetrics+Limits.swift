// SPDX-License-Identifier: Apache-2.0

import Gateway
import Limits

/// The limits of sensors, and the ways of their events.
extension GatewayMetrics {
    func ofLimits(_ out: inout MetricsText) {
        out.begin("martlet_limit_crossed", .gauge, "1 while a limit of the sensor is crossed.")
        for limit in status.limits ?? [] {
            let labels = [
                (name: "device", value: limit.sensor), (name: "quantity", value: limit.quantity ?? ""),
                (name: "side", value: limit.side.rawValue),
            ]
            out.sample("martlet_limit_crossed", labels, limit.isCrossed ? 1 : 0)
        }
        let deliveries = status.limitDeliveries ?? LimitDeliveries()
        out.single(
            "martlet_limit_events_total", .counter, "Crossings of limits, and their ends.", Double(deliveries.events))
        let readers = LimitQueue.Reader.allCases.map(\.rawValue)
        out.begin("martlet_limit_events_waiting", .gauge, "Waiting events of limits, by reader.")
        for reader in readers {
            out.sample("martlet_limit_events_waiting", [("to", reader)], Double(deliveries.waiting[reader] ?? 0))
        }
        out.begin("martlet_limit_events_dropped_total", .counter, "Dropped events of limits, by reader and reason.")
        for reader in readers {
            for reason in LimitQueue.DropReason.allCases.map(\.rawValue) {
                let count = deliveries.dropped[reader]?[reason] ?? 0
                out.sample("martlet_limit_events_dropped_total", [("to", reader), ("reason", reason)], Double(count))
            }
        }
        out.begin("martlet_webhook_requests_total", .counter, "Requests to the webhook, by result.")
        guard let webhook = deliveries.webhook else { return }
        for (result, count) in [("taken", webhook.delivered), ("failed", webhook.failed)] {
            out.sample("martlet_webhook_requests_total", [("result", result)], Double(count))
        }
    }
}
