// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// One value from a sensor, as received: undecoded, with the time of reception.
package struct Reading: Equatable, Sendable {
    /// How the value came in; the payload's `src`.
    package enum Source: String, Sendable {
        case advert, notify, indicate, read
    }

    /// The `<dev>` of the topics: the configured `id`, else 12 lower-case hexadecimal digits of the identity address.
    package var device: String
    /// The characteristic's UUID, lower case: `2a6e`, or the full form with dashes.
    package var characteristic: String
    package var source: Source
    /// At most 512 octets (Core 5.4, Vol 3, Part F, 3.2.9).
    package var value: [UInt8]
    /// dBm; nil when not known.
    package var rssi: Int8?
    package var stamp: TimeStamp

    package init(
        device: String, characteristic: String, source: Source, value: [UInt8], rssi: Int8?, stamp: TimeStamp
    ) {
        self.device = device
        self.characteristic = characteristic
        self.source = source
        self.value = value
        self.rssi = rssi
        self.stamp = stamp
    }
}
