// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Gateway
import Health
import Readings

/// The sensors of a status, and the problems that need a person.
enum SensorTable {
    /// A row for each sensor, then a row for each configured entry without a matching sensor.
    static func make(_ status: GatewayStatus) -> TextTable {
        TextTable(
            columns: [
                .init(title: "SENSOR", least: 10), .init(title: "NAME", rank: 4, least: 8),
                .init(title: "ADDRESS", rank: 6), .init(title: "LINK", usual: 12),
                .init(title: "RSSI", rank: 3, isRightAligned: true),
                .init(title: "READINGS", rank: 2, isRightAligned: true),
                .init(title: "DISCONNECTS", rank: 5, isRightAligned: true), .init(title: "LAST VALUE", least: 16),
                .init(title: "AGE", isRightAligned: true, usual: 4),
            ], rows: status.collector.sensors.map(row) + status.collector.awaited.map(row))
    }

    private static func row(_ sensor: SensorStatus) -> [String] {
        let newest = sensor.values.compactMap(\.ageMs).min()
        return [
            Text.plain(sensor.id), Text.plain(sensor.label ?? sensor.name ?? "–"), sensor.address ?? "–", state(sensor),
            sensor.rssi.map(String.init) ?? "–", String(sensor.readings), String(sensor.drops),
            sensor.values.isEmpty ? "–" : sensor.values.map { value($0, newest: newest) }.joined(separator: ", "),
            newest.map(age) ?? "–",
        ]
    }

    /// The link's state, and that of the values where they do not come as they should.
    private static func state(_ sensor: SensorStatus) -> String {
        switch sensor.health {
        case .late, .silent, .notUnderstood, .unknown, .off: "\(sensor.link.rawValue), \(sensor.health.words)"
        case .fresh, .neverHeard, .elsewhere: sensor.link.rawValue
        }
    }

    private static func row(_ awaited: AwaitedSensor) -> [String] {
        [
            Text.plain(awaited.entry), Text.plain(awaited.name ?? "–"), awaited.address ?? "–", awaited.shortState,
            awaited.refused?.rssi.map(String.init) ?? "–", "0", "–",
            "–", "–",
        ]
    }

    /// With its own age if it is much older than the newest value.
    private static func value(_ value: SensorStatus.Value, newest: Int64?) -> String {
        guard let own = value.ageMs, let newest, own - newest >= 60_000 else { return StatusText.value(value) }
        return "\(StatusText.value(value)) (\(age(own)))"
    }

    /// `12 s`, in a single unit.
    static func age(_ milliseconds: Int64) -> String {
        switch milliseconds / 1_000 {
        case ..<120: "\(milliseconds / 1_000) s"
        case ..<7_200: "\(milliseconds / 60_000) min"
        case ..<172_800: "\(milliseconds / 3_600_000) h"
        default: "\(milliseconds / 86_400_000) d"
        }
    }

    // MARK: Troubles

    /// The account's problems, and what was done about the radio not long ago.
    static func troubles(_ status: GatewayStatus) -> [String] {
        let radio = status.controller.health.map { RadioText.cures($0, at: status.controller.uptimeMs) } ?? []
        return problems(status.problems ?? []) + radio
    }

    /// A line for each problem, with its remedy.
    static func problems(_ problems: [Problem]) -> [String] { problems.map(line) }

    private static func line(_ problem: Problem) -> String {
        let label = problem.sensor ?? problem.part
        let text = Text.plain(problem.text, limit: 1_024)
        let remedy = problem.remedy.map { (text.hasSuffix("?") ? " " : ". ") + Text.plain($0, limit: 2_048) } ?? ""
        // Of a notice somebody knows.
        let mark = problem.severity == .notice ? "·" : "!"
        return "\(mark) \(Text.plain(label)): \(text)\(remedy)"
    }
}
