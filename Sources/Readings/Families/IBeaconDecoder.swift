// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// iBeacon (Apple, "Proximity Beacon Specification"). A value is the 23 octets after the company identifier.
///
/// Some makers put values of their own into the numbers of beacons with their UUID. Jaalee adds an octet for the
/// battery.
enum IBeaconDecoder: AdvertisementDecoder {
    static let family = "ibeacon"
    static let name = "iBeacon"
    static let carriers: [AdvertisementCarrier] = [.manufacturer(0x004C)]
    static let quantities: [Quantity] = [.beacon, .txPower, .battery, .temperature, .humidity]
    static let needs = FamilyNeeds(
        products: "Beacons of any maker whose address does not change; BM2 and BM6 battery monitors, ABTemp, Jaalee JHT"
    )

    /// An iBeacon of Govee's sensors beside their values. It has no values.
    private static let ofGovee = Array("INTELLI_ROCKS".utf8)

    private static let bm2 = "655f83ca-ae16-a10a-702e-31f30d58dd82"
    private static let bm6 = "3ba29cd9-a42c-8948-56ba-daf2606ef777"
    private static let abTemp = "b5b182c7-eab1-4988-aa99-b5c1517008d9"
    private static let jaalee = "ebefd083-70a2-47c8-9837-e7b5634df525"
    private static let octetsOfJaalee: [UInt8] = [
        0xEB, 0xEF, 0xD0, 0x83, 0x70, 0xA2, 0x47, 0xC8, 0x98, 0x37, 0xE7, 0xB5, 0x63, 0x4D, 0xF5, 0x25,
    ]
    private static let length = 23

    /// Manufacturer Specific Data, with its company identifier, is an iBeacon. Some makers append octets of their own.
    static func isBeacon(_ data: [UInt8]) -> Bool {
        data.count >= length + 2 && data.starts(with: [0x4C, 0x00, 0x02, 0x15])
    }

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard isBeacon(advertisement.manufacturerData) else { return nil }
        var data = Array(advertisement.manufacturerData.dropFirst(2))
        let uuid = data[2..<18]
        guard !TiltDecoder.isTilt(uuid), !uuid.starts(with: ofGovee) else { return nil }
        data.removeLast(data.count - min(data.count, uuid.elementsEqual(octetsOfJaalee) ? length + 1 : length))
        return .plain(AdvertisedPacket(data))
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = BigEndianReader(value)
        _ = try reader.u16("head")
        let digits = Array(Array(try reader.bytes(16, "uuid")).hexadecimal)
        let major = try reader.u16("major")
        let minor = try reader.u16("minor")
        let power = Int64(try reader.i8("power"))
        let uuid = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
        let battery = uuid == jaalee && !reader.rest().isEmpty ? value.last : nil
        try reader.finish()
        let beacon: [Field] = [.text(.beacon, "\(uuid)/\(major)/\(minor)"), .int(.txPower, power)]
        switch uuid {
        // The battery is in place of the measured power.
        case bm2: return [beacon[0], .int(.battery, power)]
        case bm6: return beacon + [.int(.battery, Int64(major & 0xFF))]
        case abTemp:
            return beacon + [
                .int(.battery, Int64(minor >> 8)), .int(.temperature, Int64(Int8(truncatingIfNeeded: minor & 0xFF))),
            ]
        case jaalee:
            // Ticks of the sensor: 65,536 ticks are its range.
            return beacon + [
                .decimal(.temperature, (Int64(major) * 17_500 + 32_767) / 65_535 - 4_500, places: 2),
                .decimal(.humidity, (Int64(minor) * 10_000 + 32_767) / 65_535, places: 2),
            ] + (battery.map { [.int(.battery, Int64($0))] } ?? [])
        default: return beacon
        }
    }
}
