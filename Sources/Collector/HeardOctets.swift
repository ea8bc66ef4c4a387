// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The advertised octets of a device, hexadecimal, for people who find out why no decoder understands them.
package struct HeardOctets: Codable, Equatable, Sendable {
    /// Octets that are shown of an advertisement, and of a scan response. Legacy ones have 31, extended ones up to 1650.
    static let maximum = 255

    package var advertisement: String
    /// Nil where there was none.
    package var scanResponse: String?

    package init(_ octets: AdvertisedOctets) {
        advertisement = Self.shown(octets.advertisement)
        scanResponse = octets.scanResponse.isEmpty ? nil : Self.shown(octets.scanResponse)
    }

    private static func shown(_ octets: [UInt8]) -> String {
        [UInt8](octets.prefix(maximum)).hexadecimal + (octets.count > maximum ? "…" : "")
    }

    /// `its advertisement 020106, its scan response 0409414243`
    package var words: String {
        "its advertisement \(advertisement.isEmpty ? "is empty" : advertisement)"
            + (scanResponse.map { ", its scan response \($0)" } ?? "")
    }
}
