// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// b-parasite, a sensor for the soil of plants, with its firmware from before BTHome (github.com/rbaron/b-parasite). A
/// record is the Service Data without the address.
enum BParasiteDecoder: RecordDecoder {
    static let records = RecordTable(.bParasite)
    private static let service: UInt16 = 0x181A
    static let carriers: [AdvertisementCarrier] = [.serviceData(service)]

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let data = advertisement.serviceData[service], data.count == 16 || data.count == 18,
            let address = advertisement.addressOctets, data[10..<16].elementsEqual(address)
        else { return nil }
        let value = Array(data[..<10] + data[16...])
        return .plain(AdvertisedPacket(value, number: PacketNumber(UInt32(data[1]), bits: 8)))
    }
}
