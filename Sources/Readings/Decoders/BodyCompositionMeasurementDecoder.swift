// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Body Composition Measurement, 0x2A9C. Body Composition Service 1.0, 3.2.1; GATT Specification Supplement.
enum BodyCompositionMeasurementDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2A9C
    static let name = "Body Composition Measurement"
    static let quantities: [Quantity] = [
        .bodyFat, .userIndex, .basalMetabolism, .muscle, .muscleMass, .fatFreeMass, .softLeanMass, .bodyWater,
        .impedance, .weight, .height,
    ]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let flags = try reader.u16("flags")
        func has(_ bit: UInt16) -> Bool { flags >> bit & 1 == 1 }
        let units = BodyUnits(isImperial: has(0))
        let fat = try reader.u16("fat")
        // This number means that the measurement did not succeed.
        var fields: [Field] = fat == .max ? [] : [.decimal(.bodyFat, Int64(fat), places: 1)]
        if has(1) { _ = try reader.bytes(7, "timeStamp") }
        if has(2) { fields += BodyUnits.user(try reader.u8("user")) }
        if has(3) { fields.append(.int(.basalMetabolism, Int64(try reader.u16("basalMetabolism")))) }
        if has(4) { fields.append(.decimal(.muscle, Int64(try reader.u16("muscle")), places: 1)) }
        let masses: [(UInt16, Quantity)] = [(5, .muscleMass), (6, .fatFreeMass), (7, .softLeanMass), (8, .bodyWater)]
        for (bit, quantity) in masses where has(bit) { fields.append(units.mass(quantity, try reader.u16("mass"))) }
        if has(9) { fields.append(.decimal(.impedance, Int64(try reader.u16("impedance")), places: 1)) }
        if has(10) { fields.append(units.mass(.weight, try reader.u16("weight"))) }
        if has(11) { fields.append(units.height(try reader.u16("height"))) }
        try reader.finish()
        return fields
    }
}
