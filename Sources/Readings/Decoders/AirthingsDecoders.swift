// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Common parts of the decoders for sensors of Airthings. These sensors serve their newest values on a link, and
/// advertise no values.
enum Airthings {
    /// The maker's UUIDs differ in their first 32 bits.
    static func uuid(_ first: UInt32) -> BluetoothUUID {
        BluetoothUUID(high: UInt64(first) << 32 | 0xADE7_11E4, low: 0x89D3_123B_93F7_5CBA)
    }

    static func feed(service: UInt32, characteristic: UInt32) -> SensorProfile.Feed {
        SensorProfile.Feed(service: uuid(service), characteristic: uuid(characteristic))
    }

    /// A number above this limit, in Bq/m³, means that there is no value yet.
    private static let mostRadon: UInt16 = 16_383

    static func radon(_ quantity: Quantity, _ raw: UInt16) -> [Field] {
        raw > mostRadon ? [] : [.int(quantity, Int64(raw))]
    }

    /// CO₂ or organic compounds, from a sensor that measures them. The highest number stands for no value.
    static func parts(_ quantity: Quantity, _ raw: UInt16) -> [Field] {
        raw == .max ? [] : [.int(quantity, Int64(raw))]
    }

    static func celsius(_ hundredths: Int64) -> [Field] {
        hundredths > 10_000 ? [] : [.decimal(.temperature, hundredths, places: 2)]
    }

    static func humidity(halves: UInt8) -> [Field] {
        halves > 200 ? [] : [.decimal(.humidity, Int64(halves) * 5, places: 1)]
    }

    /// Steps of 0.02 hPa.
    static func pressure(_ raw: UInt16) -> [Field] {
        raw == .max ? [] : [.decimal(.pressure, Int64(raw) * 2, places: 2)]
    }
}

/// Wave Plus: the values of all its sensors, 20 octets.
enum AirthingsWavePlusDecoder: CharacteristicDecoder {
    static let characteristic = Airthings.uuid(0xB42E_2A68)
    static let name = "Airthings Wave Plus"
    static let quantities: [Quantity] = [
        .humidity, .lightLevel, .radon, .radonLong, .temperature, .pressure, .co2, .vocPPB,
    ]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        guard try reader.u8("version") == 1 else { throw .invalid(field: "version") }
        var fields = Airthings.humidity(halves: try reader.u8("humidity"))
        fields.append(.int(.lightLevel, Int64(try reader.u8("light"))))
        _ = try reader.u8("reserved")
        fields += Airthings.radon(.radon, try reader.u16("radon"))
        fields += Airthings.radon(.radonLong, try reader.u16("radonLong"))
        fields += Airthings.celsius(Int64(try reader.i16("temperature")))
        fields += Airthings.pressure(try reader.u16("pressure"))
        fields += Airthings.parts(.co2, try reader.u16("co2"))
        fields += Airthings.parts(.vocPPB, try reader.u16("voc"))
        _ = try reader.bytes(4, "reserved")
        try reader.finish()
        return fields
    }
}

/// Wave Radon, the second generation of the Wave: like the Wave Plus, without pressure and gases.
enum AirthingsWaveRadonDecoder: CharacteristicDecoder {
    static let characteristic = Airthings.uuid(0xB42E_4DCC)
    static let name = "Airthings Wave Radon"
    static let quantities: [Quantity] = [.humidity, .lightLevel, .radon, .radonLong, .temperature]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        guard try reader.u8("version") == 1 else { throw .invalid(field: "version") }
        var fields = Airthings.humidity(halves: try reader.u8("humidity"))
        fields.append(.int(.lightLevel, Int64(try reader.u8("light"))))
        _ = try reader.u8("reserved")
        fields += Airthings.radon(.radon, try reader.u16("radon"))
        fields += Airthings.radon(.radonLong, try reader.u16("radonLong"))
        fields += Airthings.celsius(Int64(try reader.i16("temperature")))
        _ = try reader.bytes(10, "reserved")
        try reader.finish()
        return fields
    }
}

/// Wave Mini: temperature in kelvins.
enum AirthingsWaveMiniDecoder: CharacteristicDecoder {
    static let characteristic = Airthings.uuid(0xB42E_3B98)
    static let name = "Airthings Wave Mini"
    static let quantities: [Quantity] = [.temperature, .pressure, .humidity, .vocPPB]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        _ = try reader.u16("light")
        var fields = Airthings.celsius(Int64(try reader.u16("temperature")) - 27_315)
        fields += Airthings.pressure(try reader.u16("pressure"))
        let humidity = try reader.u16("humidity")
        if humidity <= 10_000 { fields.append(.decimal(.humidity, Int64(humidity), places: 2)) }
        fields += Airthings.parts(.vocPPB, try reader.u16("voc"))
        // The rest is unknown, and later firmware has added to it.
        return fields
    }
}

/// The first Wave, which has a characteristic for each value: radon of the last day.
enum AirthingsRadonDecoder: CharacteristicDecoder {
    static let characteristic = Airthings.uuid(0xB42E_01AA)
    static let name = "Airthings Wave, radon of a day"
    static let quantities: [Quantity] = [.radon]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let radon = try reader.u16("radon")
        try reader.finish()
        return Airthings.radon(.radon, radon)
    }
}

/// The first Wave: radon since it was switched on.
enum AirthingsRadonLongDecoder: CharacteristicDecoder {
    static let characteristic = Airthings.uuid(0xB42E_0A4C)
    static let name = "Airthings Wave, radon of a long time"
    static let quantities: [Quantity] = [.radonLong]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let radon = try reader.u16("radon")
        try reader.finish()
        return Airthings.radon(.radonLong, radon)
    }
}
