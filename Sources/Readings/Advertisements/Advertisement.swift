// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// What one advertisement says, with its scan response where there was one, as far as families of sensors look at it.
package struct Advertisement: Equatable, Sendable {
    /// The advertiser's address, the octet that is printed first being the most significant; nil when not known.
    package var address: UInt64?
    /// The local name, as it came.
    package var name: String?
    /// Service UUIDs, complete or not.
    package var services: [BluetoothUUID]
    /// Manufacturer Specific Data as on the air: the company identifier's two octets, low one first, and what follows.
    /// Some families keep data where the identifier belongs. Empty when there is none.
    package var manufacturerData: [UInt8]
    /// Service Data by 16-bit UUID, without the UUID.
    package var serviceData: [UInt16: [UInt8]]
    /// Service Data by a UUID of 32 or 128 bits, without the UUID.
    package var longServiceData: [BluetoothUUID: [UInt8]]
    /// This advertisement holds one Service Data that stood beside another one of its UUID. Its values are taken as well.
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

    /// What follows the company identifier, where it is this one.
    package func manufacturerData(of company: UInt16) -> ArraySlice<UInt8>? {
        guard manufacturerData.count >= 2, manufacturerData[0] == UInt8(truncatingIfNeeded: company),
            manufacturerData[1] == UInt8(company >> 8)
        else { return nil }
        return manufacturerData.dropFirst(2)
    }

    /// The address as sensors repeat it in their data, the octet that is printed first coming first.
    package var addressOctets: [UInt8]? {
        address.map { address in (0..<6).map { UInt8(truncatingIfNeeded: address >> (40 - 8 * $0)) } }
    }
}
