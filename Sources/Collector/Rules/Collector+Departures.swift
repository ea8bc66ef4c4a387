// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Logging
import Readings

/// Sensors that this run or an earlier run announced, and that are sensors no longer. The collector clears the data
/// that brokers retain for them.
///
/// The journal's record of an absent sensor decides whether a rule still accepts the sensor. The sensor need not be
/// found again, so a controller that does not come up removes no sensor.
extension Collector {
    /// The facts by which a rule accepted a sensor, as the journal keeps them.
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
            // Unchanged, because entries compare the name.
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

    /// Keeps the facts by which a rule accepted the sensor, for a start with other rules.
    func keepAnnounced(_ sensor: SensorSource) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard knowsEarlierRuns, let text = try? encoder.encode(Announced(sensor)) else { return }
        outlet.keep(String(decoding: text, as: UTF8.self), Self.key(of: sensor.device))
    }

    /// Whether this run or an earlier run has collected from the device.
    func wasAnnounced(_ device: String) -> Bool { outlet.identifier(Self.key(of: device))?.isEmpty == false }

    /// Called when an operator has removed the sensor.
    func forgetAnnounced(_ device: String) {
        guard outlet.identifier(Self.key(of: device)) != nil else { return }
        outlet.keep("", Self.key(of: device))
    }

    /// Makes the brokers forget all devices that no rule accepts any more; called after a change of the rules or
    /// sensors.
    func forgetDeparted() {
        guard knowsEarlierRuns, !isStopping else { return }
        for device in outlet.announced().sorted() where !isAccepted(device) {
            logger.info("the broker's retained messages of a sensor are cleared", metadata: ["sensor": "\(device)"])
            forgetAnnounced(device)
            outlet.sensors.forget(device)
            outlet.forget(device)
        }
    }

    private func isAccepted(_ device: String) -> Bool {
        if linked.values.contains(where: { !$0.life.isRemoved && $0.device == device }) { return true }
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
