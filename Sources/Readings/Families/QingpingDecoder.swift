// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Qingping's sensors with their own firmware. Sensors of Xiaomi's edition speak MiBeacon. A value is the service data.
enum QingpingDecoder: AdvertisementDecoder {
    static let family = "qingping"
    static let name = "Qingping"
    private static let service: UInt16 = 0xFDCD
    static let carriers: [AdvertisementCarrier] = [.serviceData(service)]
    static let quantities: [Quantity] = [
        .temperature, .humidity, .battery, .opening, .leftOpen, .pressure, .motion, .illuminance, .light, .pm25, .pm10,
        .co2, .vocIndex, .soundLevel,
    ]
    static let needs = FamilyNeeds(
        products: "CGG1, CGH1, CGP1W, CGD1, CGDN1, CGM1, CGDK2, CGPR1, CGF1W, CGP23W, CGC1, CGP22C, CGG3, CGR1")

    private static let models: [UInt8: String] = [
        0x01: "CGG1", 0x07: "CGG1", 0x16: "CGG1", 0x04: "CGH1", 0x09: "CGP1W", 0x0C: "CGD1", 0x0E: "CGDN1",
        0x24: "CGDN1", 0x0F: "CGM1", 0x10: "CGDK2", 0x12: "CGPR1", 0x15: "CGF1W", 0x18: "CGP23W", 0x26: "CGP23W",
        0x1E: "CGC1", 0x33: "CGP22C", 0x5D: "CGP22C", 0x4F: "CGG3", 0x52: "CGR1", 0x62: "CGR1",
    ]
    private static let eventFlag: UInt8 = 0x40
    private static let doorSensor: UInt8 = 0x04

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let data = advertisement.serviceData[service], data.count > 8, let address = advertisement.addressOctets,
            data[2..<8].elementsEqual(address.reversed()), let found = try? objects(data), found.isKnown
        else { return nil }
        return .plain(
            AdvertisedPacket(
                data, number: found.number.map { PacketNumber(UInt32($0), bits: 8) }, model: models[data[1]],
                isEvent: data[0] & eventFlag != 0 || data[1] == doorSensor))
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] { try objects(value).fields }

    private static func objects(_ value: [UInt8]) throws(DecodeError) -> (
        fields: [Field], number: UInt8?, isKnown: Bool
    ) {
        var reader = ByteReader(value)
        _ = try reader.u8("flags")
        let isContact = try reader.u8("model") == doorSensor
        _ = try reader.bytes(6, "address")
        var (fields, number, isKnown) = ([Field](), UInt8?.none, false)
        while reader.remaining > 0 {
            let kind = try reader.u8("object")
            let octets = try reader.bytes(Int(try reader.u8("length")), "object")
            if kind == 0x0F, octets.count == 1, number == nil {
                number = octets.first
            } else if kind == 0x0F {
                // The second 0F object of a contact sensor is its door.
                if isContact { fields += try self.fields(0x04, octets) ?? [] }
            } else if let found = try self.fields(kind, octets) {
                isKnown = true
                fields += found
            }
        }
        return (fields, number, isKnown)
    }

    /// Nil for unknown kinds, and for the list of the device's abilities.
    private static func fields(
        _ kind: UInt8, _ octets: ArraySlice<UInt8>
    ) throws(DecodeError) -> [Field]? {
        var reader = ByteReader(octets)
        switch (kind, octets.count) {
        case (0x01, 4):
            let temperature = Int64(try reader.i16("temperature"))
            let humidity = Int64(try reader.u16("humidity"))
            return [.decimal(.temperature, temperature, places: 1), .decimal(.humidity, humidity, places: 1)]
        case (0x02, 1):
            let level = try reader.u8("battery")
            // FF is a plug. In other values, the highest bit is a flag.
            return level == .max ? [] : [.int(.battery, Int64(level & 0x7F))]
        case (0x04, 1):
            switch try reader.u8("door") {
            case 0: return [.binary(.opening, true), .binary(.leftOpen, false)]
            case 1: return [.binary(.opening, false), .binary(.leftOpen, false)]
            case 2: return [.binary(.opening, true), .binary(.leftOpen, true)]
            default: return []
            }
        case (0x07, 2): return [.decimal(.pressure, Int64(try reader.u16("pressure")), places: 1)]
        case (0x08, 4):
            let motion = Field.binary(.motion, try reader.u8("motion") != 0)
            return [motion, .int(.illuminance, Int64(try reader.u24("light")))]
        case (0x09, 4): return [.int(.illuminance, Int64(try reader.u32("light")))]
        case (0x11, 1): return [.binary(.light, try reader.u8("light") != 0)]
        case (0x12, 4):
            return [.int(.pm25, Int64(try reader.u16("pm25"))), .int(.pm10, Int64(try reader.u16("pm10")))]
        case (0x13, 2): return [.int(.co2, Int64(try reader.u16("co2")))]
        case (0x15, 2): return [.int(.vocIndex, Int64(try reader.u16("voc")))]
        case (0x19, 1): return [.int(.soundLevel, Int64(try reader.u8("sound")))]
        default: return nil
        }
    }
}
