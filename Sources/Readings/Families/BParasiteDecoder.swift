// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// b-parasite, a sensor for the soil of plants, with its firmware from before BTHome (github.com/rbaron/b-parasite). A
/// value is the Service Data without the address.
enum BParasiteDecoder: AdvertisementDecoder {
    static let family = "b-parasite"
    static let name = "b-parasite"
    private static let service: UInt16 = 0x181A
    static let carriers: [AdvertisementCarrier] = [.serviceData(service)]
    static let quantities: [Quantity] = [.temperature, .humidity, .moisture, .voltage, .illuminance]
    static let needs = FamilyNeeds(products: "b-parasite with firmware of its first versions; newer ones send BTHome")

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let data = advertisement.serviceData[service], data.count == 16 || data.count == 18,
            let address = advertisement.addressOctets, data[10..<16].elementsEqual(address)
        else { return nil }
        let value = Array(data[..<10] + data[16...])
        return .plain(AdvertisedPacket(value, number: PacketNumber(UInt32(data[1]), bits: 8)))
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = BigEndianReader(value)
        let version = try reader.u8("protocol") >> 4
        guard version == 1 || version == 2 else { throw .invalid(field: "protocol") }
        _ = try reader.u8("counter")
        let voltage = Int64(try reader.u16("voltage"))
        let temperature = Int64(try reader.i16("temperature"))
        let humidity = Int64(try reader.u16("humidity"))
        let moisture = Int64(try reader.u16("moisture"))
        var fields: [Field] = [
            .decimal(.temperature, temperature, places: version == 2 ? 2 : 3),
            .decimal(.humidity, share(humidity), places: 3), .decimal(.moisture, share(moisture), places: 3),
            .decimal(.voltage, voltage, places: 3),
        ]
        if reader.remaining > 0 { fields.append(.int(.illuminance, Int64(try reader.u16("illuminance")))) }
        try reader.finish()
        return fields
    }

    /// 65,536ths, in thousandths of a percent.
    private static func share(_ part: Int64) -> Int64 { (part * 100_000 + 32_768) / 65_536 }
}
