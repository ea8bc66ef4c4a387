// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Blood Pressure Measurement, 0x2A35. Blood Pressure Service 1.1.1, 3.1; GATT Specification Supplement.
enum BloodPressureMeasurementDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2A35
    static let name = "Blood Pressure Measurement"
    static let quantities: [Quantity] = [
        .bloodPressureSystolic, .bloodPressureDiastolic, .bloodPressureMean, .pulseRate, .userIndex,
    ]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        try decode(value, pressures: [.bloodPressureSystolic, .bloodPressureDiastolic, .bloodPressureMean])
    }

    /// `pressures`: the quantities of the three pressures; nil for an unused pressure.
    static func decode(
        _ value: [UInt8], pressures: [Quantity?], octetsOfTime: Int = 7
    ) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let flags = try reader.u8("flags")
        func has(_ bit: UInt8) -> Bool { flags >> bit & 1 == 1 }
        var fields: [Field] = []
        for quantity in pressures {
            let pressure = try reader.medicalShortFloat("pressure")
            guard let quantity else { continue }
            // A kilopascal is 7.500616 mmHg.
            fields +=
                try has(0) ? pressure.field(quantity, times: 7_500_616, digits: 6, places: 1) : pressure.field(quantity)
        }
        if has(1) { _ = try reader.bytes(octetsOfTime, "timeStamp") }
        if has(2) { fields += try reader.medicalShortFloat("pulseRate").field(.pulseRate) }
        if has(3) { fields += BodyUnits.user(try reader.u8("user")) }
        if has(4) { _ = try reader.u16("status") }
        // The time that the device shows.
        if octetsOfTime == 4, has(5) { _ = try reader.u32("shownTime") }
        try reader.finish()
        return fields
    }
}

/// Enhanced Blood Pressure Measurement, 0x2B34: like the older one, with times as seconds, which are left out. Blood
/// Pressure Service 1.1.1; GATT Specification Supplement.
enum EnhancedBloodPressureDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2B34
    static let name = "Enhanced Blood Pressure Measurement"
    static let quantities = BloodPressureMeasurementDecoder.quantities

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        try BloodPressureMeasurementDecoder.decode(
            value, pressures: [.bloodPressureSystolic, .bloodPressureDiastolic, .bloodPressureMean], octetsOfTime: 4)
    }
}

/// Intermediate Cuff Pressure, 0x2A36: the pressure while the cuff is filled. Blood Pressure Service 1.1.1, 3.2.
enum IntermediateCuffPressureDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2A36
    static let name = "Intermediate Cuff Pressure"
    static let quantities: [Quantity] = [.cuffPressure, .pulseRate, .userIndex]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        try BloodPressureMeasurementDecoder.decode(value, pressures: [.cuffPressure, nil, nil])
    }
}
