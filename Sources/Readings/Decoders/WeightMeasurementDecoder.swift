// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Weight Measurement, 0x2A9D. Weight Scale Service 1.0, 3.2.1; GATT Specification Supplement.
enum WeightMeasurementDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2A9D
    static let name = "Weight Measurement"
    static let quantities: [Quantity] = [.weight, .userIndex, .bmi, .height]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let flags = try reader.u8("flags")
        let units = BodyUnits(isImperial: flags & 1 != 0)
        let weight = try reader.u16("weight")
        // This number means that the measurement did not succeed.
        var fields = weight == .max ? [] : [units.mass(.weight, weight)]
        if flags & 2 != 0 { _ = try reader.bytes(7, "timeStamp") }
        if flags & 4 != 0 { fields += BodyUnits.user(try reader.u8("user")) }
        if flags & 8 != 0 {
            fields.append(.decimal(.bmi, Int64(try reader.u16("bmi")), places: 1))
            fields.append(units.height(try reader.u16("height")))
        }
        try reader.finish()
        return fields
    }
}

/// The units of scales: metric ones, or pounds and inches, which become metric.
struct BodyUnits {
    let isImperial: Bool

    /// 0.005 kg, or 0.01 lb, which are 4.5359237 g.
    func mass(_ quantity: Quantity, _ number: UInt16) -> Field {
        isImperial
            ? .decimal(quantity, (Int64(number) * 45_359_237 + 500_000) / 1_000_000, places: 4)
            : .decimal(quantity, Int64(number) * 5, places: 3)
    }

    /// Millimetres, or tenths of an inch.
    func height(_ number: UInt16) -> Field {
        isImperial ? .decimal(.height, Int64(number) * 254, places: 5) : .decimal(.height, Int64(number), places: 3)
    }

    static func user(_ index: UInt8) -> [Field] { index == .max ? [] : [.int(.userIndex, Int64(index))] }
}
