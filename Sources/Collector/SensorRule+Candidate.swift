// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Readings

extension SensorRule {
    /// What is known of a sensor when a rule has to decide.
    package struct Candidate: Sendable {
        package var name: String?
        package var address: UInt64?
        package var identifier: UUID
        package var services: [BluetoothUUID]
        /// The company in its Manufacturer Specific Data.
        package var manufacturer: UInt16?
        /// Who knows its advertisements.
        package var family: String?
        package var model: String?
        /// dBm, as heard; nil where a rule that accepted it before does not ask again.
        package var rssi: Int8?

        package init(name: String?, address: UInt64?, identifier: UUID, services: [BluetoothUUID]) {
            self.name = name
            self.address = address
            self.identifier = identifier
            self.services = services
        }
    }

    /// Some criterion is given.
    package var hasCriterion: Bool {
        name != nil || address != nil || identifier != nil || service != nil || manufacturer != nil || family != nil
            || model != nil
    }

    /// Every criterion that is given must hold.
    package func accepts(_ candidate: Candidate) -> Bool {
        if let identifier, identifier != candidate.identifier { return false }
        if let address, address != candidate.address { return false }
        if let service, !candidate.services.contains(service) { return false }
        if let manufacturer, manufacturer != candidate.manufacturer { return false }
        if let family, family != candidate.family { return false }
        if let model, model != candidate.model { return false }
        if let minimumRSSI, let rssi = candidate.rssi, rssi < minimumRSSI { return false }
        if let name {
            guard let given = candidate.name else { return false }
            guard name.last == "*" ? given.hasPrefix(name.dropLast()) : given == name else { return false }
        }
        return hasCriterion
    }

    /// The rule for a sensor whose values are those that its services are known for; nil where they are not known.
    func filled(for candidate: Candidate) -> SensorRule? {
        guard namesNothing else { return self }
        guard let family = AssignedName.family(of: candidate.services) else { return nil }
        var rule = self
        rule.subscribe = AssignedName.subscriptions(of: family).compactMap { text in
            let parts = text.split(separator: "/").map(String.init)
            guard parts.count == 2, let service = AssignedName.services[parts[0]],
                let characteristic = AssignedName.characteristics[parts[1]]
            else { return nil }
            return Feed(service: BluetoothUUID(service), characteristic: BluetoothUUID(characteristic))
        }
        return rule.subscribe.isEmpty ? nil : rule
    }
}
