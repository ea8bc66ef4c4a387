// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Gateway
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
            Text.plain(sensor.id), Text.plain(sensor.name ?? "–"), sensor.address ?? "–", sensor.link.rawValue,
            sensor.rssi.map(String.init) ?? "–", String(sensor.readings), String(sensor.drops),
            sensor.values.isEmpty ? "–" : sensor.values.map { value($0, newest: newest) }.joined(separator: ", "),
            newest.map(age) ?? "–",
        ]
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

    static func troubles(_ status: GatewayStatus) -> [String] {
        let sensors = status.collector.sensors.flatMap { sensor in
            links(sensor) + losses(sensor, status.journal.sensors?[sensor.id])
        }
        let isReady = status.controller.state == "powered on"
        // No sensor is heard without a controller, as the head says, or without a scan, as the radio's line says.
        let refuses = status.controller.health?.refusals?.contains { $0.use == .scan } ?? false
        let awaited = isReady && !refuses ? status.collector.awaited.map(explanation) : []
        let configuration = (status.configurationProblems ?? []).map { "! configuration: \(Text.plain($0))" }
        let radio = status.controller.health.map { RadioText.troubles($0, at: status.controller.uptimeMs) } ?? []
        return (status.late ?? []).map { "! \(Text.plain($0))" } + radio + configuration + sensors + awaited
            + status.bondProblems.map { "! bonds: \(Text.plain($0))" }
    }

    private static func links(_ sensor: SensorStatus) -> [String] {
        if let trouble = sensor.trouble { return ["! \(sensor.id): \(Text.plain(trouble))"] }
        if sensor.link == .collecting {
            return sensor.missing.isEmpty
                ? [] : ["! \(sensor.id): of what was asked for: \(Text.plain(sensor.missing.joined(separator: "; ")))"]
        }
        return sensor.lastFailure.map { ["! \(sensor.id): \(Text.plain($0)); it is tried again"] } ?? []
    }

    private static func losses(_ sensor: SensorStatus, _ books: LedgerEntry?) -> [String] {
        var losses: [String] = []
        // The books continue across restarts.
        let missing = max(sensor.gap ?? 0, books?.missing ?? 0)
        // A sensor without a link always loses some packets on the air.
        if missing > 0, sensor.link != .listening {
            losses.append("! \(sensor.id): \(missing) values never came, as it numbers them")
        }
        let wished = Set(DropReason.wished.map(\.rawValue))
        let dropped = (books?.dropped ?? [:]).filter { !wished.contains($0.key) && $0.value > 0 }
        if !dropped.isEmpty {
            let count = dropped.values.reduce(0, &+)
            losses.append("! \(sensor.id): \(count) readings dropped: \(StatusText.reasons(dropped))")
        }
        if sensor.unconfirmed > 0 {
            losses.append("! \(sensor.id): \(sensor.unconfirmed) indicated values were not on disk in time")
        }
        return losses
    }

    private static func explanation(_ awaited: AwaitedSensor) -> String {
        if awaited.refused != nil {
            let advice = awaited.refusalAdvice.map { " " + Text.plain($0, limit: 2_048) } ?? ""
            return "! \(Text.plain(awaited.entry)): \(awaited.state).\(advice)"
        }
        let beginning =
            "! \(Text.plain(awaited.entry)): not seen yet; its entry asks for \(Text.plain(awaited.wants)). "
        guard !awaited.nearest.isEmpty else {
            let other = awaited.mayBeElsewhere == true ? ", or has another gateway a link with it" : ""
            return beginning + "Nothing like it was heard lately: is it switched on and near\(other)?"
        }
        return beginning + "In the air: " + awaited.nearest.map(hint).joined(separator: ", ")
    }

    private static func hint(_ heard: AwaitedSensor.Heard) -> String {
        let facts: [String?] = [
            heard.address, heard.rssi.map { "\($0) dBm" },
            heard.likeness == .service ? "has the service" : nil,
            heard.connectable ? nil : "does not let itself be connected to",
        ]
        let name = heard.name.map { "\"\(Text.plain($0))\"" } ?? "a device without a name"
        return "\(name) (\(facts.compactMap { $0 }.joined(separator: ", ")))"
    }
}
