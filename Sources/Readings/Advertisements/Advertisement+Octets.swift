// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

extension Advertisement {
    /// What AD structures say (Core 5.4, Vol 3, Part C, 11): of an advertisement, and of its scan response behind it.
    ///
    /// Where there are several Manufacturer Specific Data, each may be a sensor's: there is one of these for each, the last
    /// of the advertisement first, for some sensors append newer data to older. An iBeacon comes after all others: sensors
    /// send one beside their values, so that phones wake up.
    package static func all(in octets: ArraySlice<UInt8>, address: UInt64?) -> [Advertisement] {
        var common = Advertisement(address: address)
        var manufacturers: [[UInt8]] = []
        for structure in AdvertisingData(octets) {
            switch structure.type {
            case .manufacturerData: manufacturers.append(Array(structure.value))
            case .completeLocalName: common.name = String(decoding: structure.value, as: UTF8.self)
            case .shortenedLocalName where common.name == nil:
                common.name = String(decoding: structure.value, as: UTF8.self)
            case .serviceData16 where structure.value.count >= 2:
                let uuid =
                    UInt16(structure.value[structure.value.startIndex])
                    | UInt16(structure.value[structure.value.startIndex + 1]) << 8
                let data = Array(structure.value.dropFirst(2))
                let earlier = uuid == BTHomeDecoder.service ? common.serviceData[uuid] : nil
                common.serviceData[uuid] = earlier.flatMap { BTHomeDecoder.joined($0, data) } ?? data
            default:
                guard let width = structure.type.serviceUUIDWidth else { continue }
                common.services += structure.uuids(width: width)
            }
        }
        guard !manufacturers.isEmpty else { return [common] }
        manufacturers.reverse()
        if manufacturers.count > 1 {
            manufacturers =
                manufacturers.filter { !IBeaconDecoder.isBeacon($0) } + manufacturers.filter(IBeaconDecoder.isBeacon)
        }
        return manufacturers.map { data in
            var one = common
            one.manufacturerData = data
            return one
        }
    }
}
