// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Counts of cycling sensors: revolutions, and the time of the last revolution. Both wrap around.
enum Revolutions {
    /// `ticks`: of the sensor's clock in a second.
    static func wheel(_ reader: inout ByteReader, ticks: Int64) throws(DecodeError) -> [Field] {
        [
            .int(.wheelRevolutions, Int64(try reader.u32("wheelRevolutions"))),
            .decimal(.wheelEventTime, seconds(try reader.u16("wheelEventTime"), ticks), places: 3),
        ]
    }

    static func crank(_ reader: inout ByteReader) throws(DecodeError) -> [Field] {
        [
            .int(.crankRevolutions, Int64(try reader.u16("crankRevolutions"))),
            .decimal(.crankEventTime, seconds(try reader.u16("crankEventTime"), 1_024), places: 3),
        ]
    }

    /// Rounded to milliseconds.
    private static func seconds(_ time: UInt16, _ ticks: Int64) -> Int64 { (Int64(time) * 1_000 + ticks / 2) / ticks }
}

/// CSC Measurement, 0x2A5B: speed and cadence. Cycling Speed and Cadence Service 1.0, 3.1.
enum CSCMeasurementDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2A5B
    static let name = "CSC Measurement"
    static let quantities: [Quantity] = [.wheelRevolutions, .wheelEventTime, .crankRevolutions, .crankEventTime]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let flags = try reader.u8("flags")
        var fields: [Field] = []
        if flags & 1 != 0 { fields += try Revolutions.wheel(&reader, ticks: 1_024) }
        if flags & 2 != 0 { fields += try Revolutions.crank(&reader) }
        try reader.finish()
        return fields
    }
}

/// RSC Measurement, 0x2A53. Running Speed and Cadence Service 1.0, 3.1.
enum RSCMeasurementDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2A53
    static let name = "RSC Measurement"
    static let quantities: [Quantity] = [.speed, .cadence, .strideLength, .totalDistance, .running]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let flags = try reader.u8("flags")
        // 256ths of a metre a second.
        let speed = (Int64(try reader.u16("speed")) * 10_000 + 128) / 256
        var fields: [Field] = [.decimal(.speed, speed, places: 4), .int(.cadence, Int64(try reader.u8("cadence")))]
        if flags & 1 != 0 { fields.append(.decimal(.strideLength, Int64(try reader.u16("stride")), places: 2)) }
        if flags & 2 != 0 { fields.append(.decimal(.totalDistance, Int64(try reader.u32("distance")), places: 1)) }
        fields.append(.binary(.running, flags & 4 != 0))
        try reader.finish()
        return fields
    }
}

/// Cycling Power Measurement, 0x2A63. Cycling Power Service 1.1, 3.2. The extremes within a revolution, their angles and dead
/// spots are left out.
enum CyclingPowerMeasurementDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2A63
    static let name = "Cycling Power Measurement"
    static let quantities: [Quantity] = [
        .power, .pedalBalance, .accumulatedTorque, .wheelRevolutions, .wheelEventTime, .crankRevolutions,
        .crankEventTime, .energyExpended,
    ]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let flags = try reader.u16("flags")
        func has(_ bit: UInt16) -> Bool { flags >> bit & 1 == 1 }
        var fields: [Field] = [.int(.power, Int64(try reader.i16("power")))]
        if has(0) {
            let halves = Int64(try reader.u8("balance"))
            // There are no more than 100 %.
            if halves <= 200 { fields.append(.decimal(.pedalBalance, halves * 5, places: 1)) }
        }
        // 32nds of a newton metre.
        if has(2) { fields.append(.decimal(.accumulatedTorque, Int64(try reader.u16("torque")) * 3_125, places: 5)) }
        if has(4) { fields += try Revolutions.wheel(&reader, ticks: 2_048) }
        if has(5) { fields += try Revolutions.crank(&reader) }
        if has(6) { _ = try reader.u32("forces") }
        if has(7) { _ = try reader.u32("torques") }
        if has(8) { _ = try reader.u24("angles") }
        if has(9) { _ = try reader.u16("topDeadSpot") }
        if has(10) { _ = try reader.u16("bottomDeadSpot") }
        if has(11) { fields.append(.int(.energyExpended, Int64(try reader.u16("energy")))) }
        try reader.finish()
        return fields
    }
}
