// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Gateway
import Health
import Publisher
import Readings

/// A gateway's status in words.
enum StatusText {
    /// Column where the words after a line's name begin.
    private static let indent = 12

    /// The whole status; with `columns`, for a terminal of this width.
    static func lines(_ status: GatewayStatus, columns: Int? = nil) -> [String] {
        let table = SensorTable.make(status).layout(width: columns)
        let head = head(status)
        let troubles = SensorTable.troubles(status)
        var list = troubles.isEmpty ? [] : [""] + troubles
        list += [""] + (table.rows.isEmpty ? ["no sensors yet"] : [table.header] + table.rows)
        guard let columns else { return head.map(\.text) + list }
        if !table.leftOut.isEmpty {
            let titles = table.leftOut.joined(separator: ", ")
            list += ["", Advice.here("There was no room for \(titles). It is all in: \(.martlet(.status)) | cat")]
        }
        return head.flatMap { Text.wrapped($0.text, columns, indent: $0.indent) }
            + list.flatMap { Text.wrapped($0, columns, indent: 2) }
    }

    /// The lines for a terminal that is drawn again and again; `turn` counts pages.
    static func screen(_ status: GatewayStatus, columns: Int, rows: Int, turn: Int) -> [String] {
        let table = SensorTable.make(status).layout(width: columns)
        let list = table.rows.isEmpty ? ["no sensors yet"] : table.rows
        let problems = problems(status, columns: columns, rows: rows)
        let screen = TextScreen(
            head: head(status) + problems + [.init(text: "", rank: 1)],
            title: table.rows.isEmpty ? nil : table.header, list: list)
        return screen.lines(columns: columns, rows: rows, turn: turn)
    }

    /// The problems for a terminal: they stay on each page, with up to a third of its rows.
    private static func problems(_ status: GatewayStatus, columns: Int, rows: Int) -> [TextScreen.Line] {
        let troubles = SensorTable.troubles(status)
        guard !troubles.isEmpty else { return [] }
        let room = max(rows / 3, 1)
        var lines: [String] = []
        for (index, trouble) in troubles.enumerated() {
            let wrapped = Text.wrapped(trouble, columns, indent: 2)
            let isLast = index == troubles.count - 1
            guard lines.count + wrapped.count + (isLast ? 0 : 1) <= room || lines.isEmpty else {
                lines.append(Advice.here("… and \(troubles.count - index) more: \(.martlet(.status)) | cat"))
                break
            }
            lines += wrapped
        }
        return [.init(text: "", rank: 1)] + lines.map { .init(text: $0, rank: 0) }
    }

    /// The present step on the way to the broker.
    static func step(_ name: String) -> String {
        switch BrokerStep(rawValue: name) {
        case .name: "looking up its name"
        case .connect: "connecting"
        case .tls: "agreeing on TLS"
        case .broker: "waiting for its answer to CONNECT"
        case nil: "waiting for its answer to SUBSCRIBE"
        }
    }

    private static func head(_ status: GatewayStatus) -> [TextScreen.Line] {
        let mqtt = status.mqtt
        func line(_ text: String, _ rank: Int) -> TextScreen.Line { .init(text: text, rank: rank, indent: indent) }
        let lines = [
            line("gateway     \(status.gateway), martlet \(status.version), up \(duration(status.uptimeS))", 2),
            line(
                "controller  \(status.controller.summary)"
                    + listening(status)
                    + links(status.controller.slots, status.collector.shortage), 0),
            line(
                "broker      \(mqtt.broker): \(mqtt.connected ? "connected" : "not connected")"
                    + (mqtt.step.map { ", " + step($0) } ?? "")
                    + (mqtt.protocolVersion.map { ", MQTT \($0)" } ?? "") + ", \(mqtt.inFlight) in flight"
                    + (mqtt.lastError.map { ", \(Text.plain($0, limit: 1_024))" } ?? ""), 0),
            line(
                "sent        \(mqtt.live) live, \(mqtt.history) history"
                    + (mqtt.suppressed > 0 ? ", \(mqtt.suppressed) readings kept from the live ones" : "")
                    + (mqtt.historyMode == "normal" ? "" : "; history is \(mqtt.historyMode)"), 4),
            line("clock       \(status.time.map(ClockText.summary) ?? status.clock)", 5),
        ]
        // What is wrong with it stands below, with all other problems.
        let journal = journal(status.journal).prefix(2).enumerated().map { index, text in line(text, index == 0 ? 6 : 3)
        }
        return lines + journal + (status.backlog.map { [line(backlog($0), 1)] } ?? [])
    }

    /// `backlog     1200 readings, 50 a second, about 24 s left`
    private static func backlog(_ backlog: Backlog) -> String {
        let left = backlog.secondsLeft.map { "about \(SpokenTime.of(min(max($0, 0), 1 << 40) * 1_000)) left" }
        let rate =
            backlog.perSecond >= 10 ? String(Int(clamping: Int64(min(backlog.perSecond, 1e9)))) : "\(backlog.perSecond)"
        return "backlog     \(backlog.rows) readings wait, \(rate) a second go out, \(left ?? "and no fewer wait")"
    }

    /// Which use the radio's receiver has. Other uses of the radio may have their turns in between.
    private static func listening(_ status: GatewayStatus) -> String {
        if status.collector.scanning { return ", scanning" }
        let count = status.collector.sensors.count { $0.link == .listening }
        guard count > 0, status.controller.health?.isScanning == true else { return "" }
        return ", scanning for \(count) known \(count == 1 ? "sensor" : "sensors")"
    }

    /// `, 3 of 8 links`; empty without links and without a known limit.
    private static func links(_ slots: ConnectionSlots?, _ shortage: SlotShortage?) -> String {
        guard let slots else { return "" }
        if let limit = slots.limit {
            let sharing = shortage.map {
                $0.links > 0 ? ", which \($0.sensors) sensors share" : ", which other devices hold"
            }
            return ", \(slots.used) of \(limit) links" + (sharing ?? "")
        }
        return slots.used == 0 ? "" : ", \(slots.used) \(slots.used == 1 ? "link" : "links")"
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

    /// The books of each sensor, as a table.
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

    /// `23.4 °C`, or the digits of a value without a decoder.
    static func value(_ value: SensorStatus.Value) -> String { value.words }

    static func duration(_ seconds: Int) -> String {
        switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min \(seconds % 60) s"
        case ..<86400: "\(seconds / 3600) h \(seconds % 3600 / 60) min"
        default: "\(seconds / 86400) d \(seconds % 86400 / 3600) h"
        }
    }
}
