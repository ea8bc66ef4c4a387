// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Readings

extension SensorRule {
    /// The facts about a sensor for the decision of a rule.
    package struct Candidate: Sendable {
        package var name: String?
        package var address: UInt64?
        package var identifier: UUID
        package var services: [BluetoothUUID]
        /// The company in its Manufacturer Specific Data.
        package var manufacturer: UInt16?
        /// The family that decodes the candidate's advertisements.
        package var family: String?
        package var model: String?
        /// dBm, as heard; nil if a rule that accepted the candidate before does not check the strength again.
        package var rssi: Int8?

        package init(name: String?, address: UInt64?, identifier: UUID, services: [BluetoothUUID]) {
            self.name = name
            self.address = address
            self.identifier = identifier
            self.services = services
        }
    }

    /// The rule has at least one criterion.
    package var hasCriterion: Bool {
        name != nil || address != nil || identifier != nil || service != nil || manufacturer != nil || family != nil
            || model != nil
    }

    /// All criteria of the rule must hold.
    package func accepts(_ candidate: Candidate) -> Bool {
        if let identifier, identifier != candidate.identifier { return false }
        if let address, address != candidate.address { return false }
        if let service, !candidate.services.contains(service) { return false }
        if let manufacturer, manufacturer != candidate.manufacturer { return false }
        if let family, family != candidate.family { return false }
        if let model, model != candidate.model { return false }
        if let minimumRSSI, let rssi = candidate.rssi, rssi < minimumRSSI { return false }
        if let name {
            guard let given = candidate.name, Self.isNamed(given, name) else { return false }
        }
        return hasCriterion
    }

    /// Whether a name meets an entry, as received or as shown. Some devices pad their names with NULs, and no person
    /// can write NULs.
    private static func isNamed(_ given: String, _ wanted: String) -> Bool {
        func isWanted(_ given: String) -> Bool {
            wanted.last == "*" ? given.hasPrefix(wanted.dropLast()) : given == wanted
        }
        return isWanted(given) || AdvertisedName.clean(given).map(isWanted) ?? false
    }

    /// The rule with the known values of the sensor's services; nil for unknown services.
    func filled(for candidate: Candidate) -> SensorRule? {
        guard namesNothing else { return self }
        return SensorProfile.of(candidate.services).map { filled(by: $0, for: candidate.services) }
    }

    /// The rule with the values of its `profile`.
    var withProfile: SensorRule {
        guard let profile = profile.flatMap(SensorProfile.named) else { return self }
        return filled(by: profile, for: [])
    }

    /// Keeps the values found at a sensor, if the rule leaves the values open.
    mutating func keepFill(of former: SensorRule) {
        guard namesNothing, former.profile != nil else { return }
        (profile, subscribe, read, write) = (former.profile, former.subscribe, former.read, former.write)
        if readInterval == nil { readInterval = former.readInterval }
        if writeInterval == nil { writeInterval = former.writeInterval }
    }

    /// - Parameter services: The services known to be present. The rule then asks nothing of other services.
    private func filled(by profile: SensorProfile, for services: [BluetoothUUID]) -> SensorRule {
        var rule = self
        rule.profile = profile.name
        let isSome = profile.services.contains(where: services.contains)
        func feeds(_ feeds: [SensorProfile.Feed]) -> [Feed] {
            feeds.filter { !isSome || services.contains($0.service) }
                .map { Feed(service: $0.service, characteristic: $0.characteristic) }
        }
        if namesNothing { (rule.subscribe, rule.read) = (feeds(profile.subscribe), feeds(profile.read)) }
        if rule.readInterval == nil { rule.readInterval = profile.readEverySeconds.map { .seconds($0) } }
        rule.write = profile.write.map { command in
            let feed = Feed(service: command.feed.service, characteristic: command.feed.characteristic)
            return Command(feed, command.value)
        }
        if rule.writeInterval == nil { rule.writeInterval = profile.writeEverySeconds.map { .seconds($0) } }
        return rule
    }
}
