// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import FuzzSeeds
import Readings
import TestMaterials
import Testing

@Suite("Decoders")
struct DecoderTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var characteristic: String
        var value: String
        var fields: [Field]?
        var testDescription: String { "\(characteristic): \(name)" }
    }

    static let rows: [Row] = [
        Row(
            name: "24.30 °C", characteristic: "2a6e", value: "7e09", fields: [.decimal(.temperature, 2430, places: 2)]),
        Row(
            name: "below zero", characteristic: "2a6e", value: "38ff",
            fields: [.decimal(.temperature, -200, places: 2)]),
        Row(name: "not known", characteristic: "2a6e", value: "0080", fields: []),
        Row(name: "below absolute zero", characteristic: "2a6e", value: "0180", fields: nil),
        Row(name: "an octet too many", characteristic: "2a6e", value: "7e0900", fields: nil),
        Row(name: "53.49 %", characteristic: "2a6f", value: "e514", fields: [.decimal(.humidity, 5349, places: 2)]),
        Row(name: "100 %", characteristic: "2a6f", value: "1027", fields: [.decimal(.humidity, 10_000, places: 2)]),
        Row(name: "above 100 %", characteristic: "2a6f", value: "1127", fields: nil),
        Row(name: "not known", characteristic: "2a6f", value: "ffff", fields: []),
        Row(
            name: "1000.44 hPa", characteristic: "2a6d", value: "f8430f00",
            fields: [.decimal(.pressure, 1_000_440, places: 3)]),
        Row(
            name: "the largest", characteristic: "2a6d", value: "ffffffff",
            fields: [.decimal(.pressure, 4_294_967_295, places: 3)]),
        Row(name: "three octets", characteristic: "2a6d", value: "f8430f", fields: nil),
        Row(name: "full", characteristic: "2a19", value: "64", fields: [.int(.battery, 100)]),
        Row(name: "more than full", characteristic: "2a19", value: "65", fields: nil),
        Row(name: "8-bit rate", characteristic: "2a37", value: "0048", fields: [.int(.heartRate, 72)]),
        Row(name: "16-bit rate", characteristic: "2a37", value: "012c01", fields: [.int(.heartRate, 300)]),
        Row(
            name: "contact, energy and two intervals", characteristic: "2a37", value: "1e4810270004ff03",
            fields: [
                .int(.heartRate, 72), .int(.sensorContact, 1), .int(.energyExpended, 10_000),
                Field(
                    .rrInterval,
                    .array([.decimal(.init(mantissa: 1000, places: 3)), .decimal(.init(mantissa: 999, places: 3))])),
            ]),
        Row(
            name: "no contact", characteristic: "2a37", value: "0448",
            fields: [.int(.heartRate, 72), .int(.sensorContact, 0)]),
        Row(name: "half an interval", characteristic: "2a37", value: "1048000400", fields: nil),
        Row(name: "an octet that no flag announces", characteristic: "2a37", value: "004800", fields: nil),
        Row(
            name: "36.4 °C", characteristic: "2a1c", value: "006c0100ff",
            fields: [.decimal(.temperature, 364, places: 1)]),
        Row(
            name: "97.5 °F", characteristic: "2a1c", value: "01cf0300ff",
            fields: [.decimal(.temperature, 3639, places: 2)]),
        Row(
            name: "-40 °F", characteristic: "2a1c", value: "01d8ffff00",
            fields: [.decimal(.temperature, -400, places: 1)]),
        Row(
            name: "-0.4 °F", characteristic: "2a1c", value: "01fcffffff",
            fields: [.decimal(.temperature, -1800, places: 2)]),
        Row(
            name: "time stamp and type", characteristic: "2a1c", value: "066c0100ffea07010a0a050602",
            fields: [.decimal(.temperature, 364, places: 1)]),
        Row(name: "NaN", characteristic: "2a1c", value: "00ffff7f00", fields: []),
        Row(name: "NRes", characteristic: "2a1c", value: "0000008000", fields: []),
        Row(name: "+INF", characteristic: "2a1c", value: "00feff7f00", fields: []),
        Row(name: "-INF", characteristic: "2a1c", value: "0002008000", fields: []),
        Row(name: "an exponent that no thermometer has", characteristic: "2a1c", value: "00010000f0", fields: nil),
        Row(
            name: "37 with exponent 1", characteristic: "2a1c", value: "0003000001",
            fields: [.decimal(.temperature, 30, places: 0)]),
        Row(name: "unknown", characteristic: "2a00", value: "41", fields: nil),
    ]

    @Test("a value becomes its fields", arguments: rows)
    func decodes(_ row: Row) throws {
        let value = try #require([UInt8](hexadecimal: row.value))
        if let choice = FuzzFormats.characteristics.firstIndex(of: row.characteristic) {
            SeedFolder.current?.write([UInt8(choice)] + value, for: "decoders")
        }
        #expect(Decoders.decode(characteristic: row.characteristic, value: value) == row.fields)
    }

    @Test("every decoder has right values here and a wrong one, and gives its named quantities")
    func quantities() {
        for entry in Decoders.table {
            let described = DescribedVector.all.filter { $0.family == entry.characteristic }.map {
                Row(name: $0.family, characteristic: $0.family, value: $0.octets, fields: $0.fields)
            }
            let all = Self.rows + CharacteristicVectorTests.rows + LinkedSensorDecoderTests.rows + described
            let rows = all.filter { $0.characteristic == entry.characteristic }
            let fields = rows.flatMap { $0.fields ?? [] }
            #expect(Set(fields.map(\.quantity)) == Set(entry.quantities), "\(entry.name)")
            let longer =
                rows.compactMap { [UInt8](hexadecimal: $0.value) }.max { $0.count < $1.count }.map { $0 + [0] } ?? []
            let isStrict = Decoders.decode(characteristic: entry.characteristic, value: longer) == nil
            #expect(isStrict || rows.contains { $0.fields == nil }, "\(entry.name)")
            let numbers = fields.filter { $0.value.number != nil }.map(\.quantity)
            #expect(Set(numbers) == Set(Decoders.numbers(of: entry.characteristic)), "\(entry.name)")
            #expect(Set(numbers).isSubset(of: Decoders.numbers))
            for field in fields {
                if case .array = field.value { #expect(field.quantity.details.isList) }
            }
        }
        #expect(Decoders.numbers(of: "2a00") == [])
    }

    @Test("a truncated value is refused", arguments: rows.filter { $0.fields != nil })
    func truncations(_ row: Row) throws {
        let value = try #require([UInt8](hexadecimal: row.value))
        for count in 0..<value.count {
            let fields = Decoders.decode(characteristic: row.characteristic, value: Array(value.prefix(count)))
            // Only the list of intervals of a heart rate may be shorter.
            #expect(fields == nil || (row.characteristic == "2a37" && count >= 4 && count.isMultiple(of: 2)))
        }
    }

    @Test("octets of any kind never trap", arguments: Decoders.table.map(\.characteristic))
    func anything(_ characteristic: String) {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<Repetitions.rounds(5_000) {
            let value = (0..<Int.random(in: 0...16, using: &generator)).map { _ in
                [0, 0xFF, 0x80, 0x7F, UInt8.random(in: 0...255, using: &generator)].randomElement() ?? 0
            }
            _ = Decoders.decode(characteristic: characteristic, value: value)
        }
    }

    @Test(arguments: [(2_767, 2, 27.67), (5_149, 2, 51.49), (-1, 18, -1e-18), (7, 0, 7)] as [(Int64, Int, Double)])
    func `a decimal is the nearest number, which is printed without noise`(
        _ mantissa: Int64, _ places: Int, _ number: Double
    ) {
        #expect(Field.decimal(.temperature, mantissa, places: places).value.number == number)
    }
}
