// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

extension Advertisement {
    /// What AD structures say (Core 5.4, Vol 3, Part C, 11): of an advertisement, and of its scan response behind it.
    ///
    /// Where there are several Manufacturer Specific Data, each may be a sensor's: there is one of these for each, the last
    /// of the advertisement first, for some sensors append newer data to older. An iBeacon comes after all others: sensors
    /// send one beside their values, so that phones wake up.
    ///
    /// The last of several Service Data with one UUID is part of all these; each of the others is a further advertisement, for a
    /// sensor may divide its values between advertisement and scan response. BTHome's of one packet are joined.
    ///
    /// - Parameter responseAt: octets of the advertisement; those of the scan response follow. Each is parsed by itself.
    package static func all(
        in octets: ArraySlice<UInt8>, responseAt: Int = .max, address: UInt64?
    ) -> [Advertisement] {
        var common = Advertisement(address: address)
        var manufacturers: [[UInt8]] = []
        var further: [(uuid: UInt16, value: [UInt8])] = []
        for structure in AdvertisingData(octets, responseAt: responseAt) {
            switch structure.type {
            case .manufacturerData: manufacturers.append(Array(structure.value))
            case .completeLocalName: common.name = String(decoding: structure.value, as: UTF8.self)
            case .shortenedLocalName where common.name == nil:
                common.name = String(decoding: structure.value, as: UTF8.self)
            case .serviceData16 where structure.value.count >= 2:
                let uuid =
                    UInt16(structure.value[structure.value.startIndex])
                    | UInt16(structure.value[structure.value.startIndex + 1]) << 8
                let value = Array(structure.value.dropFirst(2))
                guard let former = common.serviceData.updateValue(value, forKey: uuid), former != value else {
                    continue
                }
                if uuid == BTHomeDecoder.service, let whole = BTHomeDecoder.joined(former, value) {
                    common.serviceData[uuid] = whole
                } else if further.count < Self.furtherLimit {
                    further.append((uuid, former))
                }
            case .serviceData32, .serviceData128:
                guard let width = structure.type.serviceDataUUIDWidth, structure.value.count >= width,
                    let uuid = BluetoothUUID(littleEndian: structure.value.prefix(width))
                else { continue }
                common.longServiceData[uuid] = Array(structure.value.dropFirst(width))
            default:
                guard let width = structure.type.serviceUUIDWidth else { continue }
                common.services += structure.uuids(width: width)
            }
        }
        let others = further.map { one in
            var other = common
            (other.serviceData, other.longServiceData, other.isFurther) = ([one.uuid: one.value], [:], true)
            return other
        }
        guard !manufacturers.isEmpty else { return [common] + others }
        manufacturers.reverse()
        if manufacturers.count > 1 {
            manufacturers =
                manufacturers.filter { !IBeaconDecoder.isBeacon($0) } + manufacturers.filter(IBeaconDecoder.isBeacon)
        }
        return manufacturers.map { data in
            var one = common
            one.manufacturerData = data
            return one
        } + others
    }

    /// Service Data of UUIDs that came before in an advertisement, as many as are looked at.
    private static let furtherLimit = 4
}
