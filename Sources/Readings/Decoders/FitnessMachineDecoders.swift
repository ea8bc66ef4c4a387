// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The parts that the measurements of fitness machines share. Fitness Machine Service 1.0, 4.4 to 4.9.
///
/// A machine divides a measurement into several values. The first bit of the flags means that more values follow, and
/// that the leading field is missing: 0 stands for a present field.
struct FitnessReader {
    private var reader: ByteReader
    private let flags: UInt16
    private(set) var fields: [Field] = []

    init(_ value: [UInt8]) throws(DecodeError) {
        reader = ByteReader(value)
        flags = try reader.u16("flags")
    }

    func has(_ bit: UInt16) -> Bool { bit == 0 ? flags & 1 == 0 : flags >> bit & 1 == 1 }

    /// Passes over a field that is left out, like an average.
    mutating func skip(_ bit: UInt16, octets: Int) throws(DecodeError) {
        if has(bit) { _ = try reader.bytes(octets, "skipped") }
    }

    /// Hundredths of kilometres an hour.
    mutating func speed() throws(DecodeError) {
        guard has(0) else { return }
        let hundredths = Int64(try reader.u16("speed"))
        fields.append(.decimal(.speed, (hundredths * 10_000 + 180) / 360, places: 4))
    }

    mutating func halves(_ quantity: Quantity, _ bit: UInt16, octets: Int) throws(DecodeError) {
        guard has(bit) else { return }
        let number = octets == 1 ? Int64(try reader.u8("rate")) : Int64(try reader.u16("rate"))
        fields.append(.decimal(quantity, number * 5, places: 1))
    }

    mutating func count(_ quantity: Quantity, _ bit: UInt16) throws(DecodeError) {
        if has(bit) { fields.append(.int(quantity, Int64(try reader.u16("count")))) }
    }

    mutating func distance(_ bit: UInt16) throws(DecodeError) {
        if has(bit) { fields.append(.int(.totalDistance, Int64(try reader.u24("distance")))) }
    }

    /// Tenths of percents, and an angle, which says the same.
    mutating func inclination(_ bit: UInt16) throws(DecodeError) {
        guard has(bit) else { return }
        let tenths = try reader.i16("inclination")
        _ = try reader.u16("angle")
        if tenths != .max { fields.append(.decimal(.inclination, Int64(tenths), places: 1)) }
    }

    mutating func resistance(_ bit: UInt16) throws(DecodeError) {
        if has(bit) { fields.append(.int(.resistanceLevel, Int64(try reader.i16("resistance")))) }
    }

    mutating func power(_ bit: UInt16) throws(DecodeError) {
        if has(bit) { fields.append(.int(.power, Int64(try reader.i16("power")))) }
    }

    /// The force on a belt, and the power.
    mutating func forceAndPower(_ bit: UInt16) throws(DecodeError) {
        guard has(bit) else { return }
        let (force, power) = (try reader.i16("force"), try reader.i16("power"))
        if force != .max { fields.append(.int(.force, Int64(force))) }
        if power != .max { fields.append(.int(.power, Int64(power))) }
    }

    /// Energy, heart rate, metabolic equivalent and times end each measurement.
    mutating func end(from bit: UInt16) throws(DecodeError) {
        if has(bit) {
            let energy = try reader.u16("energy")
            _ = try reader.bytes(3, "rates")
            if energy != .max { fields.append(.int(.totalEnergy, Int64(energy))) }
        }
        if has(bit + 1) {
            let rate = try reader.u8("heartRate")
            if rate != 0 { fields.append(.int(.heartRate, Int64(rate))) }
        }
        if has(bit + 2) { _ = try reader.u8("equivalent") }
        if has(bit + 3) { fields.append(.int(.duration, Int64(try reader.u16("elapsed")))) }
        if has(bit + 4) { fields.append(.int(.remainingTime, Int64(try reader.u16("remaining")))) }
    }

    mutating func finish() throws(DecodeError) -> [Field] {
        try reader.finish()
        return fields
    }
}

/// Treadmill Data, 0x2ACD. Fitness Machine Service 1.0, 4.4. Averages, climbed heights and paces are left out.
enum TreadmillDataDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2ACD
    static let name = "Treadmill Data"
    static let quantities: [Quantity] = [
        .speed, .totalDistance, .inclination, .totalEnergy, .heartRate, .duration, .remainingTime, .force, .power,
    ]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = try FitnessReader(value)
        try reader.speed()
        try reader.skip(1, octets: 2)
        try reader.distance(2)
        try reader.inclination(3)
        try reader.skip(4, octets: 4)
        try reader.skip(5, octets: 1)
        try reader.skip(6, octets: 1)
        try reader.end(from: 7)
        try reader.forceAndPower(12)
        return try reader.finish()
    }
}

/// Rower Data, 0x2AD1. Fitness Machine Service 1.0, 4.8. The cadence is that of strokes. Averages and paces are left
/// out.
enum RowerDataDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2AD1
    static let name = "Rower Data"
    static let quantities: [Quantity] = [
        .cadence, .count, .totalDistance, .power, .resistanceLevel, .totalEnergy, .heartRate, .duration, .remainingTime,
    ]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = try FitnessReader(value)
        try reader.halves(.cadence, 0, octets: 1)
        try reader.count(.count, 0)
        try reader.skip(1, octets: 1)
        try reader.distance(2)
        try reader.skip(3, octets: 2)
        try reader.skip(4, octets: 2)
        try reader.power(5)
        try reader.skip(6, octets: 2)
        try reader.resistance(7)
        try reader.end(from: 8)
        return try reader.finish()
    }
}

/// Indoor Bike Data, 0x2AD2. Fitness Machine Service 1.0, 4.9. Averages are left out.
enum IndoorBikeDataDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2AD2
    static let name = "Indoor Bike Data"
    static let quantities: [Quantity] = [
        .speed, .cadence, .totalDistance, .resistanceLevel, .power, .totalEnergy, .heartRate, .duration, .remainingTime,
    ]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = try FitnessReader(value)
        try reader.speed()
        try reader.skip(1, octets: 2)
        try reader.halves(.cadence, 2, octets: 2)
        try reader.skip(3, octets: 2)
        try reader.distance(4)
        try reader.resistance(5)
        try reader.power(6)
        try reader.skip(7, octets: 2)
        try reader.end(from: 8)
        return try reader.finish()
    }
}
