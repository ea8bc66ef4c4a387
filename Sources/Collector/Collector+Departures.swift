// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Logging
import Readings

/// Sensors that were announced, in this run or an earlier one, and are none any more: what brokers retain of them is cleared.
///
/// Whether a sensor that is away is still accepted is judged by what is kept of it in the journal, not by whether it was found
/// again: a controller that does not come up removes no sensor.
extension Collector {
    /// What a sensor was accepted by, as the journal keeps it.
    private struct Announced: Codable {
        var rule: String
        var name: String?
        var address: UInt64?
        var identifier: UUID
        var services: [String]
        var manufacturer: UInt16?
        var family: String?
        var model: String?

        init(_ sensor: SensorSource) {
            rule = sensor.rule.key
            // As it is: entries compare it.
            name = sensor.name
            address = sensor.candidate.address
            identifier = sensor.candidate.identifier
            services = sensor.candidate.services.map(\.description).sorted()
            (manufacturer, family) = (sensor.candidate.manufacturer, sensor.candidate.family)
            model = sensor.candidate.model
        }

        var candidate: SensorRule.Candidate {
            var candidate = SensorRule.Candidate(
                name: name, address: address, identifier: identifier,
                services: services.compactMap { BluetoothUUID($0) })
            (candidate.manufacturer, candidate.family, candidate.model) = (manufacturer, family, model)
            return candidate
        }
    }

    private static func key(of device: String) -> String { "announced:\(device)" }

    /// Remembers what the sensor was accepted by, for a start with other rules.
    func keepAnnounced(_ sensor: SensorSource) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard knowsEarlierRuns, let text = try? encoder.encode(Announced(sensor)) else { return }
        outlet.keep(String(decoding: text, as: UTF8.self), Self.key(of: sensor.device))
    }

    /// Whether this run or an earlier one has collected from it.
    func wasAnnounced(_ device: String) -> Bool { outlet.identifier(Self.key(of: device))?.isEmpty == false }

    /// To be called when an operator has taken the sensor away.
    func forgetAnnounced(_ device: String) {
        guard outlet.identifier(Self.key(of: device)) != nil else { return }
        outlet.keep("", Self.key(of: device))
    }

    /// Has the brokers forget all devices that no rule accepts any more; to be called when the rules or the sensors changed.
    func forgetDeparted() {
        guard knowsEarlierRuns, !isStopping else { return }
        for device in outlet.announced().sorted() where !isAccepted(device) {
            logger.info("what the broker retains of a sensor is cleared", metadata: ["sensor": "\(device)"])
            forgetAnnounced(device)
            outlet.sensors.forget(device)
            outlet.forget(device)
        }
    }

    private func isAccepted(_ device: String) -> Bool {
        if linked.values.contains(where: { !$0.isRemoved && $0.device == device }) { return true }
        if listened.values.contains(where: { $0.device == device }) { return true }
        if rules.contains(where: { $0.id == device }) { return true }
        guard let text = outlet.identifier(Self.key(of: device)), !text.isEmpty,
            let announced = try? JSONDecoder().decode(Announced.self, from: Data(text.utf8))
        else { return false }
        let candidate = announced.candidate
        return rules.contains { rule in
            (rule.key == announced.rule || rule.accepts(candidate))
                && SensorSource.device(of: candidate, rule: rule) == device
        }
    }
}
