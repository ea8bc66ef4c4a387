// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Readings

extension Advertisement {
    /// The data that a scan has gathered about a device, as in `didDiscover`. Name and services may be from earlier
    /// sightings.
    package init(_ data: [String: Any], address: UInt64?, name: String?, services: [BluetoothUUID]) {
        self.init(
            address: address, name: name, services: services,
            manufacturer: data[CBAdvertisementDataManufacturerDataKey] as? Data,
            serviceData: data[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] ?? [:])
    }

    package init(
        address: UInt64?, name: String?, services: [BluetoothUUID], manufacturer: Data?, serviceData: [CBUUID: Data]
    ) {
        var (short, long): ([UInt16: [UInt8]], [BluetoothUUID: [UInt8]]) = ([:], [:])
        for (uuid, value) in serviceData {
            let octets = [UInt8](uuid.data)
            if octets.count == 2 {
                short[UInt16(octets[0]) << 8 | UInt16(octets[1])] = [UInt8](value)
            } else if let uuid = BluetoothUUID(littleEndian: octets.reversed()) {
                long[uuid] = [UInt8](value)
            }
        }
        self.init(
            address: address, name: name, services: services, manufacturerData: manufacturer.map { [UInt8]($0) } ?? [],
            serviceData: short, longServiceData: long)
    }
}
