// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Readings

/// Which sensors to accept and what to collect from them: one `[[sensor]]` of the configuration. What no rule accepts
/// is never connected to.
package struct SensorRule: Equatable, Sendable {
    /// A characteristic in a service, both by UUID.
    package struct Feed: Hashable, Sendable {
        package var service: BluetoothUUID
        package var characteristic: BluetoothUUID

        package init(service: BluetoothUUID, characteristic: BluetoothUUID) {
            self.service = service
            self.characteristic = characteristic
        }
    }

    /// Where the sensor's own numbers of its values are: from one value to the next they grow by one.
    package struct Sequence: Equatable, Sendable {
        package var feed: Feed
        /// Octets before the number: 0…511.
        package var offset = 0
        /// Octets of the number: 1, 2 or 4.
        package var length = 1
        package var isBigEndian = false

        package init(feed: Feed) { self.feed = feed }
    }

    /// The device's name in topics; only for a rule that is about one sensor.
    package var id: String?
    /// The advertised name; with a trailing `*` everything that begins so.
    package var name: String?
    package var address: UInt64?
    /// The identifier that this gateway's Bluetooth stack gave the sensor.
    package var identifier: UUID?
    package var service: BluetoothUUID?
    package var subscribe: [Feed] = []
    package var read: [Feed] = []
    package var sequence: Sequence?
    /// What goes out on `…/state`, where that is not as `[mqtt]` says.
    package var pacing = LivePacingRule()
    /// Whether to pair when the sensor asks for it; nil: as `[security]` says.
    package var pair: Bool?
    /// Six digits, as on the sensor's label.
    package var passkey: Secret?
    package var passkeyFile: String?
    /// LE legacy pairing is taken where the sensor knows nothing else.
    package var allowsLegacyPairing = false

    package init() {}

    /// Whether the rule is about one sensor, so that nothing more is to be looked for once it is found.
    package var isSingle: Bool { id != nil || address != nil || identifier != nil }

    /// Every service that has something to collect, each once.
    package var services: [BluetoothUUID] {
        var seen: Set<BluetoothUUID> = []
        return (read + subscribe).map(\.service).filter { seen.insert($0).inserted }
    }

    /// What is known of a sensor when a rule has to decide.
    package struct Candidate: Sendable {
        package var name: String?
        package var address: UInt64?
        package var identifier: UUID
        package var services: [BluetoothUUID]

        package init(name: String?, address: UInt64?, identifier: UUID, services: [BluetoothUUID]) {
            self.name = name
            self.address = address
            self.identifier = identifier
            self.services = services
        }
    }

    /// Every criterion that is given must hold.
    package func accepts(_ candidate: Candidate) -> Bool {
        if let identifier, identifier != candidate.identifier { return false }
        if let address, address != candidate.address { return false }
        if let service, !candidate.services.contains(service) { return false }
        if let name {
            guard let given = candidate.name else { return false }
            guard name.last == "*" ? given.hasPrefix(name.dropLast()) : given == name else { return false }
        }
        return name != nil || address != nil || identifier != nil || service != nil
    }
}
