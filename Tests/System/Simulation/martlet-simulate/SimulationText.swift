// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Publisher
import Simulation

/// The texts of `martlet-simulate` for people: its plan, and its result.
enum SimulationText {
    static func intention(_ plan: SimulationPlan, seconds: Double) -> [String] {
        let names = plan.gateways == 1 ? "1 gateway" : "\(plan.gateways) gateways"
        let retained =
            !plan.mqtt.retain
            ? "nothing is retained"
            : plan.clears ? "the retained state is taken back in the end" : "the retained state stays at the broker"
        return [
            "\(names) with \(plan.sensors) sensors each: \(number(plan.rate)) readings a second to "
                + "\(plan.mqtt.brokerNames), below \(Output.plain(plan.mqtt.topicPrefix))/, for \(number(seconds)) s after "
                + "\(number(plan.rampTime / .seconds(1))) s of connecting; \(retained).",
            "Ctrl-C ends it in order.",
        ]
    }

    static func lines(_ report: SimulationReport) -> [String] {
        let latency = report.latencyMs
        var lines = [
            "gateways        \(report.gateways), with \(report.sensors) sensors, MQTT \(report.mqttVersion), "
                + "\(number(report.seconds)) s",
            "connections     \(report.connects), of these \(report.reconnects) reconnections",
            "readings        \(report.published) published, of these \(report.repeated) repeats",
            "acknowledged    \(report.acknowledged), \(number(report.acknowledgedPerSecond)) a second",
            "unacknowledged  \(report.unacknowledged)",
            "other messages  \(report.otherMessages)",
        ]
        if let p50 = latency.p50, let p90 = latency.p90, let p99 = latency.p99, let max = latency.max {
            lines.append(
                "latency         p50 \(number(p50)) ms, p90 \(number(p90)) ms, p99 \(number(p99)) ms, max \(number(max)) ms"
            )
        }
        if report.skipped > 0 {
            lines.append(
                "! \(report.skipped) readings were never made: the broker did not take those before them in time")
        }
        if report.neverConnected > 0 { lines.append("! \(report.neverConnected) gateways were never connected") }
        if report.unfinished > 0 { lines.append("! \(report.unfinished) gateways had no time to say goodbye") }
        lines += reasons("readings refused", report.refused)
        lines += reasons("connections lost", report.losses)
        lines += reasons("connections not made", report.failures)
        return lines
    }

    private static func reasons(_ title: String, _ reasons: [String: Int]) -> [String] {
        reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
            "! \($1) \(title): \(Output.plain(withOptions($0)))"
        }
    }

    /// Replaces keys of a gateway's configuration in advice by options.
    static func withOptions(_ advice: String) -> String {
        let names: KeyValuePairs = [
            "mqtt.tls.enabled = true": "--tls", "mqtt.tls.enabled = false": "leave out --tls and --ca",
            "mqtt.host, mqtt.port": "--broker", "mqtt.host": "--broker", "mqtt.port": "--broker",
            "mqtt.brokers": "--broker", "mqtt.username": "--username", "mqtt.password_file": "--password-file",
            "mqtt.password": "--password-file", "mqtt.retain = false": "--no-retain",
            "mqtt.topic_prefix": "--topic-prefix", "mqtt.tls.ca_file": "--ca",
        ]
        return names.reduce(advice) { $0.replacing($1.key, with: $1.value) }
    }

    /// A number with few digits, for a person.
    static func number(_ number: Double) -> String {
        if number >= 100 || number == number.rounded() { return "\(Int(min(number, 1e15).rounded()))" }
        let places: Double = number >= 10 ? 10 : 100
        return "\((number * places).rounded() / places)"
    }
}
