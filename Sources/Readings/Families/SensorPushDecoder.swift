// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// SensorPush's sensors. They have values in place of the company identifier: one number, whose digits, each of a radix
/// of its own, are the quantities. A value is the Manufacturer Specific Data from its first octet on.
///
/// The HT1, which is older, sends ticks of its sensor: 14 bits for temperature and 12 for humidity.
enum SensorPushDecoder: AdvertisementDecoder {
    static let family = "sensorpush"
    static let name = "SensorPush"
    static let carriers: [AdvertisementCarrier] = [.service(service), .service(serviceOfHT1)]
    static let quantities: [Quantity] = [.temperature, .humidity, .pressure]
    static let needs = FamilyNeeds(needsActiveScan: true, products: "HT1, HT.w, HTP.xw, TC.x")

    private static let service = BluetoothUUID(high: 0xEF09_0000_11D6_42BA, low: 0x93B8_9DD7_EC09_0AB0)
    private static let serviceOfHT1 = BluetoothUUID(high: 0xEF09_0000_11D6_42BA, low: 0x93B8_9DD7_EC09_0AA9)
    private static let models: [UInt8: String] = [64: "HTP.xw", 65: "HT.w", 66: "TC.x"]

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        let data = advertisement.manufacturerData
        if advertisement.name == "s", advertisement.services.contains(serviceOfHT1) {
            return (try? ht1(data)) == nil ? nil : .plain(AdvertisedPacket(data, model: "HT1"))
        }
        guard advertisement.services.contains(service), data.count != 4, (try? decode(data)) != nil else { return nil }
        return .plain(AdvertisedPacket(data, model: models[64 + data[0] >> 2]))
    }

    private static func ht1(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let bits = Int64(try reader.u32("counts"))
        try reader.finish()
        guard bits >> 26 & 0x1F == 1 else { throw .invalid(field: "model") }
        let (humidity, temperature) = (bits & 0xFFF, bits >> 12 & 0x3FFF)
        return [
            .decimal(.temperature, (17_572 * temperature + 8_192) / 16_384 - 4_685, places: 2),
            .decimal(.humidity, min(max((12_500 * humidity + 2_048) / 4_096 - 600, 0), 10_000), places: 2),
        ]
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        if value.count == 4 { return try ht1(value) }
        // The meaning of other pages is unknown.
        guard let head = value.first, head & 0x03 == 0, value.count <= 8 else { throw .invalid(field: "page") }
        var number = value.dropFirst().reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        func digit(_ radix: UInt64) -> Int64 {
            defer { number /= radix }
            return Int64(number % radix)
        }
        let fields: [Field]
        switch (64 + head >> 2, value.count) {
        case (64, 7):
            let temperature = digit(72_001) * 25 - 400_000
            let humidity = digit(40_001) * 25
            let pascals = digit(95_001) + 30_000
            fields = [
                .decimal(.temperature, temperature, places: 4), .decimal(.humidity, humidity, places: 4),
                .decimal(.pressure, pascals, places: 2),
            ]
        case (65, 5):
            let temperature = digit(66_001) * 25 - 400_000
            fields = [
                .decimal(.temperature, temperature, places: 4), .decimal(.humidity, digit(40_001) * 25, places: 4),
            ]
        case (66, 5): fields = [.decimal(.temperature, digit(32_001) * 625 - 2_000_000, places: 4)]
        default: throw .invalid(field: "model")
        }
        // A rest is more than this sensor can send.
        guard number == 0 else { throw .trailing(octets: 1) }
        return fields
    }
}
