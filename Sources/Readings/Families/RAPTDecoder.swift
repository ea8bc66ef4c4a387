// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The RAPT Pill hydrometer. A value is the data after the company identifier.
enum RAPTDecoder: AdvertisementDecoder {
    static let family = "rapt"
    static let name = "RAPT Pill"
    static let carriers: [AdvertisementCarrier] = [.manufacturer(0x4152)]
    static let quantities: [Quantity] = [
        .temperature, .specificGravity, .gravityRate, .accelerationX, .accelerationY, .accelerationZ, .battery,
    ]
    static let needs = FamilyNeeds(products: "RAPT Pill")

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let data = advertisement.manufacturerData(of: 0x4152).map(Array.init), data.count == 23,
            data.prefix(2).elementsEqual("PT".utf8), (try? decode(data)) != nil
        else { return nil }
        return .plain(AdvertisedPacket(data))
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = BigEndianReader(value)
        _ = try reader.u16("head")
        let version = try reader.u8("version")
        var rate: Field?
        switch version {
        case 1: _ = try reader.bytes(6, "address")
        case 2:
            _ = try reader.u8("reserved")
            let isValid = try reader.u8("valid") != 0
            let points = try real(&reader, -1_000...1_000)
            // A point is a thousandth of the specific gravity.
            if isValid { rate = .decimal(.gravityRate, Int64((points * 10).rounded()), places: 4) }
        default: throw .invalid(field: "version")
        }
        let temperature = (Int64(try reader.u16("temperature")) * 100 + 64) / 128 - 27_315
        let gravity = Int64((try real(&reader, 500...2_000) * 10).rounded())
        var fields: [Field] = [
            .decimal(.temperature, temperature, places: 2), .decimal(.specificGravity, gravity, places: 4),
        ]
        if let rate { fields.append(rate) }
        for quantity in [Quantity.accelerationX, .accelerationY, .accelerationZ] {
            // Sixteenths of a thousandth of 9.80665 m/s².
            let raw = Int64(try reader.i16("acceleration"))
            fields.append(.decimal(quantity, raw * 980_665 / 1_600_000, places: 3))
        }
        let battery = Int64(try reader.i16("battery"))
        try reader.finish()
        return fields + ((0...100 * 256).contains(battery) ? [.int(.battery, (battery + 128) / 256)] : [])
    }

    private static func real(
        _ reader: inout BigEndianReader, _ range: ClosedRange<Double>
    ) throws(DecodeError) -> Double {
        let number = Double(Float(bitPattern: try reader.u32("number")))
        guard range.contains(number) else { throw .invalid(field: "number") }
        return number
    }
}
