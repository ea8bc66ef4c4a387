// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The content of an advertisement and of its scan response, if any, as far as families use the content.
package struct Advertisement: Equatable, Sendable {
    /// The advertiser's address, with the first printed octet as the most significant; nil if unknown.
    package var address: UInt64?
    /// The local name, as received.
    package var name: String?
    /// Service UUIDs, complete or not.
    package var services: [BluetoothUUID]
    /// Manufacturer Specific Data as on the air: the two octets of the company identifier, low octet first, and the
    /// data. Some families keep data in place of the identifier. Empty without such data.
    package var manufacturerData: [UInt8]
    /// Service Data by 16-bit UUID, without the UUID.
    package var serviceData: [UInt16: [UInt8]]
    /// Service Data by a UUID of 32 or 128 bits, without the UUID.
    package var longServiceData: [BluetoothUUID: [UInt8]]
    /// Encrypted Advertising Data, whose structures are to be read like an advertisement's. The advertisement has no
    /// other data then. Empty without Encrypted Advertising Data.
    package var encryptedData: [UInt8] = []
    /// This advertisement holds one of several Service Data with one UUID. Its values are used as well.
    package var isFurther = false

    package init(
        address: UInt64? = nil, name: String? = nil, services: [BluetoothUUID] = [], manufacturerData: [UInt8] = [],
        serviceData: [UInt16: [UInt8]] = [:], longServiceData: [BluetoothUUID: [UInt8]] = [:]
    ) {
        self.address = address
        self.name = name
        self.services = services
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
        self.longServiceData = longServiceData
    }

    /// The data after the company identifier, if the identifier is `company`.
    package func manufacturerData(of company: UInt16) -> ArraySlice<UInt8>? {
        guard manufacturerData.count >= 2, manufacturerData[0] == UInt8(truncatingIfNeeded: company),
            manufacturerData[1] == UInt8(company >> 8)
        else { return nil }
        return manufacturerData.dropFirst(2)
    }

    /// The address as repeated in sensors' data, in printed order.
    package var addressOctets: [UInt8]? {
        address.map { address in (0..<6).map { UInt8(truncatingIfNeeded: address >> (40 - 8 * $0)) } }
    }
}
