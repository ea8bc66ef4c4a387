// SPDX-License-Identifier: Apache-2.0

/// Writes seeds in the fuzz targets' format: a row of choices, and octets after their count.
package struct FuzzScript: Sendable {
    package private(set) var octets: [UInt8] = []

    package init(_ octets: UInt8...) { self.octets = octets }

    package init(_ octets: [UInt8]) { self.octets = octets }

    package mutating func add(_ octets: UInt8...) { self.octets += octets }

    package mutating func add(u16: UInt16) {
        octets += [UInt8(truncatingIfNeeded: u16), UInt8(truncatingIfNeeded: u16 >> 8)]
    }

    /// At most 255 octets.
    package mutating func add(counted list: [UInt8]) { octets += [UInt8(truncatingIfNeeded: list.count)] + list }
}
