// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// HHCCJCY10, a plant sensor. A value is its service data.
enum HHCCJCY10Decoder: AdvertisementDecoder {
    static let family = "hhccjcy10"
    static let name = "HHCCJCY10"
    private static let service: UInt16 = 0xFD50
    static let carriers: [AdvertisementCarrier] = [.serviceData(service)]
    static let quantities: [Quantity] = [.moisture, .temperature, .illuminance, .battery, .conductivity]
    static let needs = FamilyNeeds(products: "HHCCJCY10 (the pink one)")

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let data = advertisement.serviceData[service], data.count == 9 else { return nil }
        return .plain(AdvertisedPacket(data))
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = BigEndianReader(value)
        let moisture = Int64(try reader.u8("moisture"))
        let temperature = Int64(try reader.i16("temperature"))
        let light = Int64(try reader.u24("light"))
        let battery = Int64(try reader.u8("battery"))
        let conductivity = Int64(try reader.u16("conductivity"))
        try reader.finish()
        guard (-400...1_000).contains(temperature) else { throw .invalid(field: "temperature") }
        // The packet has no other check. The sun has 130,000 lx.
        guard light <= 200_000, moisture <= 100 || battery <= 100 else { throw .invalid(field: "light") }
        return [
            .int(.moisture, moisture), .decimal(.temperature, temperature, places: 1), .int(.illuminance, light),
            .int(.battery, battery), .int(.conductivity, conductivity),
        ]
    }
}
