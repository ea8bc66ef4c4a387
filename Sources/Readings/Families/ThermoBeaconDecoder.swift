// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// ThermoBeacon, also sold under many other names. A record is the 18 octets after the company identifier. Oria's newer
/// models (T201, T301) have a layout of their own. Their record is an octet 0xAA, which begins no other record, followed
/// by the data after the address.
enum ThermoBeaconDecoder: RecordDecoder {
    static let records = RecordTable(.thermobeacon)
    private static let companies: [UInt16] = [0x10, 0x11, 0x14, 0x15, 0x18, 0x1B, 0x30]
    private static let oria: UInt16 = 0xAA55
    static let carriers: [AdvertisementCarrier] = (companies + [oria]).map { .manufacturer($0) }

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        let data = advertisement.manufacturerData
        if let data = advertisement.manufacturerData(of: oria).map(Array.init) {
            guard data.count >= 15, data[0] == 0x01, let address = advertisement.addressOctets,
                data[2..<8].elementsEqual(address), data[8] == 0x01, data[9] == 0x07
            else { return nil }
            return .plain(AdvertisedPacket([0xAA] + data[10..<15]))
        }
        guard data.count == 20, let address = advertisement.addressOctets,
            data[4..<10].elementsEqual(address.reversed())
        else { return nil }
        return .plain(AdvertisedPacket(Array(data.dropFirst(2))))
    }
}
