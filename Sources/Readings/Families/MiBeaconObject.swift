// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// One object of MiBeacon. Its number, its length and the sending product decide its quantity.
enum MiBeaconObject {
    /// The fields of an object; nil for an unknown object. Throws for an impossible value.
    static func fields(
        _ number: UInt16, _ octets: ArraySlice<UInt8>, of product: UInt16
    ) throws(DecodeError) -> [Field]? {
        var reader = ByteReader(octets)
        switch (number, octets.count) {
        case (0x1004, 2): return [.decimal(.temperature, Int64(try reader.i16("temperature")), places: 1)]
        case (0x1006, 2): return [humidity(try reader.u16("humidity"), of: product)]
        case (0x100D, 4):
            let temperature = Int64(try reader.i16("temperature"))
            return [
                .decimal(.temperature, temperature, places: 1), humidity(try reader.u16("humidity"), of: product),
            ]
        case (0x100A, 1), (0x4803, 1), (0x4C03, 1), (0x5003, 1), (0x5403, 1):
            return [.int(.battery, Int64(try reader.u8("battery")))]
        case (0x1007, 3): return [light(try reader.u24("light"), of: product)]
        case (0x1008, 1): return [.int(.moisture, Int64(try reader.u8("moisture")))]
        case (0x1009, 2): return [.int(.conductivity, Int64(try reader.u16("conductivity")))]
        case (0x1010, 2): return [.decimal(.formaldehyde, Int64(try reader.u16("formaldehyde")), places: 2)]
        case (0x1012, 1): return [try yesOrNo(.powerOn, &reader)]
        case (0x1013, 1): return [.int(.consumable, Int64(try reader.u8("consumable")))]
        case (0x1014, 1), (0x4806, 1): return [try yesOrNo(.moistureDetected, &reader)]
        case (0x1015, 1): return [try yesOrNo(.smoke, &reader)]
        case (0x1018, 1): return [try yesOrNo(.light, &reader)]
        // Seconds without a motion. The device first reports them after some time.
        case (0x1017, 4): return [.binary(.motion, try reader.u32("idle") <= 30)]
        case (0x101B, _): return [.binary(.motion, false)]
        case (0x4818, 2): return [.binary(.motion, try reader.u16("idle") <= 30)]
        case (0x1019, 1): return opening(try reader.u8("opening"), open: 0, closed: 1, left: 2)
        case (0x4804, 1), (0x4A12, 1): return opening(try reader.u8("opening"), open: 1, closed: 2, left: nil)
        case (0x480C, 1): return opening(try reader.u8("opening"), open: 0, closed: 1, left: nil)
        case (0x4A1A, 1): return [.binary(.leftOpen, true)]
        case (0x000F, 3): return motion(try reader.u24("light"), of: product)
        case (0x0003, 1): return [.binary(.motion, true)]
        case (0x0007, 1...): return opening(try reader.u8("door"), open: 0, closed: 1, left: 2)
        case (0x1001, 3): return try MiBeaconButton.pressed(&reader, of: product)
        case (0x4A0C...0x4A0E, _), (0x4E0C...0x4E0E, _), (0x560C...0x560E, _), (0x4A13, 1):
            return MiBeaconButton.fields(number, octets.first, of: product)
        case (0x1005, 2):
            return [try yesOrNo(.powerOn, &reader), .int(.temperature, Int64(try reader.u8("temperature")))]
        case (0x605D, 1): return [.int(.temperature, Int64(try reader.i8("temperature")))]
        case (0x487B, 1): return [Field(.moistureDetected, .int(try reader.u8("splash") == 0 ? 0 : 1), index: 2)]
        case (0x4A68, 1) where product == MiBeaconModel.leakTwo: return water(try reader.u8("water"))
        case (0x483C, 1): return [try yesOrNo(.occupancy, &reader)]
        // The time of presence or absence. The device's own state covers both.
        case (0x483D, 4), (0x483E, 4), (0x4851, 1), (0x4852, 1): return []
        case (0x5422, 1): return charging(try reader.u8("charging"))
        case (0x5A16, 1): return bed(try reader.u8("bed"))
        case (0x3003, 1...): return [.binary(.running, try reader.u8("state") == 0)]
        // The two places of a thermometer for the skin, and its battery.
        case (0x2000, 5):
            return try (1...2).map { index throws(DecodeError) in
                Field(
                    .temperature, .decimal(.init(mantissa: Int64(try reader.i16("temperature")), places: 2)),
                    index: index)
            } + [.int(.battery, Int64(try reader.u8("battery")))]
        case (0x000A, 2): return [.decimal(.bodyTemperature, Int64(try reader.i16("temperature")), places: 2)]
        case (0x0010, 1), (0x0010, 2): return [.binary(.running, try reader.u8("state") == 0)]
        case (0x4801, 4), (0x4C01, 4): return [try real(.temperature, &reader, -273.15...1_000, places: 2)]
        case (0x4808, 4), (0x4C08, 4): return [try real(.humidity, &reader, 0...100, places: 2)]
        case (0x4805, 4): return [try real(.illuminance, &reader, 0...1_000_000, places: 1)]
        case (0x4802, 1), (0x4C02, 1), (0x6012, 1): return [.int(.humidity, Int64(try reader.u8("humidity")))]
        case (0x484E, 1) where product == MiBeaconModel.bed:
            return [.binary(.occupancy, try reader.u8("state") == 1)]
        case (0x484E, 1): return [try yesOrNo(.occupancy, &reader)]
        case (0x4A01, 1), (0x4E01, 1): return [try yesOrNo(.batteryLow, &reader)]
        case (0x4A08, 4): return [.binary(.motion, true), try real(.illuminance, &reader, 0...1_000_000, places: 1)]
        case (0x4E16, 9):
            let user = Int64(try reader.u8("user"))
            return [.int(.userIndex, user), .decimal(.weight, Int64(try reader.u32("weight")), places: 2)]
        case (0x6E16, 9): return try bodyScale(&reader)
        default: return nil
        }
    }

