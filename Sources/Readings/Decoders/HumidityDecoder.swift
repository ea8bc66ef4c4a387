// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Humidity, 0x2A6F: uint16 in 0.01 %. GATT Specification Supplement, 3.124.
enum HumidityDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2A6F
    static let name = "Humidity"
    static let quantities: [Quantity] = [.humidity]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let hundredths = try reader.u16("humidity")
        try reader.finish()
        guard hundredths != .max else { return [] }
        guard hundredths <= 10_000 else { throw .invalid(field: "humidity") }
        return [.decimal(.humidity, Int64(hundredths), places: 2)]
    }
}
