// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// SwitchBot's sensors. The model and the battery are in the scan response alone, the values in the advertisement.
///
/// A value is the model's letter, the battery in percent, and what follows the address in the Manufacturer Specific Data.
enum SwitchBotDecoder: AdvertisementDecoder {
    static let family = "switchbot"
    static let name = "SwitchBot"
    private static let company: UInt16 = 0x0969
    private static let service: UInt16 = 0xFD3D
    static let carriers: [AdvertisementCarrier] = [.serviceData(service)]
    static let quantities: [Quantity] = [
        .temperature, .humidity, .battery, .co2, .opening, .leftOpen, .motion, .light, .moistureDetected, .tamper,
    ]
    static let needs = FamilyNeeds(
        needsActiveScan: true,
        products:
            "Meter, Meter Plus, Outdoor Meter, Meter Pro, Meter Pro CO2, Hub 2, Contact Sensor, Motion Sensor, Leak "
            + "Detector")

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let service = advertisement.serviceData[service], service.count >= 3,
            let data = advertisement.manufacturerData(of: company), let address = advertisement.addressOctets,
            data.count > 7, data.prefix(6).elementsEqual(address)
        else { return nil }
        let value = [service[0] & 0x7F, min(service[2] & 0x7F, 100)] + data.dropFirst(6)
        guard let fields = try? decode(value), !fields.isEmpty else { return nil }
        return .plain(
            AdvertisedPacket(
                value, number: PacketNumber(UInt32(value[2]), bits: 8), model: model(value[0]), numbersChanges: true))
    }

    private static func model(_ letter: UInt8) -> String? {
        switch letter {
        case UInt8(ascii: "T"): "Meter"
        case UInt8(ascii: "i"): "Meter Plus"
        case UInt8(ascii: "w"): "Outdoor Meter"
        case UInt8(ascii: "4"): "Meter Pro"
        case UInt8(ascii: "5"): "Meter Pro CO2"
        case UInt8(ascii: "v"): "Hub 2"
        case UInt8(ascii: "d"), UInt8(ascii: "D"): "Contact Sensor"
        case UInt8(ascii: "s"), UInt8(ascii: "S"): "Motion Sensor"
        case UInt8(ascii: "&"): "Leak Detector"
        default: nil
        }
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let letter = try reader.u8("model")
        let battery = Field.int(.battery, Int64(try reader.u8("battery")))
        _ = try reader.u8("sequence")
        switch letter {
        case UInt8(ascii: "T"), UInt8(ascii: "i"), UInt8(ascii: "w"), UInt8(ascii: "4"):
            _ = try reader.u8("flags")
            return try climate(&reader) + [battery]
        case UInt8(ascii: "5"):
            _ = try reader.u8("flags")
            let fields = try climate(&reader)
            _ = try reader.bytes(2, "reserved")
            let co2 = try reader.u16("co2").byteSwapped
            return fields + (co2 <= 9_999 ? [.int(.co2, Int64(co2))] : []) + [battery]
        case UInt8(ascii: "v"):
            // It has no battery; how bright it is, it says in steps of its own.
            _ = try reader.bytes(6, "state")
            return try climate(&reader)
        case UInt8(ascii: "d"), UInt8(ascii: "D"):
            let flags = try reader.u8("flags")
            return [
                .binary(.opening, flags & 0x30 != 0), .binary(.leftOpen, flags & 0x20 != 0),
                .binary(.motion, flags & 0x80 != 0), .binary(.light, flags & 0x40 != 0), battery,
            ]
        case UInt8(ascii: "s"), UInt8(ascii: "S"):
            let flags = try reader.u8("flags")
            return [.binary(.motion, flags & 0x40 != 0), .binary(.light, flags & 0x20 != 0), battery]
        case UInt8(ascii: "&"):
            let level = Int64(min(try reader.u8("battery") & 0x7F, 100))
            let flags = try reader.u8("flags")
            return [
                .binary(.moistureDetected, flags & 0x01 != 0), .binary(.tamper, flags & 0x02 != 0),
                .int(.battery, level),
            ]
        default: throw .invalid(field: "model")
        }
    }

    /// Tenths, a sign and whole degrees, percents; zeros while it is not ready.
    private static func climate(_ reader: inout ByteReader) throws(DecodeError) -> [Field] {
        let tenths = try reader.u8("tenths")
        let whole = try reader.u8("degrees")
        let humidity = try reader.u8("humidity") & 0x7F
        // The other bits are about the display's unit and an alarm.
        if tenths & 0x0F | whole & 0x7F | humidity == 0 { return [] }
        guard tenths & 0x0F <= 9, humidity <= 100 else { throw .invalid(field: "climate") }
        let magnitude = Int64(whole & 0x7F) * 10 + Int64(tenths & 0x0F)
        return [
            .decimal(.temperature, whole & 0x80 != 0 ? magnitude : -magnitude, places: 1),
            .int(.humidity, Int64(humidity)),
        ]
    }
}
