// SPDX-License-Identifier: Apache-2.0

import Readings

/// The meaning of the fuzz targets' choices, for the authors of seeds.
package enum FuzzFormats {
    /// Event codes, LE Meta with its subevents: the choices of `hci-events`.
    package static let eventFamilies: [(code: UInt8, subevent: UInt8?)] = [
        (0x05, nil), (0x08, nil), (0x0C, nil), (0x0E, nil), (0x0F, nil), (0x10, nil), (0x13, nil), (0x1A, nil),
        (0x30, nil), (0x59, nil), (0x3E, 0x01), (0x3E, 0x02), (0x3E, 0x03), (0x3E, 0x04), (0x3E, 0x05), (0x3E, 0x06),
        (0x3E, 0x07), (0x3E, 0x0A), (0x3E, 0x0C), (0x3E, 0x0D), (0x3E, 0x11), (0x3E, 0x12), (0x3E, 0x14), (0x3E, nil),
    ]

    /// The choices of `decoders`: all decoded characteristics, and a name, which has no decoder.
    package static let characteristics = Decoders.table.map(\.characteristic) + ["2a00"]

    /// The first choice of `smp` for one of our machines and a peer with any octets.
    package static let lonePairing: UInt8 = 10

    /// Bits in the first octet of `mqtt`: both bits for a connection with a subscription, one bit for a connection that only takes
    /// messages. Bit 0 selects MQTT 5; bit 7 keeps the session.
    package static let subscriber: UInt8 = 0x60

    /// Octets of the longest input.
    package enum Limit {
        package static let host = 384
        package static let pairing = 1_536
        package static let configuration = 1_024
    }
}
