// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Pressure, 0x2A6D: uint32 in 0.1 Pa, published in hPa. GATT Specification Supplement, 3.181.
enum PressureDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2A6D
    static let name = "Pressure"
    static let quantities: [Quantity] = [.pressure]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let tenths = try reader.u32("pressure")
        try reader.finish()
        return [.decimal(.pressure, Int64(tenths), places: 3)]
    }
}
