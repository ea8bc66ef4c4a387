// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Aranet4, Aranet2, Aranet Radiation and Aranet Radon.
///
/// A value is the data after the company identifier. It begins with a type octet, which the Aranet4 leaves out on the
/// air. The age of the sample is set to 0, because the sensor repeats an unchanged sample again and again. A reading
/// has the time when its sample was first heard, as with all sensors. With the age subtracted, a sample of some minutes
/// ago would be too old to go out live.
enum AranetDecoder: AdvertisementDecoder {
    static let family = "aranet"
    static let name = "Aranet"
    static let carriers: [AdvertisementCarrier] = [.manufacturer(0x0702)]
    static let quantities: [Quantity] = [
        .co2, .co2Status, .temperature, .humidity, .pressure, .battery, .radon, .radiationRate, .radiationTotal,
        .radiationDuration, .sampleInterval,
    ]
    static let needs = FamilyNeeds(
        products: "Aranet4, Aranet2, Aranet Radiation, Aranet Radon",
        hint:
            "Switch on Smart Home integrations in the Aranet Home app; it needs firmware 1.2 or later. `ts` is when a "
            + "sample was first heard; where the gateway has just started, it may have been taken up to `sample_interval` before."
    )

    private static let models: [UInt8: String] = [0: "Aranet4", 1: "Aranet2", 2: "Aranet Radiation", 3: "Aranet Radon"]
    private static let integrations: UInt8 = 0x20

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let data = advertisement.manufacturerData(of: 0x0702) else { return nil }
        var value: [UInt8]
        switch (data.count, data.first ?? 0) {
        case (22, _): value = [0] + data
        case (24, 1...3): value = Array(data)
        default: return nil
        }
        // The sample's age in seconds.
        let age = value[0] == 0 ? 20 : 21
        (value[age], value[age + 1]) = (0, 0)
        guard let number = value.last, (try? decode(value)) != nil else { return nil }
        return .plain(
            AdvertisedPacket(value, number: PacketNumber(UInt32(number), bits: 8), model: models[value[0]]))
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let type = try reader.u8("type")
        guard try reader.u8("flags") & integrations != 0 else { throw .invalid(field: "flags") }
        _ = try reader.bytes(3, "version")
        switch type {
        case 0:
            _ = try reader.bytes(4, "reserved")
            return try aranet4(&reader)
        case 1:
            _ = try reader.bytes(5, "reserved")
            let temperature = try temperature(&reader)
            _ = try reader.u16("reserved")
            return temperature + (try tenths(.humidity, &reader)) + (try tail(&reader))
        case 2:
            _ = try reader.u8("reserved")
            let total = Int64(try reader.u32("total"))
            let duration = Int64(try reader.u32("duration"))
            let rate = Int64(try reader.u16("rate"))
            return [
                .decimal(.radiationRate, rate, places: 3), .decimal(.radiationTotal, total, places: 6),
                .int(.radiationDuration, duration),
            ] + (try tail(&reader))
        case 3:
            _ = try reader.bytes(3, "reserved")
            let radon = try reader.u16("radon")
            let temperature = try temperature(&reader)
            let pressure = try tenths(.pressure, &reader)
            let humidity = try tenths(.humidity, &reader)
            // One model measures neither temperature nor humidity, and sends 0 for both.
            let isMeasured = (temperature + humidity).contains { $0.value.number != 0 }
            return (radon < 0x1F00 ? [.int(.radon, Int64(radon))] : []) + (isMeasured ? temperature : []) + pressure
                + (isMeasured ? humidity : []) + (try tail(&reader))
        default: throw .invalid(field: "type")
        }
    }

    private static func aranet4(_ reader: inout ByteReader) throws(DecodeError) -> [Field] {
        var fields = try aranet4Climate(&reader)
        fields.append(.int(.sampleInterval, Int64(try reader.u16("interval"))))
        _ = try reader.bytes(3, "age and counter")
        try reader.finish()
        return fields
    }

    /// The climate part, both advertised and read.
    static func aranet4Climate(_ reader: inout ByteReader) throws(DecodeError) -> [Field] {
        let co2 = try reader.u16("co2")
        var fields: [Field] = co2 & 0x8000 == 0 ? [.int(.co2, Int64(co2))] : []
        fields += try temperature(&reader)
        fields += try tenths(.pressure, &reader)
        let humidity = try reader.u8("humidity")
        if humidity <= 100 { fields.append(.int(.humidity, Int64(humidity))) }
        fields.append(try battery(&reader))
        let status = try reader.u8("status")
        // Colors of the display; there is no other.
        guard status <= 3 else { throw .invalid(field: "status") }
        if status > 0 { fields.append(.text(.co2Status, ["green", "yellow", "red"][Int(status) - 1])) }
        return fields
    }

    /// The end of the other models' values.
    private static func tail(_ reader: inout ByteReader) throws(DecodeError) -> [Field] {
        _ = try reader.u8("reserved")
        let battery = try battery(&reader)
        // Two bits for each of its sensors.
        guard try reader.u8("status") <= 0x0F else { throw .invalid(field: "status") }
        let interval = Int64(try reader.u16("interval"))
        _ = try reader.bytes(3, "age and counter")
        try reader.finish()
        return [battery, .int(.sampleInterval, interval)]
    }

    private static func battery(_ reader: inout ByteReader) throws(DecodeError) -> Field {
        .int(.battery, Int64(try reader.u8("battery")))
    }

    /// Twentieths of a degree; no field if either of the two highest bits is set.
    private static func temperature(_ reader: inout ByteReader) throws(DecodeError) -> [Field] {
        let raw = try reader.u16("temperature")
        return raw & 0xC000 == 0 ? [.decimal(.temperature, Int64(raw) * 5, places: 2)] : []
    }

    private static func tenths(_ quantity: Quantity, _ reader: inout ByteReader) throws(DecodeError) -> [Field] {
        let raw = try reader.u16("tenths")
        // Air without pressure does not exist.
        let isKnown = raw & 0x8000 == 0 && (quantity != .pressure || raw != 0)
        return isKnown ? [.decimal(quantity, Int64(raw), places: 1)] : []
    }
}
