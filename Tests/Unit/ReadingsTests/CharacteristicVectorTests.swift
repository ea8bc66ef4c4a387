// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Readings

/// Values by the GATT Specification Supplement; `make test-decoders` compares them with other programs' readings.
struct CharacteristicVectorTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let characteristic: String
        let octets: String
        let fields: [Field]?
        var testDescription: String { "\(characteristic) \(octets)" }

        init(_ characteristic: String, _ octets: String, _ fields: Field...) {
            (self.characteristic, self.octets, self.fields) = (characteristic, octets, fields)
        }

        init(invalid characteristic: String, _ octets: String) {
            (self.characteristic, self.octets, fields) = (characteristic, octets, nil)
        }
    }

    private static func number(_ quantity: Quantity, _ mantissa: Int64, _ places: Int = 0) -> Field {
        places == 0 ? .int(quantity, mantissa) : .decimal(quantity, mantissa, places: places)
    }

    private static let numbers = [
        Vector("2a6c", "9cffff", number(.elevation, -100, 2)), Vector("2a70", "ffff", number(.windSpeed, 65_535, 2)),
        Vector("2a71", "9f8c", number(.windDirection, 35_999, 2)), Vector(invalid: "2a71", "a08c"),
        Vector("2a72", "0100", number(.apparentWindSpeed, 1, 2)),
        Vector("2a73", "0000", number(.apparentWindDirection, 0, 2)), Vector(invalid: "2a73", "a08c"),
        Vector("2a74", "0f", number(.gustFactor, 15, 1)),
        Vector("2a75", "010203", number(.pollenConcentration, 197_121)),
        Vector("2a76", "0b", number(.uvIndex, 11)), Vector("2a77", "e803", number(.irradiance, 1_000, 1)),
        Vector("2a78", "0c00", number(.precipitation, 12)), Vector("2a79", "f6", number(.windChill, -10)),
        Vector("2a7a", "2a", number(.heatIndex, 42)), Vector("2a7b", "80", number(.dewpoint, -128)),
        Vector("2a2c", "9f8c", number(.magneticDeclination, 35_999, 2)), Vector(invalid: "2a2c", "a08c"),
        Vector("2b0d", "80", number(.temperature, -640, 1)), Vector("2b0d", "7e", number(.temperature, 630, 1)),
        Vector("2b0d", "7f"), Vector("2bdf", "defd", number(.temperature, -2_730, 1)), Vector("2bdf", "0080"),
        Vector("2bdf", "0180"), Vector(invalid: "2bdf", "ddfd"),
        Vector("2c2e", "1027", number(.temperature, 10_000, 1)),
        Vector(invalid: "2c2e", "1127"), Vector("2c2e", "0080"), Vector("2c1b", "c8", number(.humidity, 1_000, 1)),
        Vector(invalid: "2c1b", "c9"), Vector("2c1b", "ff"), Vector("2be4", "fd", number(.soundPressure, 253)),
        Vector("2be4", "fe"), Vector("2be4", "ff"), Vector("2afb", "feffff", number(.illuminance, 16_777_214, 2)),
        Vector("2afb", "ffffff"), Vector("2c1c", "feff", number(.illuminance, 65_534)), Vector("2c1c", "ffff"),
        Vector("2afc", "5046", number(.luminousEfficacy, 18_000, 1)), Vector(invalid: "2afc", "5146"),
        Vector("2afc", "ffff"), Vector("2afd", "010000", number(.luminousEnergy, 1)), Vector("2afd", "ffffff"),
        Vector("2afe", "020000", number(.luminousExposure, 2)), Vector("2aff", "2003", number(.luminousFlux, 800)),
        Vector("2aff", "ffff"), Vector("2be2", "fdffff", number(.luminousFlux, 16_777_213)), Vector("2be2", "feffff"),
        Vector("2b01", "6400", number(.luminousIntensity, 100)), Vector("2b03", "ffff", number(.lightLevel, 65_535)),
        Vector("2ae9", "2003", number(.colorTemperature, 800)), Vector(invalid: "2ae9", "1f03"), Vector("2ae9", "ffff"),
        Vector("2ae7", "64", number(.colorRenderingIndex, 100)), Vector(invalid: "2ae7", "65"), Vector("2ae7", "7f"),
        Vector("2ae3", "78ec", number(.planckianDistance, -5_000, 5)), Vector(invalid: "2ae3", "77ec"),
        Vector("2ae3", "fe7f"), Vector("2ae3", "ff7f"), Vector("2ae6", "ff", number(.chromaticityTolerance, 255, 4)),
        Vector("2b18", "80ff", number(.voltage, 1_022_000_000, 6)), Vector(invalid: "2b18", "81ff"),
        Vector("2b18", "ffff"), Vector("2b18", "4000", number(.voltage, 1_000_000, 6)),
        Vector("2be0", "010000", number(.voltage, 15_625, 6)), Vector("2be0", "ffffff"),
        Vector("2aee", "feff", number(.current, 65_534, 2)), Vector("2aee", "ffff"),
        Vector("2b05", "fdffff", number(.power, 16_777_213, 1)), Vector("2b05", "feffff"), Vector("2b05", "ffffff"),
        Vector("2af2", "feffff", number(.energy, 16_777_214)), Vector("2af2", "ffffff"),
        Vector("2ba8", "fdffffff", number(.energy, 4_294_967_293, 3)), Vector("2ba8", "feffffff"),
        Vector("2b8a", "0a0000", number(.apparentPower, 10, 1)), Vector("2b8a", "ffffff"),
        Vector("2b89", "e8030000", number(.apparentEnergy, 1_000, 3)), Vector("2b89", "ffffffff"),
        Vector("2be8", "3200", number(.electricFrequency, 50)), Vector("2be8", "feff"), Vector("2be8", "ffff"),
        Vector("2b8d", "9c", number(.powerFactor, -100, 2)), Vector(invalid: "2b8d", "9b"), Vector("2b8d", "7f"),
        Vector("2a07", "ec", number(.txPower, -20)), Vector(invalid: "2a07", "15"),
        Vector("2b02", "0300", number(.massFlow, 3)), Vector("2b02", "ffff"),
        Vector("2b1b", "e803", number(.volumeFlow, 36_000, 4)), Vector("2b1b", "ffff"),
        Vector("2c30", "0a00", number(.volumeFlow, 360, 1)), Vector("2c30", "ffff"),
        Vector("2b04", "c8", number(.level, 1_000, 1)), Vector(invalid: "2b04", "c9"), Vector("2b04", "ff"),
        Vector("2c2f", "de0d", number(.level, 3_550, 1)), Vector(invalid: "2c2f", "df0d"),
        Vector("2af9", "ffff", number(.genericLevel, 65_535)), Vector("2aea", "feff", number(.count, 65_534)),
        Vector("2aea", "ffff"), Vector("2aeb", "feffff", number(.count, 16_777_214)), Vector("2aeb", "ffffff"),
        Vector("2aa0", "0100feff", number(.magneticFluxX, 1, 1), number(.magneticFluxY, -2, 1)),
        Vector(
            "2aa1", "0100feff0300", number(.magneticFluxX, 1, 1), number(.magneticFluxY, -2, 1),
            number(.magneticFluxZ, 3, 1)),
        Vector("2c06", "18fcffff", number(.acceleration, -1_000, 3)), Vector("2c06", "ffffff7f"),
        Vector(
            "2c1d", "649c7f", number(.accelerationX, 98_066_500, 7), number(.accelerationY, -98_066_500, 7)),
        Vector("2c1d", "7e0000", number(.accelerationY, 0, 7), number(.accelerationZ, 0, 7)),
        Vector(
            "2c1e", "e80318fc0000", number(.accelerationX, 980_665_000, 8), number(.accelerationY, -980_665_000, 8),
            number(.accelerationZ, 0, 8)),
        Vector(
            "2c1e", "e803fe7fff7f", number(.accelerationX, 980_665_000, 8)),
        Vector("2c07", "e8030000", number(.force, 1_000, 3)), Vector("2c07", "ffffff7f"),
        Vector("2c08", "ffffffff", number(.distance, -1, 7)), Vector("2c08", "ffffff7f"),
        Vector("2c09", "c4ffffff", number(.rotationalSpeed, -60)), Vector("2c09", "ffffff7f"),
        Vector("2c0a", "80969800", number(.distance, 10_000_000, 7)), Vector("2c0a", "ffffffff"),
        Vector("2c0b", "9cffffff", number(.torque, -100, 2)), Vector("2c0b", "ffffff7f"),
        Vector("2b12", "ef", number(.duration, 86_040)), Vector(invalid: "2b12", "f0"), Vector("2b12", "ff"),
        Vector("2b14", "020000", number(.duration, 7_200)), Vector("2b14", "ffffff"),
        Vector("2b15", "dc0500", number(.duration, 1_500, 3)), Vector("2b15", "ffffff"),
        Vector("2b16", "feff", number(.duration, 65_534)), Vector("2b16", "ffff"),
        Vector("2b17", "fe", number(.duration, 254)), Vector("2b17", "ff"),
        Vector("2be6", "feffffff", number(.duration, 4_294_967_294)), Vector("2be6", "ffffffff"),
        Vector("2b8c", "fdff", number(.co2, 65_533)), Vector("2b8c", "feff"), Vector("2b8c", "ffff"),
        Vector("2be7", "6400", number(.vocPPB, 100)), Vector("2be7", "feff"),
        Vector("2a98", "2040", number(.weight, 82_080, 3)), Vector("2a8e", "b400", number(.height, 180, 2)),
        Vector("2b47", "5046", number(.height, 18_000, 4)), Vector("2a8f", "6400", number(.hipCircumference, 100, 2)),
        Vector("2a97", "5000", number(.waistCircumference, 80, 2)), Vector("2a92", "32", number(.restingHeartRate, 50)),
        Vector("2a8d", "be", number(.heartRateMax, 190)), Vector("2a96", "37", number(.vo2Max, 55)),
        Vector("2b49", "e803", number(.strideLength, 1_000, 3)), Vector("2b50", "d007", number(.caloricIntake, 2_000)),
        Vector("2a9a", "00", number(.userIndex, 0)), Vector("2a9a", "ff"),
        Vector("2aa3", "09", .text(.pressureTrend, "steady")), Vector("2aa3", "01", .text(.pressureTrend, "falling")),
        Vector("2aa3", "00"), Vector(invalid: "2aa3", "0a"), Vector("2c20", "00", .binary(.opening, true)),
        Vector("2c20", "01", .binary(.opening, false)), Vector("2c20", "02", .binary(.opening, true)),
        Vector(invalid: "2c20", "03"),
        Vector("2b1c", "ffff", Field(.chromaticity, .array([.decimal(.init(mantissa: 100_000, places: 5))]))),
        Vector(
            "2ae4", "00000080",
            Field(
                .chromaticity,
                .array([.decimal(.init(mantissa: 0, places: 5)), .decimal(.init(mantissa: 50_001, places: 5))]))),
    ]

    /// 12 × 10^−8 kg/m³ are 120 µg/m³.
    private static let gases: [Vector] =
        [
            ("2bcf", .ammonia), ("2bd0", .carbonMonoxide), ("2bd2", .nitrogenDioxide), ("2bd3", .tvoc),
            ("2bd4", .ozone), ("2bd5", .pm1), ("2bd6", .pm25), ("2bd7", .pm10), ("2bd8", .sulfurDioxide),
            ("2bd9", .sulfurHexafluoride),
        ].flatMap { (characteristic: String, quantity: Quantity) in
            [
                Vector(characteristic, "0c80", number(quantity, 120)),
                Vector(characteristic, "0000", number(quantity, 0)),
                Vector(characteristic, "ff07"), Vector(characteristic, "0008"), Vector(characteristic, "fe07"),
                Vector(invalid: characteristic, "0c10"), Vector(invalid: characteristic, "f48f"),
            ]
        } + [Vector("2bd1", "d007", number(.methane, 2_000, 3)), Vector("2bd1", "1420", number(.methane, 20, 1))]

    private static let flagged = [
        Vector("2a9d", "002040", number(.weight, 82_080, 3)), Vector("2a9d", "00ffff"),
        Vector("2a9d", "01e803", number(.weight, 45_359, 4)),
        Vector(
            "2a9d", "0e2040e607010203040502f6001c07", number(.weight, 82_080, 3), number(.userIndex, 2),
            number(.bmi, 246, 1), number(.height, 1_820, 3)),
        Vector(
            "2a9c", "180ccb0068109401dc05e02e", number(.bodyFat, 203, 1), number(.basalMetabolism, 4_200),
            number(.muscle, 404, 1), number(.weight, 7_500, 3), number(.height, 12_000, 3)),
        Vector("2a9c", "0000ffff"),
        Vector(
            "2a9c", "e0036400010002000300040005000000".dropLast(4).description, number(.bodyFat, 100, 1),
            number(.muscleMass, 5, 3), number(.fatFreeMass, 10, 3), number(.softLeanMass, 15, 3),
            number(.bodyWater, 20, 3), number(.impedance, 5, 1)),
        Vector(
            "2a35", "047800500060003c00", number(.bloodPressureSystolic, 120), number(.bloodPressureDiastolic, 80),
            number(.bloodPressureMean, 96), number(.pulseRate, 60)),
        Vector(
            "2a35", "01a0f0ff07ff07", number(.bloodPressureSystolic, 1_200, 1)),
        Vector(
            "2a35", "0c7800500060003c0001", number(.bloodPressureSystolic, 120), number(.bloodPressureDiastolic, 80),
            number(.bloodPressureMean, 96), number(.pulseRate, 60), number(.userIndex, 1)),
        Vector("2a36", "006400ff07ff07", number(.cuffPressure, 100)),
        Vector(
            "2a36", "0c6400ff07ff073c0001", number(.cuffPressure, 100), number(.pulseRate, 60), number(.userIndex, 1)),
        Vector(
            "2a5e", "086100480023f0", number(.oxygenSaturation, 97), number(.pulseRate, 72),
            number(.pulseAmplitude, 35, 1)),
        Vector("2a9c", "0400640005", number(.bodyFat, 100, 1), number(.userIndex, 5)),
        Vector("2a5e", "0061004800", number(.oxygenSaturation, 97), number(.pulseRate, 72)),
        Vector(
            "2a5f", "1361004800600047006200490023f0", number(.oxygenSaturation, 97), number(.pulseRate, 72),
            number(.pulseAmplitude, 35, 1)),
        Vector(
            "2a5b", "03010000000004020000020000".dropLast(4).description, number(.wheelRevolutions, 1),
            number(.wheelEventTime, 1_000, 3), number(.crankRevolutions, 2), number(.crankEventTime, 500, 3)),
        Vector(
            "2a53", "07000355960010270000", number(.speed, 30_000, 4), number(.cadence, 85),
            number(.strideLength, 150, 2), number(.totalDistance, 10_000, 1), .binary(.running, true)),
        Vector(
            "2a63", "3508c8006440000a0000000008050000041e00", number(.power, 200), number(.pedalBalance, 500, 1),
            number(.accumulatedTorque, 200_000, 5), number(.wheelRevolutions, 10), number(.wheelEventTime, 1_000, 3),
            number(.crankRevolutions, 5), number(.crankEventTime, 1_000, 3), number(.energyExpended, 30)),
        Vector("2a63", "000038ff", number(.power, -200)),
        Vector("2a63", "0100c800c8", number(.power, 200), number(.pedalBalance, 1_000, 1)),
        Vector("2a63", "0100c800c9", number(.power, 200)),
        Vector("2a18", "020700e607010203040564b011", number(.sequence, 7), number(.glucose, 5_551, 3)),
        Vector("2a18", "060700e607010203040537c011", number(.sequence, 7), number(.glucose, 5_500, 3)),
        Vector("2a1e", "006e0100ff", number(.temperature, 366, 1)),
        // No body has ten thousand of any of these.
        Vector("2a36", "000130ff07ff07", number(.cuffPressure, 1_000)), Vector(invalid: "2a36", "000140ff07ff07"),
        Vector(invalid: "2a18", "020700e6070102030405f47511"), Vector(invalid: "2a5e", "0061000140"),
    ]

    private static let machines = [
        // 25.2 km/h, 85.5 rpm, 1,000 m, level 7, 210 W, 42 kcal, 131 beats, 600 s.
        Vector(
            "2ad2", "740fd809ab00e803000700d2002a00640002830a5802", number(.speed, 70_000, 4),
            number(.cadence, 855, 1), number(.totalDistance, 1_000), number(.resistanceLevel, 7), number(.power, 210),
            number(.totalEnergy, 42), number(.heartRate, 131), number(.duration, 600)),
        Vector("2ad2", "01101e00", number(.remainingTime, 30)),
        Vector("2ad2", "0100"), Vector("2ad2", "0300e803"), Vector(invalid: "2ad2", "0000e80300"),
        Vector(
            "2acd", "8c19d809e803000f0009000a00ffffffb45802ff7fc800", number(.speed, 70_000, 4),
            number(.totalDistance, 1_000), number(.inclination, 15, 1), number(.totalEnergy, 10),
            number(.heartRate, 180), number(.remainingTime, 600), number(.power, 200)),
        Vector("2acd", "01100a00c800", number(.force, 10), number(.power, 200)),
        Vector("2acd", "730c010001000200010258021e00", number(.duration, 600), number(.remainingTime, 30)),
        Vector(
            "2ad1", "fe1f37080030f4010078007d0096008c000500140000000078053c001e00",
            number(.cadence, 275, 1), number(.count, 8), number(.totalDistance, 500), number(.power, 150),
            number(.resistanceLevel, 5), number(.totalEnergy, 20), number(.heartRate, 120), number(.duration, 60),
            number(.remainingTime, 30)),
        Vector(
            "2bed", "02a30061", .binary(.plug, true), .binary(.charging, true), .binary(.batteryLow, false),
            number(.battery, 97)),
        Vector("2bed", "056501341205", .binary(.charging, false), .binary(.batteryLow, true)),
        Vector("2bed", "000100", .binary(.plug, false)), Vector(invalid: "2bed", "02000065"),
        // 120 mg/dl; the same with trend, quality, all status and a check; two records.
        Vector("2aa7", "060078000500", number(.glucose, 6_661, 3)),
        Vector("2aa7", "0fe3780005000102030a0064003412", number(.glucose, 6_661, 3)),
        Vector("2aa7", "06007800050006005a000600", number(.glucose, 4_996, 3)),
        Vector("2aa7", "0600ff070500"), Vector(invalid: "2aa7", "070078000500"), Vector(invalid: "2aa7", "0700780005"),
        Vector(
            "2b34", "2e7800500060004e61bc003c000130750000", number(.bloodPressureSystolic, 120),
            number(.bloodPressureDiastolic, 80), number(.bloodPressureMean, 96), number(.pulseRate, 60),
            number(.userIndex, 1)),
        Vector(invalid: "2b34", "2e7800500060004e61bc003c0001307500"),
        Vector(
            "2c22", "81", contact(1, 1), contact(2, 0), contact(3, 0), contact(4, 0), contact(5, 0), contact(6, 0),
            contact(7, 0), contact(8, 1)),
    ]

    private static func contact(_ index: UInt8, _ state: Int64) -> Field {
        Field(.reedSwitch, .int(state), index: index)
    }

    /// For the test of all decoders.
    static let rows = (numbers + gases + flagged + machines).map {
        DecoderTests.Row(
            name: "as specified", characteristic: $0.characteristic, value: $0.octets, fields: $0.fields)
    }

    @Test(arguments: numbers + gases + flagged + machines)
    func `a value becomes the fields of its specification`(_ vector: Vector) throws {
        let octets = try #require([UInt8](hexadecimal: vector.octets))
        #expect(Decoders.decode(characteristic: vector.characteristic, value: octets) == vector.fields)
    }

    @Test func `every characteristic of one number has a value here, and takes no octet more or less`() {
        let known = Set((Self.numbers + Self.gases + Self.flagged).map(\.characteristic))
        for row in NumberCharacteristic.all {
            let name = row.characteristic.bigEndianHexadecimal.lowercased()
            #expect(known.contains(name), "\(row.name)")
            let length = row.number.octets * row.quantities.count
            for count in [length - 1, length + 1] {
                #expect(throws: DecodeError.self) { try row.decode([UInt8](repeating: 0, count: count)) }
            }
        }
        #expect(Decoders.table.count >= 90)
    }
}
