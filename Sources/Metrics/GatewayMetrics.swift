// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Gateway
import Health
import Platform
import Publisher
import Readings

/// A gateway's metrics for Prometheus: docs/metrics.md has the table. Only accepted sensors have series, so that
/// strangers make none.
package struct GatewayMetrics {
    let status: GatewayStatus

    package init(_ status: GatewayStatus) { self.status = status }

    /// The text of `/metrics`.
    package var text: String {
        var common: [Label] = []
        if let site = status.site { common.append(("site", site)) }
        var out = MetricsText(common)
        ofGateway(&out)
        ofDelivery(&out)
        ofRadio(&out)
        ofSensors(&out)
        ofLimits(&out)
        ofExpected(&out)
        ofBatteries(&out)
        ofProblems(&out)
        return out.text
    }

    private func ofGateway(_ out: inout MetricsText) {
        out.begin("martlet_build_info", .gauge, "The program; always 1.")
        out.sample("martlet_build_info", [("version", status.version), ("gateway", status.gateway)], 1)
        out.single(
            "martlet_uptime_seconds", .gauge, "Since the gateway started.", Double(status.uptimeS))
        out.single(
            "martlet_clock_synchronized", .gauge,
            "1 while the clock is synchronised.",
            status.clock == "synced" ? 1 : 0)
        // Each code has a series from the start, so that the first problem is not missed.
        let counts = Dictionary(grouping: status.openProblems, by: \.code).mapValues(\.count)
        out.begin("martlet_problems", .gauge, "Problems shown now, by code.")
        for code in ProblemCode.allCases where code != .sensorMaintenance {
            out.sample("martlet_problems", [("code", code.rawValue)], Double(counts[code] ?? 0))
        }
        let known = Dictionary(grouping: (status.problems ?? []).filter { $0.severity == .notice }, by: \.code)
        out.begin("martlet_problems_known", .gauge, "Acknowledged problems, and sensors in maintenance, by code.")
        for code in ProblemCode.allCases {
            out.sample("martlet_problems_known", [("code", code.rawValue)], Double(known[code]?.count ?? 0))
        }
        out.single(
            "process_resident_memory_bytes", .gauge, "Memory in use.",
            status.system?.memory.map { Double($0.residentBytes) })
        out.single(
            "martlet_own_memory_bytes", .gauge, "Memory that the gateway has allocated.",
            status.system?.memory.map { Double($0.ownBytes) })
        out.single(
            "martlet_disk_free_bytes", .gauge, "Free on the disk with the journal.",
            status.system?.disk.map { Double($0.freeBytes) })
    }

    private func ofDelivery(_ out: inout MetricsText) {
        let (journal, mqtt) = (status.journal, status.mqtt)
        out.begin("martlet_readings_dropped_total", .counter, "Readings dropped, by reason, since the journal began.")
        for reason in DropReason.all {
            out.sample(
                "martlet_readings_dropped_total", [("reason", reason.rawValue)],
                Double(journal.dropped[reason.rawValue] ?? 0))
        }
        out.single(
            "martlet_buffer_rows", .gauge, "Readings on disk that the broker does not have.", Double(journal.buffered))
        out.single(
            "martlet_buffer_oldest_age_seconds", .gauge, "Age of the oldest of them; 0 when there is none.",
            journal.oldestAgeSeconds ?? 0)
        out.single("martlet_buffer_bytes", .gauge, "Size of the journal on disk.", Double(journal.bytes))
        out.single(
            "martlet_storage_written_bytes_total", .counter, "Written to the disk since the gateway started.",
            Double(journal.bytesWritten))
        out.single("martlet_mqtt_connected", .gauge, "1 while the broker is connected.", mqtt.connected ? 1 : 0)
        out.single(
            "martlet_mqtt_reconnects_total", .counter, "Connections made after the first.", Double(mqtt.reconnects))
        if let refused = status.commandsRefused {
            let name = "martlet_mqtt_commands_refused_total"
            out.begin(name, .counter, "Commands that came too often, by verb.")
            for (verb, count) in refused.sorted(by: { $0.key < $1.key }) {
                out.sample(name, [("verb", verb)], Double(count))
            }
        }
        out.begin(
            "martlet_mqtt_publishes_total", .counter, "Messages with readings, by lane: sent, and acknowledged.")
        let live = mqtt.liveAcknowledged ?? 0
        for (lane, sent, acknowledged) in [
            ("live", mqtt.live, live), ("history", mqtt.history, mqtt.acknowledged - live),
        ] {
            for (result, count) in [("sent", sent), ("acknowledged", acknowledged)] {
                out.sample("martlet_mqtt_publishes_total", [("lane", lane), ("result", result)], Double(count))
            }
        }
        guard let times = mqtt.acknowledgementTimes else { return }
        let name = "martlet_mqtt_puback_seconds"
        out.begin(name, .histogram, "From sending a message with readings to the broker's acknowledgement.")
        var sum = 0
        for (bound, count) in zip(AcknowledgementTimes.bounds, times.buckets) {
            sum += count
            out.sample(name + "_bucket", [("le", "\(bound)")], Double(sum))
        }
        out.sample(name + "_bucket", [("le", "+Inf")], Double(times.count))
        out.sample(name + "_sum", times.sum)
        out.sample(name + "_count", Double(times.count))
    }

    private func ofRadio(_ out: inout MetricsText) {
        let adapter = [(name: "adapter", value: status.controller.name)]
        let counters = status.controller.counters
        func count(_ name: String) -> Double { Double(counters[name] ?? 0) }
        out.begin("martlet_adverts_received_total", .counter, "Advertisements and scan responses, of anybody.")
        out.sample("martlet_adverts_received_total", adapter, count("advertising_reports"))
        if let now = status.controller.uptimeMs, let heard = status.controller.health?.lastAdvertMs {
            out.begin("martlet_last_advert_age_seconds", .gauge, "Since an advertisement of anybody was heard.")
            out.sample("martlet_last_advert_age_seconds", adapter, Double(max(0, now - heard)) / 1_000)
        }
        out.begin(
            "martlet_adapter_recoveries_total", .counter, "Steps taken against a radio that did not do its work.")
        for step in RecoveryStep.allCases.map(\.rawValue) {
            let taken = status.controller.health?.taken[step] ?? 0
            out.sample("martlet_adapter_recoveries_total", adapter + [("step", step)], Double(taken))
        }
        out.begin(
            "martlet_adapter_errors_total", .counter,
            "Commands without an answer, hardware errors, packets that cannot be read.")
        for kind in ["command_timeouts", "hardware_errors", "malformed_packets"] {
            out.sample("martlet_adapter_errors_total", adapter + [("kind", kind)], count(kind))
        }
        guard let slots = status.controller.slots else { return }
        out.begin(
            "martlet_connection_slots", .gauge,
            "Links that are up; free: how many more, once the controller refused one.")
        out.sample("martlet_connection_slots", [("state", "used")], Double(slots.used))
        if let free = slots.free {
            out.sample("martlet_connection_slots", [("state", "free")], Double(free))
        }
    }

    private func ofSensors(_ out: inout MetricsText) {
        let sensors = status.collector.sensors
        guard !sensors.isEmpty else { return }
        out.begin("martlet_readings_total", .counter, "Readings since the gateway started, by how they came.")
        for sensor in sensors {
            for (source, count) in (sensor.sources ?? [:]).sorted(by: { $0.key < $1.key }) {
                out.sample("martlet_readings_total", Self.device(sensor) + [("source", source)], Double(count))
            }
        }
        out.begin("martlet_link_state", .gauge, "1 for the sensor's present state.")
        for sensor in sensors {
            for link in SensorStatus.Link.allCases {
                out.sample(
                    "martlet_link_state", Self.device(sensor) + [("state", link.rawValue)], sensor.link == link ? 1 : 0)
            }
        }
        out.begin("martlet_device_health", .gauge, "1 for the state of the sensor's values.")
        for sensor in sensors {
            for state in SensorState.allCases {
                out.sample(
                    "martlet_device_health", Self.device(sensor) + [("state", state.rawValue)],
                    sensor.health == state ? 1 : 0
                )
            }
        }
        out.begin("martlet_link_reconnects_total", .counter, "Links made again, by how the one before ended.")
        for sensor in sensors {
            for (reason, count) in sensor.reconnects.sorted(by: { $0.key < $1.key }) {
                out.sample("martlet_link_reconnects_total", Self.device(sensor) + [("reason", reason)], Double(count))
            }
        }
        out.begin("martlet_device_gap_total", .counter, "Values that never came, as the sensor numbers them.")
        for sensor in sensors {
            if let gap = sensor.gap { out.sample("martlet_device_gap_total", Self.device(sensor), Double(gap)) }
        }
        out.begin("martlet_device_commands_total", .counter, "Commands of a sensor's entry, by what became of them.")
        for sensor in sensors {
            for (result, count) in (sensor.commands ?? [:]).sorted(by: { $0.key < $1.key }) {
                out.sample("martlet_device_commands_total", Self.device(sensor) + [("result", result)], Double(count))
            }
        }
        out.begin("martlet_device_refused_total", .counter, "Packets that are no readings, by reason.")
        for sensor in sensors {
            for (reason, count) in (sensor.refused ?? [:]).sorted(by: { $0.key < $1.key }) {
                out.sample("martlet_device_refused_total", Self.device(sensor) + [("reason", reason)], Double(count))
            }
        }
        out.begin("martlet_device_last_value_age_seconds", .gauge, "Since the newest value came.")
        for sensor in sensors {
            guard let age = sensor.values.compactMap(\.ageMs).min() else { continue }
            out.sample("martlet_device_last_value_age_seconds", Self.device(sensor), Double(age) / 1000)
        }
        out.begin("martlet_device_rssi_dbm", .gauge, "As last heard.")
        for sensor in sensors {
            if let rssi = sensor.rssi { out.sample("martlet_device_rssi_dbm", Self.device(sensor), Double(rssi)) }
        }
    }
}
