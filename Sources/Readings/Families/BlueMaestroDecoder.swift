// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Blue Maestro's Tempo Disc. A value is the data after the company identifier, to the fourteenth octet. A plain
/// thermometer sends ten octets. A Pebble, the first model, has a layout of its own.
enum BlueMaestroDecoder: AdvertisementDecoder {
    static let family = "bluemaestro"
    static let name = "Blue Maestro"
    static let carriers: [AdvertisementCarrier] = [.manufacturer(0x0133)]
    static let quantities: [Quantity] = [.temperature, .humidity, .dewpoint, .pressure, .battery]
    static let needs = FamilyNeeds(products: "Tempo Disc T, THD and THPD, Pebble")

    private static let thermometer: UInt8 = 0x0D
    private static let pebble: UInt8 = 0x01
    private static let length = 14
    private static let lengthOfThermometer = 10

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let data = advertisement.manufacturerData(of: 0x0133), let kind = data.first,
            data.count >= (kind == thermometer ? lengthOfThermometer : length)
        else { return nil }
        return .plain(AdvertisedPacket(Array(data.prefix(length))))
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = BigEndianReader(value)
        let kind = try reader.u8("kind")
        if kind == pebble { return try pebble(value) }
        let battery = Int64(try reader.u8("battery"))
        _ = try reader.bytes(4, "counters")
        let temperature = Int64(try reader.i16("temperature"))
        guard (-500...1_500).contains(temperature) else { throw .invalid(field: "temperature") }
        let fields: [Field] = [.decimal(.temperature, temperature, places: 1), .int(.battery, battery)]
        // 0D: a thermometer; 16 and 17: with humidity and dew point; 1B: with humidity and pressure.
        guard kind != thermometer else { return fields }
        let humidity = Int64(try reader.u16("humidity"))
        switch kind {
        case 0x16, 0x17:
            return fields + [
                .decimal(.humidity, humidity, places: 1),
                .decimal(.dewpoint, Int64(try reader.i16("dew point")), places: 1),
            ]
        case 0x1B:
            return fields + [
                .decimal(.humidity, humidity, places: 1),
                .decimal(.pressure, Int64(try reader.u16("pressure")), places: 1),
            ]
        default: throw .invalid(field: "kind")
        }
    }

    /// The temperature stands between the least and the greatest of the past.
    private static func pebble(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        _ = try reader.bytes(3, "head")
        let temperature = Int64(try reader.i16("temperature"))
        _ = try reader.u16("greatest")
        let humidity = Int64(try reader.u8("humidity"))
        let pressure = Int64(try reader.u16("pressure"))
        guard (-500...1_500).contains(temperature), (300...1_200).contains(pressure) else {
            throw .invalid(field: "climate")
        }
        return [.decimal(.temperature, temperature, places: 1), .int(.humidity, humidity), .int(.pressure, pressure)]
    }
}
