// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// PLX Spot-Check Measurement, 0x2A5E. Pulse Oximeter Service 1.0.1, 3.1; GATT Specification Supplement.
enum PLXSpotCheckMeasurementDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2A5E
    static let name = "PLX Spot-Check Measurement"
    static let quantities: [Quantity] = [.oxygenSaturation, .pulseRate, .pulseAmplitude]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let flags = try reader.u8("flags")
        var fields = try reader.medicalShortFloat("oxygenSaturation").field(.oxygenSaturation)
        fields += try reader.medicalShortFloat("pulseRate").field(.pulseRate)
        if flags & 1 != 0 { _ = try reader.bytes(7, "timeStamp") }
        if flags & 2 != 0 { _ = try reader.u16("status") }
        if flags & 4 != 0 { _ = try reader.u24("sensorStatus") }
        if flags & 8 != 0 { fields += try reader.medicalShortFloat("pulseAmplitude").field(.pulseAmplitude) }
        try reader.finish()
        return fields
    }
}

/// PLX Continuous Measurement, 0x2A5F: the usual pair of values. Faster and slower averages are left out. Pulse
/// Oximeter Service 1.0.1, 3.2.
enum PLXContinuousMeasurementDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2A5F
    static let name = "PLX Continuous Measurement"
    static let quantities: [Quantity] = [.oxygenSaturation, .pulseRate, .pulseAmplitude]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let flags = try reader.u8("flags")
        var fields = try reader.medicalShortFloat("oxygenSaturation").field(.oxygenSaturation)
        fields += try reader.medicalShortFloat("pulseRate").field(.pulseRate)
        if flags & 1 != 0 { _ = try reader.u32("fast") }
        if flags & 2 != 0 { _ = try reader.u32("slow") }
        if flags & 4 != 0 { _ = try reader.u16("status") }
        if flags & 8 != 0 { _ = try reader.u24("sensorStatus") }
        if flags & 16 != 0 { fields += try reader.medicalShortFloat("pulseAmplitude").field(.pulseAmplitude) }
        try reader.finish()
        return fields
    }
}
