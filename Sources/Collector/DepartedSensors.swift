// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A sensor that no entry accepts any more, or whose address has changed.
struct DepartedSensor: Sendable {
    var device: String
    var name: String?
    var address: UInt64?
    var identifier: UUID
    var events: SensorEvents
}

/// Histories that outlive their sensors, so that `martlet why` can still be asked for them; bounded.
struct DepartedSensors: Sendable {
    static let maximum = 32

    /// Oldest first.
    private(set) var all: [DepartedSensor] = []

    /// Keeps the history of one that goes, in place of an older one of the same id.
    mutating func keep(_ sensor: SensorSource) {
        all.removeAll { $0.device == sensor.device }
        all.append(
            DepartedSensor(
                device: sensor.device, name: sensor.name, address: sensor.candidate.address,
                identifier: sensor.candidate.identifier, events: sensor.events))
        if all.count > Self.maximum { all.removeFirst() }
    }

    /// The history of one that is back: by its identifier, or under the id that its entry gives to all that it accepts.
    mutating func takeEvents(of sensor: SensorSource) -> SensorEvents? {
        let found = all.firstIndex {
            $0.identifier == sensor.candidate.identifier || (sensor.rule.id != nil && $0.device == sensor.device)
        }
        return found.map { all.remove(at: $0).events }
    }
}
