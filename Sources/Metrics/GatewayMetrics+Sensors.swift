// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Gateway
import Health
import Readings

extension GatewayMetrics {
    typealias Label = (name: String, value: String)

    /// The sensor's id in topics, and its room from the operator.
    static func device(_ sensor: SensorStatus) -> [Label] { device(sensor.id, room: sensor.room) }

    private static func device(_ id: String, room: String?) -> [Label] {
        var labels: [Label] = [("device", id)]
        if let room { labels.append(("room", room)) }
        return labels
    }

    /// Writes a series for each sensor with an entry of its own. A missing sensor keeps its series.
    func ofExpected(_ out: inout MetricsText) {
        let (sensors, awaited) = (status.collector.sensors, status.collector.awaited)
        let missing = awaited.compactMap { entry in entry.device.map { Self.device($0, room: entry.room) } }
        guard !sensors.isEmpty || !missing.isEmpty else { return }
        let name = "martlet_device_missing"
        out.begin(name, .gauge, "1 while a sensor has sent no value since the gateway started.")
        for sensor in sensors { out.sample(name, Self.device(sensor), sensor.health == .neverHeard ? 1 : 0) }
        for labels in missing { out.sample(name, labels, 1) }
    }

    /// Writes a series for each shown problem of a sensor, as the account of health says, and none otherwise.
    func ofProblems(_ out: inout MetricsText) {
        let name = "martlet_device_problem"
        out.begin(name, .gauge, "1 for each shown problem of the sensor, by code; no acknowledged problems.")
        let (sensors, awaited) = (status.collector.sensors, status.collector.awaited)
        var labels: [String: [Label]] = [:]
        for entry in awaited { labels[entry.entry] = Self.device(entry.device ?? entry.entry, room: entry.room) }
        for sensor in sensors { labels[sensor.id] = Self.device(sensor) }
        defer { ofMaintenance(&out, labels) }
        // An entry and a sensor may have one name: a series is written once.
        var written: Set<String> = []
        for problem in status.openProblems {
            guard let sensor = problem.sensor else { continue }
            let device = labels[sensor] ?? Self.device(sensor, room: nil)
            guard written.insert("\(problem.code.rawValue) \(device.first?.value ?? sensor)").inserted else { continue }
            out.sample(name, device + [("code", problem.code.rawValue)], 1)
        }
    }

    /// Writes a series for each sensor in maintenance, for alerts on counts.
    private func ofMaintenance(_ out: inout MetricsText, _ labels: [String: [Label]]) {
        let name = "martlet_device_maintenance"
        out.begin(name, .gauge, "1 for each sensor in maintenance.")
        for problem in status.problems ?? [] where problem.code == .sensorMaintenance {
            guard let sensor = problem.sensor else { continue }
            out.sample(name, labels[sensor] ?? Self.device(sensor, room: nil), 1)
        }
    }

    func ofBatteries(_ out: inout MetricsText) {
        guard !status.collector.sensors.isEmpty else { return }
        let levels = status.collector.sensors.compactMap { sensor in
            sensor.number(.battery).map { (Self.device(sensor), $0) }
        }
        out.begin("martlet_device_battery_percent", .gauge, "The battery's level, as the sensor last said.")
        for (labels, level) in levels { out.sample("martlet_device_battery_percent", labels, level) }
        let known = status.collector.sensors.filter { $0.number(.battery) != nil || $0.number(.batteryLow) != nil }
        let name = "martlet_device_battery_low"
        out.begin(name, .gauge, "1 while the gateway counts the sensor's battery as low.")
        for sensor in known { out.sample(name, Self.device(sensor), sensor.lowBattery == nil ? 0 : 1) }
    }
}