    private static func humidity(_ tenths: UInt16, of product: UInt16) -> Field {
        // These models measure whole percents, and still send a digit after the point.
        let isWhole = product == MiBeaconModel.lywsd03mmc || product == MiBeaconModel.mhoC401
        return isWhole ? .int(.humidity, Int64(tenths / 10)) : .decimal(.humidity, Int64(tenths), places: 1)
    }

    private static func yesOrNo(_ quantity: Quantity, _ reader: inout ByteReader) throws(DecodeError) -> Field {
        .binary(quantity, try reader.u8("state") != 0)
    }

    private static func light(_ lux: UInt32, of product: UInt16) -> Field {
        switch product {
        case MiBeaconModel.door, MiBeaconModel.nightLight: .binary(.light, lux == 100)
        default: .int(.illuminance, Int64(lux))
        }
    }

    private static func motion(_ lux: UInt32, of product: UInt16) -> [Field] {
        switch product {
        case MiBeaconModel.motion, MiBeaconModel.nightLight:
            [.binary(.motion, true), .binary(.light, lux >= 100)]
        case MiBeaconModel.motionAndLight: [.binary(.motion, true), .int(.illuminance, Int64(lux))]
        default: [.binary(.motion, true)]
        }
    }

    private static func opening(_ code: UInt8, open: UInt8, closed: UInt8, left: UInt8?) -> [Field] {
        switch code {
        case open: [.binary(.opening, true)]
        case closed: left == nil ? [.binary(.opening, false)] : [.binary(.opening, false), .binary(.leftOpen, false)]
        case left: [.binary(.opening, true), .binary(.leftOpen, true)]
        default: []
        }
    }

    private static func water(_ event: UInt8) -> [Field] {
        switch event {
        case 0, 1: [.binary(.moistureDetected, event == 0)]
        case 2, 3: [Field(.moistureDetected, .int(event == 2 ? 1 : 0), index: 2)]
        default: []
        }
    }

    private static func bed(_ event: UInt8) -> [Field] {
        switch event {
        case 1, 2: [.binary(.occupancy, event == 1)]
        case 3: [.text(.button, "double_press")]
        default: []
        }
    }

    private static func charging(_ code: UInt8) -> [Field] { code <= 2 ? [.binary(.charging, code == 0)] : [] }

    /// Weight, heart rate and impedance of the S400. They come one after the other.
    private static func bodyScale(_ reader: inout ByteReader) throws(DecodeError) -> [Field] {
        var fields: [Field] = [.int(.userIndex, Int64(try reader.u8("user")))]
        let data = try reader.u32("data")
        let weight = Int64(data & 0x7FF)
        let rate = Int64(data >> 11 & 0x7F)
        let impedance = Int64(data >> 18)
        if weight != 0, weight != 0x7FF { fields.append(.decimal(.weight, weight, places: 1)) }
        if rate != 0, rate != 0x7F { fields.append(.int(.heartRate, rate + 50)) }
        // The impedance at 50 kHz comes with a weight, the impedance at 250 kHz alone.
        let isLow = fields.count > 1
        if impedance != 0 { fields.append(.decimal(isLow ? .impedance : .impedanceHigh, impedance, places: 1)) }
        return fields
    }

    /// A binary fraction of 32 bits, rounded to `places` decimal places.
    private static func real(
        _ quantity: Quantity, _ reader: inout ByteReader, _ range: ClosedRange<Double>, places: Int
    ) throws(DecodeError) -> Field {
        let number = Double(Float(bitPattern: try reader.u32("number")))
        guard range.contains(number) else { throw .invalid(field: "number") }
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        return .decimal(quantity, Int64((number * scale).rounded()), places: places)
    }
}
