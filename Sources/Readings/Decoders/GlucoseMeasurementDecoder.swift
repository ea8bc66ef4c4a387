// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Glucose Measurement, 0x2A18. Glucose Service 1.0.1, 3.1; GATT Specification Supplement.
///
/// The sensor's own time of day is left out, because it has no time zone.
enum GlucoseMeasurementDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2A18
    static let name = "Glucose Measurement"
    static let quantities: [Quantity] = [.sequence, .glucose]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let flags = try reader.u8("flags")
        var fields: [Field] = [.int(.sequence, Int64(try reader.u16("sequence")))]
        _ = try reader.bytes(7, "baseTime")
        if flags & 1 != 0 { _ = try reader.u16("timeOffset") }
        if flags & 2 != 0 {
            let concentration = try reader.medicalShortFloat("concentration")
            // In moles a litre, or in kilograms a litre: glucose has 180.156 g/mol.
            fields +=
                try flags & 4 != 0
                ? concentration.field(.glucose, times: 1_000, digits: 0, places: 3)
                : concentration.field(.glucose, times: 5_550_745, digits: 3, places: 3)
            _ = try reader.u8("typeAndLocation")
        }
        if flags & 8 != 0 { _ = try reader.u16("status") }
        try reader.finish()
        return fields
    }
}
