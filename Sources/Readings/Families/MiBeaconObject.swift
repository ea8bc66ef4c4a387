// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// MiBeacon's objects beyond the family's file: binary fractions are rounded once, and remotes have any number of buttons.
enum MiBeaconObject {
    private static let remotes: Set<UInt16> = [0x0153, 0x068E, 0x04E6, 0x03BF]
    private static let presses = ["press", "double_press", "long_press"]

    /// The fields of a record; nil for an unknown object. Throws for an impossible value.
    static func fields(_ object: [UInt8]) throws(DecodeError) -> [Field]? {
        var reader = ByteReader(object)
        let number = try reader.u16("object")
        let product = try reader.u16("product")
        switch (number, reader.remaining) {
        case (0x1001, 3) where remotes.contains(product):
            let button = try reader.u8("button")
            _ = try reader.u8("count")
            let code = Int(try reader.u8("kind"))
            guard presses.indices.contains(code) else { return nil }
            return [Field(.button, .string(presses[code]), index: button == .max ? .max : button + 1)]
        case (0x4801, 4), (0x4C01, 4): return [try real(.temperature, &reader, -273.15...1_000, scale: 100, places: 2)]
        case (0x4808, 4), (0x4C08, 4): return [try real(.humidity, &reader, 0...100, scale: 100, places: 2)]
        case (0x4805, 4): return [try illuminance(&reader)]
        case (0x4A08, 4): return [.binary(.motion, true), try illuminance(&reader)]
        default: return nil
        }
    }

    private static func illuminance(_ reader: inout ByteReader) throws(DecodeError) -> Field {
        try real(.illuminance, &reader, 0...1_000_000, scale: 10, places: 1)
    }

    /// A binary fraction of 32 bits, rounded to `places` decimal places.
    private static func real(
        _ quantity: Quantity, _ reader: inout ByteReader, _ range: ClosedRange<Double>, scale: Double, places: Int
    ) throws(DecodeError) -> Field {
        let number = Double(Float(bitPattern: try reader.u32("number")))
        guard range.contains(number) else { throw .invalid(field: "number") }
        return .decimal(quantity, Int64((number * scale).rounded()), places: places)
    }
}
