// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Tilt and Tilt Pro hydrometers, which look like iBeacons. A value is the 23 octets after Apple's company identifier.
enum TiltDecoder: AdvertisementDecoder {
    static let family = "tilt"
    static let name = "Tilt"
    static let carriers: [AdvertisementCarrier] = [.manufacturer(0x004C)]
    static let quantities: [Quantity] = [.temperature, .specificGravity]
    static let needs = FamilyNeeds(products: "Tilt, Tilt Pro")

    private static let colors: [UInt8: String] = [
        0x10: "Red", 0x20: "Green", 0x30: "Black", 0x40: "Purple", 0x50: "Orange", 0x60: "Blue", 0x70: "Yellow",
        0x80: "Pink",
    ]

    /// Whether the UUID of an iBeacon is a Tilt's. Tilts differ in the fourth octet.
    static func isTilt(_ uuid: ArraySlice<UInt8>) -> Bool {
        var same = Array(uuid)
        guard same.count == 16, colors[same[3]] != nil else { return false }
        same[3] = 0
        return same == [
            0xA4, 0x95, 0xBB, 0x00, 0xC5, 0xB1, 0x4B, 0x44, 0xB5, 0x12, 0x13, 0x70, 0xF0, 0x2D, 0x74, 0xDE,
        ]
    }

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let data = advertisement.manufacturerData(of: 0x004C).map({ Array($0.prefix(23)) }),
            IBeaconDecoder.isBeacon(advertisement.manufacturerData), isTilt(data[2..<18]), (try? decode(data)) != nil
        else { return nil }
        return .plain(AdvertisedPacket(data, model: colors[data[5]]))
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = BigEndianReader(value)
        _ = try reader.bytes(18, "uuid")
        let fahrenheit = Int64(try reader.u16("temperature"))
        let gravity = Int64(try reader.u16("gravity"))
        _ = try reader.u8("power")
        try reader.finish()
        // The Pro sends both numbers with a further decimal place.
        let isPro = gravity >= 5_000
        let hundredths = fahrenheit * (isPro ? 10 : 100)
        guard (900...12_000).contains(gravity), (1_000...25_000).contains(hundredths) else {
            throw .invalid(field: "gravity")
        }
        let celsius = ((hundredths - 3_200) * 10 + (hundredths < 3_200 ? -9 : 9)) / 18
        return [.decimal(.temperature, celsius, places: 2), .decimal(.specificGravity, gravity, places: isPro ? 4 : 3)]
    }
}
