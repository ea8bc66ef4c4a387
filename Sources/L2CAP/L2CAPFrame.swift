// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The basic L2CAP frame: length, channel, payload. Core 5.4, Vol 3, Part A, 3.1.
package enum L2CAPFrame {
    /// Octets before the payload.
    package static let headerLength = 4

    package static func encode(_ payload: [UInt8], on channel: ChannelIdentifier) -> [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(headerLength + payload.count)
        octets.append(u16: UInt16(truncatingIfNeeded: payload.count))
        octets.append(u16: channel.rawValue)
        octets.append(contentsOf: payload)
        return octets
    }
}
