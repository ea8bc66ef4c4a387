// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A sensor that no entry accepts any more, or a sensor with a changed address.
struct DepartedSensor: Sendable {
    var device: String
    var name: String?
    var address: UInt64?
    var identifier: UUID
    var events: SensorEvents
}

/// Histories of gone sensors, for `martlet why`; bounded.
struct DepartedSensors: Sendable {
    static let maximum = 32

    /// Oldest first.
    private(set) var all: [DepartedSensor] = []

    /// Keeps the history of a sensor that goes, and drops an older history with its id.
    mutating func keep(_ sensor: SensorSource) {
        all.removeAll { $0.device == sensor.device }
        all.append(
            DepartedSensor(
                device: sensor.device, name: sensor.name, address: sensor.candidate.address,
                identifier: sensor.candidate.identifier, events: sensor.events))
        if all.count > Self.maximum { all.removeFirst() }
    }

    /// The history of a sensor that is back, by its identifier or the id of its entry.
    mutating func takeEvents(of sensor: SensorSource) -> SensorEvents? {
        let found = all.firstIndex {
            $0.identifier == sensor.candidate.identifier || (sensor.rule.id != nil && $0.device == sensor.device)
        }
        return found.map { all.remove(at: $0).events }
    }
}
