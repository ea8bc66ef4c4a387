// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Battery Level Status, 0x2BED. Battery Service 1.1, 3.2; GATT Specification Supplement.
enum BatteryLevelStatusDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2BED
    static let name = "Battery Level Status"
    static let quantities: [Quantity] = [.plug, .charging, .batteryLow, .battery]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let flags = try reader.u8("flags")
        let state = try reader.u16("powerState")
        var fields: [Field] = []
        // By wire and by air: 0 is no power, 1 is power, and 2 is not known.
        let supplies = [state >> 1 & 3, state >> 3 & 3]
        if supplies.contains(1) {
            fields.append(.binary(.plug, true))
        } else if supplies == [0, 0] {
            fields.append(.binary(.plug, false))
        }
        let charge = state >> 5 & 3
        if charge != 0 { fields.append(.binary(.charging, charge == 1)) }
        // 1 is good, 2 is low, and 3 is critical.
        let level = state >> 7 & 3
        if level != 0 { fields.append(.binary(.batteryLow, level > 1)) }
        if flags & 1 != 0 { _ = try reader.u16("identifier") }
        if flags & 2 != 0 {
            let share = try reader.u8("level")
            guard share <= 100 else { throw .invalid(field: "level") }
            fields.append(.int(.battery, Int64(share)))
        }
        if flags & 4 != 0 { _ = try reader.u8("additional") }
        try reader.finish()
        return fields
    }
}
