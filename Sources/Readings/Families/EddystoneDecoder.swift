// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Eddystone UID, URL and unencrypted TLM (github.com/google/eddystone, "Protocol Specification"), and a frame of KKM's
/// for the sensors in its beacons. A value is the service data.
enum EddystoneDecoder: AdvertisementDecoder {
    static let family = "eddystone"
    static let name = "Eddystone"
    private static let service: UInt16 = 0xFEAA
    static let carriers: [AdvertisementCarrier] = [.serviceData(service)]
    static let quantities: [Quantity] = [
        .beacon, .url, .txPower, .voltage, .temperature, .advertisementCount, .uptime, .humidity, .accelerationX,
        .accelerationY, .accelerationZ, .pressure,
    ]
    static let needs = FamilyNeeds(
        products:
            "Beacons of any maker whose address does not change; sensors of KKM's K6P and K9 and of BlueCharm's BC04P, BC08, BC021; RuuviTags that send a link"
    )

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let data = advertisement.serviceData[service], (try? decode(data)) != nil else { return nil }
        return .plain(AdvertisedPacket(data))
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = BigEndianReader(value)
        switch (try reader.u8("frame"), value.count) {
        case (0x00, 18), (0x00, 20):
            let power = Int64(try reader.i8("power"))
            let identity = Array(try reader.bytes(16, "identity")).hexadecimal
            return [.text(.beacon, identity), .int(.txPower, power)]
        case (0x10, 4...20):
            let power = Int64(try reader.i8("power"))
            let schemes = ["http://www.", "https://www.", "http://", "https://"]
            let scheme = Int(try reader.u8("scheme"))
            guard schemes.indices.contains(scheme) else { throw .invalid(field: "scheme") }
            var url = schemes[scheme]
            for octet in reader.rest() { url += try text(of: octet) }
            return [.text(.url, url), .int(.txPower, power)] + RuuviURL.fields(url)
        case (0x20, 14...):
            guard try reader.u8("version") == 0 else { throw .invalid(field: "version") }
            return try telemetry(&reader)
        case (0x21, 5...):
            guard try reader.u8("version") == 1 else { throw .invalid(field: "version") }
            return try sensors(&reader)
        default: throw .invalid(field: "frame")
        }
    }

    /// A mask has one bit for each sensor's value, set if the value is present.
    private static func sensors(_ reader: inout BigEndianReader) throws(DecodeError) -> [Field] {
        let mask = try reader.u8("mask")
        guard mask & ~0x0F == 0 else { throw .invalid(field: "mask") }
        var fields: [Field] = []
        if mask & 0x01 != 0 { fields.append(.decimal(.voltage, Int64(try reader.u16("voltage")), places: 3)) }
        // 256ths.
        if mask & 0x02 != 0 {
            fields.append(.decimal(.temperature, Int64(try reader.i16("temperature")) * 390_625, places: 8))
        }
        if mask & 0x04 != 0 {
            fields.append(.decimal(.humidity, Int64(try reader.u16("humidity")) * 390_625, places: 8))
        }
        // Some firmware sends the acceleration without its bit.
        if mask & 0x08 != 0 || reader.remaining == 6 {
            for quantity in [Quantity.accelerationX, .accelerationY, .accelerationZ] {
                // Thousandths of 9.80665 m/s².
                fields.append(.decimal(quantity, Int64(try reader.i16("acceleration")) * 980_665, places: 8))
            }
        }
        try reader.finish()
        return fields
    }

    private static let endings = [
        ".com/", ".org/", ".edu/", ".net/", ".info/", ".biz/", ".gov/", ".com", ".org", ".edu", ".net", ".info", ".biz",
        ".gov",
    ]

    private static func text(of octet: UInt8) throws(DecodeError) -> String {
        if endings.indices.contains(Int(octet)) { return endings[Int(octet)] }
        guard (0x21...0x7E).contains(octet) else { throw .invalid(field: "url") }
        return String(UnicodeScalar(octet))
    }

    private static func telemetry(_ reader: inout BigEndianReader) throws(DecodeError) -> [Field] {
        var fields: [Field] = []
        let voltage = Int64(try reader.u16("voltage"))
        if voltage != 0 { fields.append(.decimal(.voltage, voltage, places: 3)) }
        // 256ths of a degree.
        let temperature = try reader.i16("temperature")
        if temperature != .min { fields.append(.decimal(.temperature, Int64(temperature) * 390_625, places: 8)) }
        fields.append(.int(.advertisementCount, Int64(try reader.u32("advertisements"))))
        fields.append(.decimal(.uptime, Int64(try reader.u32("seconds")), places: 1))
        return fields
    }
}
