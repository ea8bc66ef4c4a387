// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// One object of MiBeacon: what it is about, by its number, its length and the product that sends it.
enum MiBeaconObject {
    /// The fields of an object; nil when nobody knows it. Throws when it says what cannot be.
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
        case (0x100A, 1), (0x4803, 1), (0x4C03, 1): return [.int(.battery, Int64(try reader.u8("battery")))]
        case (0x1007, 3): return [light(try reader.u24("light"), of: product)]
        case (0x1008, 1): return [.int(.moisture, Int64(try reader.u8("moisture")))]
        case (0x1009, 2): return [.int(.conductivity, Int64(try reader.u16("conductivity")))]
        case (0x1010, 2): return [.decimal(.formaldehyde, Int64(try reader.u16("formaldehyde")), places: 2)]
        case (0x1012, 1): return [try yesOrNo(.powerOn, &reader)]
        case (0x1013, 1): return [.int(.consumable, Int64(try reader.u8("consumable")))]
        case (0x1014, 1), (0x4806, 1): return [try yesOrNo(.moistureDetected, &reader)]
        case (0x1015, 1): return [try yesOrNo(.smoke, &reader)]
        case (0x1018, 1): return [try yesOrNo(.light, &reader)]
        // Seconds without a motion: the device says so first after some time.
        case (0x1017, 4): return [.binary(.motion, try reader.u32("idle") <= 30)]
        case (0x4818, 2): return [.binary(.motion, try reader.u16("idle") <= 30)]
        case (0x1019, 1): return opening(try reader.u8("opening"), open: 0, closed: 1, left: 2)
        case (0x4804, 1), (0x4A12, 1): return opening(try reader.u8("opening"), open: 1, closed: 2, left: nil)
        case (0x480C, 1): return opening(try reader.u8("opening"), open: 0, closed: 1, left: nil)
        case (0x4A1A, 1): return [.binary(.leftOpen, true)]
        case (0x000F, 3): return motion(try reader.u24("light"), of: product)
        case (0x0003, 1): return [.binary(.motion, true)]
        case (0x1001, 3): return try pressed(&reader, of: product)
        case (0x000A, 2): return [.decimal(.bodyTemperature, Int64(try reader.i16("temperature")), places: 2)]
        case (0x0010, 1), (0x0010, 2): return [.binary(.running, try reader.u8("state") == 0)]
        case (0x4801, 4), (0x4C01, 4): return [try real(.temperature, &reader, -273.15...1_000, places: 2)]
        case (0x4808, 4), (0x4C08, 4): return [try real(.humidity, &reader, 0...100, places: 2)]
        case (0x4805, 4): return [try real(.illuminance, &reader, 0...1_000_000, places: 1)]
        case (0x4802, 1), (0x4C02, 1): return [.int(.humidity, Int64(try reader.u8("humidity")))]
        case (0x484E, 1): return [try yesOrNo(.occupancy, &reader)]
        case (0x4A01, 1): return [try yesOrNo(.batteryLow, &reader)]
        case (0x4A08, 4): return [.binary(.motion, true), try real(.illuminance, &reader, 0...1_000_000, places: 1)]
        case (0x4E16, 9):
            let user = Int64(try reader.u8("user"))
            return [.int(.userIndex, user), .decimal(.weight, Int64(try reader.u32("weight")), places: 2)]
        case (0x6E16, 9): return try bodyScale(&reader)
        default: return nil
        }
    }

    private static func humidity(_ tenths: UInt16, of product: UInt16) -> Field {
        // These measure whole percents, and send something behind the point all the same.
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

    /// What is pressed and turned; of products whose codes are not known, nothing.
    private static func pressed(_ reader: inout ByteReader, of product: UInt16) throws(DecodeError) -> [Field]? {
        let which = try reader.u8("button")
        let count = try reader.u8("count")
        let kind = try reader.u8("kind")
        switch (product, kind) {
        case (MiBeaconModel.remote, 0...2):
            let event = ["press", "double_press", "long_press"][Int(kind)]
            return [Field(.button, .string(event), index: which == .max ? .max : which + 1)]
        case (MiBeaconModel.dimmer, 3):
            return [.text(.button, which == 0 ? "press" : "long_press"), .int(.count, Int64(count))]
        case (MiBeaconModel.dimmer, 4):
            // Turned while it is pressed, the steps are in the other octet.
            let steps = Int8(bitPattern: which == 0 ? count : which)
            return [
                .text(.dimmer, steps >= 0 ? "rotate_right" : "rotate_left"),
                .int(.dimmerSteps, Int64(steps.magnitude)),
            ]
        default: return nil
        }
    }

    /// Weight, heart rate and impedance of the S400, which come one after the other.
    private static func bodyScale(_ reader: inout ByteReader) throws(DecodeError) -> [Field] {
        var fields: [Field] = [.int(.userIndex, Int64(try reader.u8("user")))]
        let data = try reader.u32("data")
        let weight = Int64(data & 0x7FF)
        let rate = Int64(data >> 11 & 0x7F)
        let impedance = Int64(data >> 18)
        if weight != 0, weight != 0x7FF { fields.append(.decimal(.weight, weight, places: 1)) }
        if rate != 0, rate != 0x7F { fields.append(.int(.heartRate, rate + 50)) }
        if impedance != 0 { fields.append(.decimal(.impedance, impedance, places: 1)) }
        return fields
    }

    /// A binary fraction of 32 bits, to so many decimal places.
    private static func real(
        _ quantity: Quantity, _ reader: inout ByteReader, _ range: ClosedRange<Double>, places: Int
    ) throws(DecodeError) -> Field {
        let number = Double(Float(bitPattern: try reader.u32("number")))
        guard range.contains(number) else { throw .invalid(field: "number") }
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        return .decimal(quantity, Int64((number * scale).rounded()), places: places)
    }
}
