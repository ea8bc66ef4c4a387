// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

extension Advertisement {
    /// The content of the AD structures of an advertisement and of its scan response. Core 5.4, Vol 3, Part C, 11.
    ///
    /// Each of several Manufacturer Specific Data may be a sensor's, so each makes an ``Advertisement`` of its own. The
    /// last of them comes first, because some sensors append newer data to older data. An iBeacon comes after all
    /// others: sensors send an iBeacon beside their values to wake phones up.
    ///
    /// If several Service Data have one UUID, the last is part of all these advertisements. Each earlier one makes a
    /// further advertisement, because a sensor may divide its values between advertisement and scan response. BTHome
    /// data of one packet is joined.
    ///
    /// Each Encrypted Advertising Data makes a further advertisement, too.
    ///
    /// - Parameter responseAt: octets of the advertisement; the octets of the scan response follow. Each part is parsed
    ///   by itself.
    package static func all(
        in octets: ArraySlice<UInt8>, responseAt: Int = .max, address: UInt64?
    ) -> [Advertisement] {
        var common = Advertisement(address: address)
        var manufacturers: [[UInt8]] = []
        var further: [(uuid: UInt16, value: [UInt8])] = []
        var encrypted: [[UInt8]] = []
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
            case .encryptedData where encrypted.count < Self.furtherLimit: encrypted.append(Array(structure.value))
            default:
                guard let width = structure.type.serviceUUIDWidth else { continue }
                common.services += structure.uuids(width: width)
            }
        }
        var others = further.map { one in
            var other = common
            (other.serviceData, other.longServiceData, other.isFurther) = ([one.uuid: one.value], [:], true)
            return other
        }
        others += encrypted.map { octets in
            var other = common
            (other.serviceData, other.longServiceData, other.isFurther) = ([:], [:], true)
            other.encryptedData = octets
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

    /// Limit of Service Data whose UUID came before in an advertisement, and of Encrypted Advertising Data.
    private static let furtherLimit = 4
}
