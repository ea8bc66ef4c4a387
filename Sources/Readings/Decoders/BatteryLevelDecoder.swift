// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Battery Level, 0x2A19: uint8 in %. Battery Service 1.1, 3.1.
enum BatteryLevelDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2A19
    static let name = "Battery Level"
    static let quantities: [Quantity] = [.battery]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let percent = try reader.u8("battery")
        try reader.finish()
        guard percent <= 100 else { throw .invalid(field: "battery") }
        return [.int(.battery, Int64(percent))]
    }
}
