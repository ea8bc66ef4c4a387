// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Barometric Pressure Trend, 0x2AA3: an enumeration. GATT Specification Supplement, 3.22.
enum PressureTrendDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2AA3
    static let name = "Barometric Pressure Trend"
    static let quantities: [Quantity] = [.pressureTrend]

    /// By number from 1; 0 is not known.
    private static let trends = [
        "falling", "rising", "falling_then_steady", "rising_then_steady", "falling_before_lesser_rise",
        "falling_before_greater_rise", "rising_before_greater_fall", "rising_before_lesser_fall", "steady",
    ]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let trend = Int(try reader.u8("trend"))
        try reader.finish()
        guard trend > 0 else { return [] }
        guard trend <= trends.count else { throw .invalid(field: "trend") }
        return [.text(.pressureTrend, trends[trend - 1])]
    }
}

/// Door/Window Status, 0x2C20: an enumeration. A door or window that stands ajar counts as open. GATT Specification
/// Supplement.
enum DoorWindowStatusDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2C20
    static let name = "Door/Window Status"
    static let quantities: [Quantity] = [.opening]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let status = try reader.u8("status")
        try reader.finish()
        guard status <= 2 else { throw .invalid(field: "status") }
        return [.binary(.opening, status != 1)]
    }
}

/// Contact Status 8, 0x2C22: a bit for each of eight contacts. GATT Specification Supplement.
enum ContactStatusDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2C22
    static let name = "Contact Status 8"
    static let quantities: [Quantity] = [.reedSwitch]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let contacts = try reader.u8("contacts")
        try reader.finish()
        return (0..<8).map { place in
            Field(.reedSwitch, .int(Int64(contacts >> place & 1)), index: place + 1)
        }
    }
}

/// Chromaticity Coordinates, 0x2AE4, and Chromaticity Coordinate, 0x2B1C: 65,535ths. GATT Specification Supplement,
/// 3.42.
enum ChromaticityDecoder {
    static func decode(_ value: [UInt8], coordinates: Int) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        var found: [Field.Value] = []
        for _ in 0..<coordinates {
            let coordinate = Int64(try reader.u16("coordinate"))
            found.append(.decimal(Field.Decimal(mantissa: (coordinate * 100_000 + 32_767) / 65_535, places: 5)))
        }
        try reader.finish()
        return [Field(.chromaticity, .array(found))]
    }
}

enum ChromaticityCoordinatesDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2AE4
    static let name = "Chromaticity Coordinates"
    static let quantities: [Quantity] = [.chromaticity]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        try ChromaticityDecoder.decode(value, coordinates: 2)
    }
}

enum ChromaticityCoordinateDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2B1C
    static let name = "Chromaticity Coordinate"
    static let quantities: [Quantity] = [.chromaticity]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        try ChromaticityDecoder.decode(value, coordinates: 1)
    }
}
