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
        /// The number among several characteristics with this UUID, by their handles, from 1; 0: all of them.
        package var instance: Int

        package init(service: BluetoothUUID, characteristic: BluetoothUUID, instance: Int = 0) {
            self.service = service
            self.characteristic = characteristic
            self.instance = instance
        }

        /// The feed without its instance.
        package var plain: Feed { Feed(service: service, characteristic: characteristic) }
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

    package enum LinkUse: String, Sendable {
        /// It stays.
        case hold
        /// It is made for each read.
        case close
    }

    /// The device's name in topics; only for a rule that is about one sensor.
    package var id: String?
    /// The advertised name; with a trailing `*` everything that begins so.
    package var name: String?
    package var address: UInt64?
    /// The identifier that this gateway's Bluetooth stack gave the sensor.
    package var identifier: UUID?
    package var service: BluetoothUUID?
    /// The company in its Manufacturer Specific Data (Assigned Numbers, 7).
    package var manufacturer: UInt16?
    /// What it advertises its values as: a ``AdvertisementDecoder/family``.
    package var family: String?
    /// As it says itself in its advertisements.
    package var model: String?
    /// dBm that it is heard with at least, to be accepted.
    package var minimumRSSI: Int8?
    /// What opens its advertisements: 32 or 24 hexadecimal digits.
    package var bindKey: Secret?
    package var bindKeyFile: String?
    /// What is in the tank below it, where the sensor does not say so.
    package var medium: TankMedium?
    /// What is collected, where neither `subscribe` nor `read` says so: a ``SensorProfile/name``.
    package var profile: String?
    package var subscribe: [Feed] = []
    package var read: [Feed] = []
    /// One value in this time is enough; nil: every value that it sends is wanted.
    package var valueInterval: Duration?
    /// No value for so long is silence; nil leaves it to its usual interval.
    package var silentAfter: Duration?
    /// From one read to the next; nil reads once a link.
    package var readInterval: Duration?
    /// What becomes of the link between reads; nil leaves it to the interval.
    package var linkUse: LinkUse?
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

    /// Nothing is asked of the sensor on a link: its values come in what it advertises, or are those that its services
    /// are known for.
    package var namesNothing: Bool { subscribe.isEmpty && read.isEmpty }

    /// Every service that has something to collect, each once.
    package var services: [BluetoothUUID] {
        var seen: Set<BluetoothUUID> = []
        return (read + subscribe).map(\.service).filter { seen.insert($0).inserted }
    }
}
