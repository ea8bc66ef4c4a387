// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Mopeka's tank sensors. A value is what follows the company identifier, which is Nordic's: the service tells.
enum MopekaDecoder: AdvertisementDecoder {
    static let family = "mopeka"
    static let name = "Mopeka"
    static let carriers: [AdvertisementCarrier] = [.manufacturer(0x0059)]
    static let quantities: [Quantity] = [.liquidLevel, .levelQuality, .temperature, .voltage, .battery]
    static let needs = FamilyNeeds(
        products: "Mopeka Pro Check, Pro Plus, Pro H2O and others",
        hint: "The level is that of propane: sound is slower or faster in other liquids.")

    private static let kinds: Set<UInt8> = [0x03, 0x04, 0x05, 0x06, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x12]

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let data = advertisement.manufacturerData(of: 0x0059).map(Array.init), data.count == 10,
            kinds.contains(data[0]), advertisement.services.contains(BluetoothUUID(0xFEE5 as UInt16)),
            let address = advertisement.addressOctets, data[5..<8].elementsEqual(address.suffix(3)),
            (try? decode(data)) != nil
        else { return nil }
        return .plain(AdvertisedPacket(data))
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        guard kinds.contains(try reader.u8("kind")) else { throw .invalid(field: "kind") }
        // Thirty-seconds of a volt.
        let voltage = Int64(try reader.u8("voltage") & 0x7F)
        let warmth = Int64(try reader.u8("temperature") & 0x7F)
        let echo = try reader.u16("echo")
        _ = try reader.bytes(5, "address and tilt")
        try reader.finish()
        // 2.2 V is empty, 2.85 V is full.
        let battery = min(max((voltage * 3_125 - 220_000) * 100 / 65_000, 0), 100)
        var fields: [Field] = [
            .int(.temperature, warmth - 40), .decimal(.voltage, voltage * 3_125, places: 5), .int(.battery, battery),
            .int(.levelQuality, Int64(echo >> 14)),
        ]
        if echo >> 14 > 0 {
            let degrees = Double(warmth)
            let millimetres = Double(echo & 0x3FFF) * (0.573045 - 0.002822 * degrees - 0.00000535 * degrees * degrees)
            fields.append(.decimal(.liquidLevel, Int64(millimetres), places: 3))
        }
        return fields
    }
}
