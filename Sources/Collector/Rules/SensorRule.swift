// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Readings

/// Which sensors to accept and which values to collect from them: a `[[sensor]]` of the configuration. The collector
/// never connects to a device without a rule.
package struct SensorRule: Equatable, Sendable {
    /// A characteristic in a service, both by UUID.
    package struct Feed: Hashable, Sendable {
        package var service: BluetoothUUID
        package var characteristic: BluetoothUUID
        /// The number among several characteristics of this UUID, by their handles, from 1; 0: all these
        /// characteristics.
        package var instance: Int

        package init(service: BluetoothUUID, characteristic: BluetoothUUID, instance: Int = 0) {
            self.service = service
            self.characteristic = characteristic
            self.instance = instance
        }

        /// The feed without its instance.
        package var plain: Feed { Feed(service: service, characteristic: characteristic) }
    }

    /// The place of the sensor's own numbers in its values. The number grows by one for each value.
    package struct Sequence: Equatable, Sendable {
        package var feed: Feed
        /// Octets before the number: 0…511.
        package var offset = 0
        /// Octets of the number: 1, 2 or 4.
        package var length = 1
        package var isBigEndian = false

        package init(feed: Feed) { self.feed = feed }
    }

    /// A value that the collector writes to a characteristic. The sensor answers with notifications.
    package struct Command: Hashable, Sendable {
        /// Commands of an entry.
        package static let maximumCount = 8
        /// Octets of a value: one packet of a link with an ordinary MTU.
        package static let maximumLength = 244

        package var feed: Feed
        /// 1 to ``maximumLength`` octets.
        package var value: [UInt8]

        package init(_ feed: Feed, _ value: [UInt8]) { (self.feed, self.value) = (feed, value) }
    }

    package enum LinkUse: String, Sendable {
        /// The link stays.
        case hold
        /// The collector makes a link for each read.
        case close
    }

    /// The device's name in topics; only for a rule about a single sensor.
    package var id: String?
    /// The advertised name; with a trailing `*` every name with this beginning.
    package var name: String?
    package var address: UInt64?
    /// The identifier that this gateway's Bluetooth stack gave the sensor.
    package var identifier: UUID?
    package var service: BluetoothUUID?
    /// The company in its Manufacturer Specific Data (Assigned Numbers, 7).
    package var manufacturer: UInt16?
    /// The format of the advertised values: a ``AdvertisementDecoder/family``.
    package var family: String?
    /// The model in the sensor's advertisements.
    package var model: String?
    /// The least signal strength for acceptance, dBm.
    package var minimumRSSI: Int8?
    /// The key of the sensor's advertisements: 32, 24 or 48 hexadecimal digits.
    package var bindKey: Secret?
    package var bindKeyFile: String?
    /// The content of the tank below the sensor, if the sensor does not report it.
    package var medium: TankMedium?
    /// The values to collect, if `subscribe` and `read` are empty: a ``SensorProfile/name``.
    package var profile: String?
    package var subscribe: [Feed] = []
    package var read: [Feed] = []
    /// The wanted interval of values; nil: every value is wanted.
    package var valueInterval: Duration?
    /// No value for so long is silence; nil leaves it to its usual interval.
    package var silentAfter: Duration?
    /// From one read to the next; nil reads once a link.
    package var readInterval: Duration?
    /// The use of the link between reads; nil: the interval decides.
    package var linkUse: LinkUse?
    /// Written after the subscriptions: at most ``Command/maximumCount``.
    package var write: [Command] = []
    /// From one round of `write` to the next; nil writes once a link.
    package var writeInterval: Duration?
    package var sequence: Sequence?
    /// The pace of messages on `…/state`, if it differs from `[mqtt]`.
    package var pacing = LivePacingRule()
    /// The limits of its values, and of its silence; nil for none.
    package var limits: SensorLimits?
    /// Whether to pair when the sensor asks for a pairing; nil: as in `[security]`.
    package var pair: Bool?
    /// Six digits, as on the sensor's label.
    package var passkey: Secret?
    package var passkeyFile: String?
    /// LE legacy pairing is accepted if the sensor supports nothing newer.
    package var allowsLegacyPairing = false
    /// The operator's facts: label, room, offsets.
    package var facts = OperatorFacts()

    package init() {}

    /// Whether the rule is about a single sensor, so the search ends when the sensor is found.
    package var isSingle: Bool { id != nil || address != nil || identifier != nil }

    /// The rule names nothing to read on a link. The values come in advertisements, or are the known values of the
    /// sensor's services.
    package var namesNothing: Bool { subscribe.isEmpty && read.isEmpty }

    /// Every service with a value to collect, without repetitions.
    package var services: [BluetoothUUID] {
        var seen: Set<BluetoothUUID> = []
        return (read + subscribe).map(\.service).filter { seen.insert($0).inserted }
    }
}
