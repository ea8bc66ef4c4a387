// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothCore
import Foundation
import Gateway

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show how a running gateway is doing.")

    @OptionGroup var control: ControlOptions

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Again every second, until interrupted.")
    var watch = false

    func run() throws {
        while true {
            let status = try control.ask(.status, as: GatewayStatus.self)
            if json {
                Output.line(String(decoding: try ControlCoding.encode(status), as: UTF8.self))
            } else {
                let text = StatusText.lines(status).joined(separator: "\n")
                Output.line(watch && Output.isTerminal ? "\u{1B}[H\u{1B}[2J" + text : text)
            }
            guard watch else { return }
            Thread.sleep(forTimeInterval: 1)
        }
    }
}

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
        let header = ["SENSOR", "NAME", "ADDRESS", "LINK", "RSSI", "READINGS", "DROPS", "LAST VALUE"]
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
            if let gap = sensor.gap, gap > 0 {
                losses.append("! \(sensor.id): \(gap) values never came, as it numbers them")
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
        let dropped = books.dropped.filter { $0.value > 0 }
        let reasons = dropped.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        let waiting = books.waiting > 0 ? " + \(books.waiting) not on disk yet" : ""
        let missing = books.missing > 0 ? ", \(books.missing) missing by the sensors' own numbers" : ""
        let age = books.oldestAgeSeconds.map { ", the oldest \(duration(Int($0)))" } ?? ""
        return [
            "journal     \(books.path), \(books.bytes / 1024) KiB",
            "readings    \(books.received) received = \(books.delivered) delivered + \(books.buffered) buffered\(waiting)"
                + " + \(dropped.values.reduce(0, +)) dropped"
                + (reasons.isEmpty ? "" : " (\(reasons))") + (books.balances ? "" : "  – does not add up!") + age
                + missing,
        ] + [books.problem, books.notice].compactMap { $0.map { "! \(Text.plain($0))" } }
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
