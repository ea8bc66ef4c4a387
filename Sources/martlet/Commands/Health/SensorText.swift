// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Foundation
import Gateway
import Health
import Readings

/// Makes the text of one sensor of a status, for `martlet status SENSOR`.
enum SensorText {
    private static let indent = 14

    /// With `columns`, for a terminal of this width. `zone`: the time zone of the times.
    static func lines(
        _ named: CollectorStatus.Named, problems: [Problem], columns: Int? = nil, zone: TimeZone
    ) -> [String] {
        let (name, facts): (String, [(String, String)]) =
            switch named {
            case .sensor(let sensor): (sensor.id, Self.facts(sensor, zone))
            case .awaited(let entry): (entry.entry, Self.facts(entry))
            }
        let lines = facts.map { Text.fit($0, indent - 2) + "  " + Text.plain($1, limit: 1_024) }
        let troubles = SensorTable.problems(problems.filter { $0.sensor == name })
        let all = lines.map { ($0, indent) } + (troubles.isEmpty ? [] : [("", 0)] + troubles.map { ($0, 2) })
        guard let columns else { return all.map(\.0) }
        return all.flatMap { Text.wrapped($0.0, columns, indent: min($0.1, columns / 4)) }
    }

    private static func facts(_ sensor: SensorStatus, _ zone: TimeZone) -> [(String, String)] {
        var facts = [("sensor", sensor.id)]
        func add(_ title: String, _ text: String?) { if let text { facts.append((title, text)) } }
        add("label", sensor.label)
        add("room", sensor.room)
        add("name", sensor.name)
        add("address", sensor.address)
        add("identifier", sensor.identifier)
        let since = sensor.healthAgeMs.map { ", for " + SpokenTime.of($0) } ?? ""
        add("state", "\(sensor.link.rawValue), \(sensor.health.words)\(since)")
        add("owner", sensor.owner)
        add("family", sensor.family)
        add("signal", sensor.rssi.map { "\($0) dBm" })
        add("security", sensor.security)
        let usual = sensor.usualMs.map { ", one usually every " + SpokenTime.of($0) } ?? ""
        add("readings", "\(sensor.readings)\(usual)")
        add("missed", sensor.gap.map { "\($0), by its own numbers" })
        if sensor.family == nil {
            let last = sensor.lastDrop.map { "; the last: \($0)" } ?? ""
            add("disconnects", "\(sensor.drops)\(last)")
        }
        add("packets", packets(sensor))
        for (quantity, offset) in (sensor.offsets ?? [:]).sorted(by: { $0.key < $1.key }) {
            add("offset", "\(quantity) \(offset)")
        }
        for value in sensor.values {
            let moment = value.unixMs.map { ", " + ZonedTime.text($0, zone) } ?? ""
            let age = value.ageMs.map { " (\(SensorTable.age($0)) ago\(moment))" } ?? ""
            add(title(of: value), StatusText.value(value) + age)
        }
        return facts
    }

    /// The quantity of a single number: `temperature`; else the characteristic or the family.
    private static func title(of value: SensorStatus.Value) -> String {
        let fields = value.fields ?? []
        return fields.count == 1 ? fields.first?.quantity ?? value.characteristic : value.characteristic
    }

    /// The number of packets without a reading; nil for none.
    private static func packets(_ sensor: SensorStatus) -> String? {
        let refused = (sensor.refused ?? [:]).filter { $0.value > 0 }.sorted { $0.key < $1.key }
        let parts =
            ((sensor.repeats ?? 0) > 0 ? ["\(sensor.repeats ?? 0) repeats"] : [])
            + refused.map { "\($0.value) \($0.key)" }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private static func facts(_ entry: AwaitedSensor) -> [(String, String)] {
        [("entry", entry.entry)]
            + [("label", entry.label), ("room", entry.room)].compactMap { title, text in
                text.map { (title, $0) }
            } + [("state", entry.shortState), ("asks for", entry.wants)]
    }
}
