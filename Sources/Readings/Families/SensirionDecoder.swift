// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Sensirion's gadgets, which send what the sensor in them counts: 65,535 ticks are its range (data sheets of SHT3x, SHT4x
/// and SCD4x). A value is what follows the company identifier.
enum SensirionDecoder: AdvertisementDecoder {
    static let family = "sensirion"
    static let name = "Sensirion"
    private static let company: UInt16 = 0x06D5
    static let carriers: [AdvertisementCarrier] = [.manufacturer(company)]
    static let quantities: [Quantity] = [.temperature, .humidity, .co2]
    static let needs = FamilyNeeds(products: "MyCO2, CO2 Gadget, SHT4x Smart Gadget, SHT3x gadgets")

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let data = advertisement.manufacturerData(of: company).map(Array.init), (try? decode(data)) != nil else {
            return nil
        }
        return .plain(AdvertisedPacket(data))
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        guard try reader.u8("type") == 0 else { throw .invalid(field: "type") }
        let sample = try reader.u8("sample type")
        _ = try reader.u16("device")
        let temperature = Field.decimal(.temperature, ticks(try reader.u16("temperature"), 17_500, -4_500), places: 2)
        let share = try reader.u16("humidity")
        switch sample {
        case 4:
            try reader.finish()
            return [temperature, .decimal(.humidity, ticks(share, 10_000, 0), places: 2)]
        case 6:
            try reader.finish()
            // Its range is wider than what is possible.
            return [temperature, .decimal(.humidity, min(max(ticks(share, 12_500, -600), 0), 10_000), places: 2)]
        case 8:
            let co2 = Int64(try reader.u16("co2"))
            try reader.finish()
            return [temperature, .decimal(.humidity, ticks(share, 10_000, 0), places: 2), .int(.co2, co2)]
        default: throw .invalid(field: "sample type")
        }
    }

    /// Rounded, in the unit of `range`.
    private static func ticks(_ count: UInt16, _ range: Int64, _ least: Int64) -> Int64 {
        (Int64(count) * range + 32_767) / 65_535 + least
    }
}
