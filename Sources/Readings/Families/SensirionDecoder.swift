// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Sensirion's gadgets, which send ticks of their sensor: 65,535 ticks are its range (data sheets of SHT3x, SHT4x and
/// SCD4x). A value is the data after the company identifier: a kind, the type of the sample, two octets of the device,
/// and the sample's numbers of two octets each. More data may follow.
enum SensirionDecoder: AdvertisementDecoder {
    static let family = "sensirion"
    static let name = "Sensirion"
    private static let company: UInt16 = 0x06D5
    static let carriers: [AdvertisementCarrier] = [.manufacturer(company)]
    static let quantities: [Quantity] = [
        .temperature, .humidity, .co2, .vocIndex, .noxIndex, .pm1, .pm25, .pm4, .pm10, .formaldehyde,
    ]
    static let needs = FamilyNeeds(
        products: "MyCO2, CO2 Gadget, SHT4x Smart Gadget, SHT3x gadgets, DIY gadgets with SVM4x, SFA30, SEN5x and SEN6x"
    )

    private enum Slot {
        case temperature, humidity, humidityWide, voc, nox, co2, formaldehyde
        /// Ticks of a range of 1,000 µg/m³.
        case dustTicks
        /// Tenths of a µg/m³.
        case dust(Quantity)
    }

    private static let samples: [UInt8: [Slot]] = [
        3: [.temperature, .humidity, .voc],
        4: [.temperature, .humidity],
        6: [.temperature, .humidityWide],
        8: [.temperature, .humidity, .co2],
        10: [.temperature, .humidity, .co2],
        12: [.temperature, .humidity, .co2, .dustTicks],
        14: [.temperature, .humidity, .formaldehyde],
        16: [.temperature, .humidity, .voc, .dustTicks],
        20: [.temperature, .humidity, .co2, .voc, .dustTicks, .formaldehyde],
        22: [.temperature, .humidity, .voc, .nox],
        24: [.temperature, .humidity, .voc, .nox, .dust(.pm25)],
        26: [.temperature, .humidity, .co2, .voc, .nox, .dust(.pm25)],
        28: [.temperature, .humidity, .co2, .dust(.pm25)],
        30: [.temperature, .humidity, .voc, .dust(.pm25)],
        31: [.temperature, .humidity, .co2, .voc, .dust(.pm25), .formaldehyde],
        34: [.dust(.pm1), .dust(.pm25), .dust(.pm4), .dust(.pm10)],
        36: [.co2],
    ]

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let data = advertisement.manufacturerData(of: company).map(Array.init), (try? decode(data)) != nil else {
            return nil
        }
        return .plain(AdvertisedPacket(data))
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        guard try reader.u8("type") == 0 else { throw .invalid(field: "type") }
        guard let slots = samples[try reader.u8("sample type")] else { throw .invalid(field: "sample type") }
        _ = try reader.u16("device")
        var fields: [Field] = []
        for slot in slots { fields.append(field(slot, try reader.u16("number"))) }
        return fields
    }

    private static func field(_ slot: Slot, _ number: UInt16) -> Field {
        switch slot {
        case .temperature: .decimal(.temperature, ticks(number, 17_500, -4_500), places: 2)
        case .humidity: .decimal(.humidity, ticks(number, 10_000, 0), places: 2)
        // The range is wider than the possible values.
        case .humidityWide: .decimal(.humidity, min(max(ticks(number, 12_500, -600), 0), 10_000), places: 2)
        case .voc: .int(.vocIndex, Int64(number))
        case .nox: .int(.noxIndex, Int64(number))
        case .co2: .int(.co2, Int64(number))
        case .dustTicks: .decimal(.pm25, ticks(number, 100_000, 0), places: 2)
        case .dust(let quantity): .decimal(quantity, Int64(number), places: 1)
        // Fifths of a ppb, which is 1.228 µg/m³ at 25 °C.
        case .formaldehyde: .decimal(.formaldehyde, Int64(number) * 2_456, places: 7)
        }
    }

    /// Rounded, in the unit of `range`.
    private static func ticks(_ count: UInt16, _ range: Int64, _ least: Int64) -> Int64 {
        (Int64(count) * range + 32_767) / 65_535 + least
    }
}
