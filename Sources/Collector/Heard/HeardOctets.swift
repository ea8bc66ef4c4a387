// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The advertised octets of a device, hexadecimal, for people who want to know why no decoder understands them.
package struct HeardOctets: Codable, Equatable, Sendable {
    /// Octets that are shown of an advertisement, and of a scan response. A legacy advertisement has up to 31 octets,
    /// an extended advertisement up to 1650.
    static let maximum = 255

    package var advertisement: String
    /// Nil without a scan response.
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
