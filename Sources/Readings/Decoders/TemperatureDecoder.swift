// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Temperature, 0x2A6E: sint16 in 0.01 °C. GATT Specification Supplement, 3.218.
enum TemperatureDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2A6E
    static let name = "Temperature"
    static let quantities: [Quantity] = [.temperature]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let hundredths = try reader.i16("temperature")
        try reader.finish()
        guard hundredths != .min else { return [] }
        guard hundredths >= -27_315 else { throw .invalid(field: "temperature") }
        return [.decimal(.temperature, Int64(hundredths), places: 2)]
    }
}
