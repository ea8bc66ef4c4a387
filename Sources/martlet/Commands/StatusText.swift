// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Gateway

/// A gateway's status in words.
enum StatusText {
    static func lines(_ status: GatewayStatus) -> [String] {
        let mqtt = status.mqtt
        var lines = [
            "gateway     \(status.gateway), martlet \(status.version), up \(duration(status.uptimeS))",
            "controller  \(status.controller.name): \(status.controller.state)"
                + (status.collector.scanning ? ", scanning" : ""),
            "broker      \(mqtt.broker): \(mqtt.connected ? "connected" : "not connected")"
                + (mqtt.protocolVersion.map { ", MQTT \($0)" } ?? "") + ", \(mqtt.inFlight) in flight"
                + (mqtt.lastError.map { ", \(Text.plain($0))" } ?? ""),
            "sent        \(mqtt.live) live, \(mqtt.history) history"
                + (mqtt.suppressed > 0 ? ", \(mqtt.suppressed) readings kept from the live ones" : "")
                + (mqtt.historyMode == "normal" ? "" : "; history is \(mqtt.historyMode)"),
            "clock       \(status.time.map(ClockText.summary) ?? status.clock)",
        ]
        lines += journal(status.journal)
        lines.append("")
        guard !status.collector.sensors.isEmpty else { return lines + ["no sensors yet"] + troubles(status) }
        let header = ["SENSOR", "NAME", "ADDRESS", "LINK", "RSSI", "READINGS", "DISCONNECTS", "LAST VALUE"]
        lines += Text.table([header] + status.collector.sensors.map(row), rightAligned: [4, 5, 6])
        return lines + troubles(status)
    }

    /// What somebody has to do something about.
    private static func troubles(_ status: GatewayStatus) -> [String] {
        let troubles = status.collector.sensors.compactMap { sensor in
            sensor.trouble.map { "! \(sensor.id): \(Text.plain($0))" }
        }
        let losses = status.collector.sensors.flatMap { sensor in
            var losses: [String] = []
            let books = status.journal.sensors?[sensor.id]
            // The books run on across restarts.
            let missing = max(sensor.gap ?? 0, books?.missing ?? 0)
            if missing > 0 { losses.append("! \(sensor.id): \(missing) values never came, as it numbers them") }
            if let books, books.droppedTotal > 0 {
                losses.append("! \(sensor.id): \(books.droppedTotal) readings dropped: \(reasons(books.dropped))")
            }
            if sensor.unconfirmed > 0 {
                losses.append("! \(sensor.id): \(sensor.unconfirmed) indicated values were not on disk in time")
            }
            return losses
        }
        let all = troubles + losses + status.bondProblems.map { "! bonds: \(Text.plain($0))" }
        return all.isEmpty ? [] : [""] + all
    }

    static func journal(_ books: JournalStatistics) -> [String] {
        let reasons = reasons(books.dropped)
        let waiting = books.waiting > 0 ? " + \(books.waiting) not on disk yet" : ""
        let missing = books.missing > 0 ? ", \(books.missing) missing by the sensors' own numbers" : ""
        let age = books.oldestAgeSeconds.map { ", the oldest \(duration(Int($0)))" } ?? ""
        return [
            "journal     \(books.path), \(books.bytes / 1024) KiB"
                + (books.source == .file ? "; read from the file, as no gateway answers" : ""),
            "readings    \(books.received) received = \(books.delivered) delivered + \(books.buffered) buffered\(waiting)"
                + " + \(books.dropped.values.reduce(0, +)) dropped"
                + (reasons.isEmpty ? "" : " (\(reasons))") + (books.balances ? "" : "  – does not add up!") + age
                + missing,
        ] + [books.problem, books.notice].compactMap { $0.map { "! \(Text.plain($0))" } }
    }

    /// The books of each sensor that has any, as a table.
    static func sensors(_ books: JournalStatistics) -> [String] {
        guard let sensors = books.sensors, !sensors.isEmpty else { return [] }
        let header = ["SENSOR", "RECEIVED", "DELIVERED", "DROPPED", "MISSING", "REASONS"]
        let rows = sensors.sorted { $0.key < $1.key }.map { name, entry in
            [Text.plain(name)]
                + [entry.received, entry.delivered, entry.droppedTotal, entry.missing].map { String($0) }
                + [reasons(entry.dropped)]
        }
        return [""] + Text.table([header] + rows, rightAligned: [1, 2, 3, 4])
    }

    /// `12 journal-age, 1 refused`.
    static func reasons(_ dropped: [String: Int]) -> String {
        dropped.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { "\($0.value) \(Text.plain($0.key))" }
            .joined(separator: ", ")
    }

    private static func row(_ sensor: SensorStatus) -> [String] {
        [
            sensor.id, Text.plain(sensor.name ?? "–"), sensor.address ?? "–", sensor.link.rawValue,
            sensor.rssi.map(String.init) ?? "–", String(sensor.readings), String(sensor.drops),
            sensor.values.map(value).joined(separator: ", "),
        ]
    }

    /// `23.4 °C`, or the digits of what no decoder knows.
    static func value(_ value: SensorStatus.Value) -> String {
        let octets = [UInt8](hexadecimal: value.value) ?? []
        return ValueText.of(characteristic: value.characteristic, value: octets)
    }

    static func duration(_ seconds: Int) -> String {
        switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min \(seconds % 60) s"
        case ..<86400: "\(seconds / 3600) h \(seconds % 3600 / 60) min"
        default: "\(seconds / 86400) d \(seconds % 86400 / 3600) h"
        }
    }
}
