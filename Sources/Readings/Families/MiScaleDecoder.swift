// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Xiaomi's scales that advertise a weight: Mi Smart Scale and Mi Body Composition Scale.
///
/// A value is the service data: 10 octets for the Smart Scale, 13 for the Body Composition Scale. The UUIDs belong to
/// the SIG's Weight Scale and Body Composition services, so the length and the date of the weighing identify a scale.
/// Packets sent while a person steps on or off are ignored.
enum MiScaleDecoder: AdvertisementDecoder {
    static let family = "mi-scale"
    static let name = "Xiaomi Mi Scale"
    private static let weightScale: UInt16 = 0x181D
    private static let bodyComposition: UInt16 = 0x181B
    static let carriers: [AdvertisementCarrier] = [.serviceData(weightScale), .serviceData(bodyComposition)]
    static let quantities: [Quantity] = [.weight, .impedance]
    static let needs = FamilyNeeds(products: "Mi Smart Scale (XMTZC01HM, XMTZC04HM), Mi Body Composition Scale")

    private static let stable: UInt8 = 0x20
    private static let removed: UInt8 = 0x80

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        let data: [UInt8]
        if let weight = advertisement.serviceData[weightScale], weight.count == 10 {
            data = weight
        } else if let body = advertisement.serviceData[bodyComposition], body.count == 13 {
            data = body
        } else {
            return nil
        }
        guard (try? decode(data)) != nil else { return nil }
        // The packet contains the time of the weighing.
        return .plain(AdvertisedPacket(data, isEvent: true, isUnique: true))
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        switch value.count {
        case 10:
            let flags = try reader.u8("flags")
            let number = try reader.u16("weight")
            try checkDate(&reader)
            return [try weight(number, flags, isPound: flags & 0x01 != 0, isJin: flags & 0x10 != 0)]
        case 13:
            let units = try reader.u8("units")
            let flags = try reader.u8("flags")
            try checkDate(&reader)
            let impedance = Int64(try reader.u16("impedance"))
            var fields = [
                try weight(try reader.u16("weight"), flags, isPound: units & 0x01 != 0, isJin: flags & 0x40 != 0)
            ]
            if flags & 0x02 != 0, (1..<3_000).contains(impedance) { fields.append(.int(.impedance, impedance)) }
            return fields
        default: throw .invalid(field: "length")
        }
    }

    /// A year, and the other parts with an octet each. A scale without a set clock begins in 1970.
    private static func checkDate(_ reader: inout ByteReader) throws(DecodeError) {
        guard (1970...2099).contains(try reader.u16("year")), (1...12).contains(try reader.u8("month")),
            (1...31).contains(try reader.u8("day")), try reader.u8("hour") < 24, try reader.u8("minute") < 60,
            try reader.u8("second") < 60
        else { throw .invalid(field: "date") }
    }

    /// Half-hundredths of a kilogram, hundredths of a pound (0.45359237 kg) or of a jin (0.5 kg).
    private static func weight(
        _ number: UInt16, _ flags: UInt8, isPound: Bool, isJin: Bool
    ) throws(DecodeError) -> Field {
        guard flags & stable != 0, flags & removed == 0, number > 0 else { throw .invalid(field: "weight") }
        return isPound && !isJin
            ? .decimal(.weight, Int64(number) * 45_359_237, places: 10)
            : .decimal(.weight, Int64(number) * 5, places: 3)
    }
}
