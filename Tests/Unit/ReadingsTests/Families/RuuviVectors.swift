// SPDX-License-Identifier: Apache-2.0

import Readings

/// The vectors named valid, maximum, minimum and invalid are Ruuvi's own (docs.ruuvi.com).
extension FamilyVector {
    private static let address: UInt64 = 0xCBB8_334C_884F

    private static func tag(
        _ name: String, _ octets: String, address: UInt64 = address, number: PacketNumber? = nil, _ fields: [Field]?
    ) -> FamilyVector {
        FamilyVector(name, "ruuvi", address: address, manufacturer: "9904" + octets, number: number, fields)
    }

    static let ruuvi: [FamilyVector] = [
        tag(
            "format 5, valid", "0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F", number: PacketNumber(205, bits: 16),
            [
                .decimal(.temperature, 24_300, places: 3), .decimal(.humidity, 534_900, places: 4),
                .decimal(.pressure, 100_044, places: 2), .decimal(.accelerationX, 39, places: 3),
                .decimal(.accelerationY, -39, places: 3), .decimal(.accelerationZ, 10_160, places: 3),
                .decimal(.voltage, 2_977, places: 3), .int(.txPower, 4), .int(.movementCounter, 66),
                .int(.sequence, 205),
            ]),
        tag(
            "format 5, minimum", "058001000000008001800180010000000000CBB8334C884F", number: PacketNumber(0, bits: 16),
            [
                .decimal(.temperature, -163_835, places: 3), .decimal(.humidity, 0, places: 4),
                .decimal(.pressure, 50_000, places: 2), .decimal(.accelerationX, -321_335, places: 3),
                .decimal(.accelerationY, -321_335, places: 3), .decimal(.accelerationZ, -321_335, places: 3),
                .decimal(.voltage, 1_600, places: 3), .int(.txPower, -40), .int(.movementCounter, 0),
                .int(.sequence, 0),
            ]),
        tag(
            "format 5, near saturation", "0580009C41FFFF800080008000FFFFFFFFFFCBB8334C884F",
            [.decimal(.humidity, 1_000_000, places: 4)]),
        tag(
            "format 5, the most near saturation", "058000BB80FFFF800080008000FFFFFFFFFFCBB8334C884F",
            [.decimal(.humidity, 1_000_000, places: 4)]),
        tag("format 5, more than its sensor can say", "058000BB81FFFF800080008000FFFFFFFFFFCBB8334C884F", []),
        tag(
            "format 5, maximum: its humidity is more than there is", "057FFFFFFEFFFE7FFF7FFF7FFFFFDEFEFFFECBB8334C884F",
            number: PacketNumber(65_534, bits: 16),
            [
                .decimal(.temperature, 163_835, places: 3), .decimal(.pressure, 115_534, places: 2),
                .decimal(.accelerationX, 321_335, places: 3), .decimal(.accelerationY, 321_335, places: 3),
                .decimal(.accelerationZ, 321_335, places: 3), .decimal(.voltage, 3_646, places: 3), .int(.txPower, 20),
                .int(.movementCounter, 254), .int(.sequence, 65_534),
            ]),
        tag("format 5, invalid: nothing is known", "058000FFFFFFFF800080008000FFFFFFFFFFCBB8334C884F", []),
        tag(
            "format 3", "03291A1ECE1EFC18F94202CA0B53",
            [
                .decimal(.temperature, 2_630, places: 2), .decimal(.humidity, 205, places: 1),
                .decimal(.pressure, 102_766, places: 2), .decimal(.accelerationX, -9_807, places: 3),
                .decimal(.accelerationY, -16_926, places: 3), .decimal(.accelerationZ, 7_002, places: 3),
                .decimal(.voltage, 2_899, places: 3),
            ]),
        tag(
            "format 3, below zero: a sign and a magnitude", "03FF8145000000000000000000 00".filter { $0 != " " },
            [
                .decimal(.temperature, -169, places: 2), .decimal(.pressure, 50_000, places: 2),
                .decimal(.accelerationX, 0, places: 3), .decimal(.accelerationY, 0, places: 3),
                .decimal(.accelerationZ, 0, places: 3), .decimal(.voltage, 0, places: 3),
            ]),
        tag("format 6, another's address", "06170C5668C79E007000C90501D9FFCD004C884E", nil),
        tag(
            "format C5", "C512FC5394C37CAC364200CDCBB8334C884F", number: PacketNumber(205, bits: 16),
            [
                .decimal(.temperature, 24_300, places: 3), .decimal(.humidity, 534_900, places: 4),
                .decimal(.pressure, 100_044, places: 2), .decimal(.voltage, 2_977, places: 3), .int(.txPower, 4),
                .int(.movementCounter, 66), .int(.sequence, 205),
            ]),
        tag(
            "format 6", "06170C5668C79E007000C90501D9FFCD004C884F", number: PacketNumber(205, bits: 8),
            [
                .decimal(.temperature, 29_500, places: 3), .decimal(.humidity, 553_000, places: 4),
                .decimal(.pressure, 101_102, places: 2), .decimal(.pm25, 112, places: 1), .int(.co2, 201),
                .int(.vocIndex, 10), .int(.noxIndex, 2), .int(.illuminance, 13_027),
                .int(.sequence, 205), .int(.calibrating, 0),
            ]),
        tag(
            "format E1", "E1170C5668C79E0065007004BD11CA00C90A0213E0ACFFFFFFDECDEE01FFFFFFFFFFCBB8334C884F",
            number: PacketNumber(14_601_710, bits: 24),
            [
                .decimal(.temperature, 29_500, places: 3), .decimal(.humidity, 553_000, places: 4),
                .decimal(.pressure, 101_102, places: 2), .decimal(.pm1, 101, places: 1),
                .decimal(.pm25, 112, places: 1), .decimal(.pm4, 1_213, places: 1), .decimal(.pm10, 4_554, places: 1),
                .int(.co2, 201), .int(.vocIndex, 20), .int(.noxIndex, 4), .decimal(.illuminance, 1_302_700, places: 2),
                .int(.sequence, 14_601_710), .int(.calibrating, 1),
            ]),
        tag(
            "another's address", "0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F", address: 0xCBB8_334C_8850, nil),
        tag("an octet too many", "0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F01", nil),
        tag("a format that nobody knows", "0812FC5394C37C0004FFFC040CAC364200CDCBB8334C884F", nil),
        tag(
            "hundredths that are none", "03291A64CE1EFC18F94202CA0B53",
            [
                .decimal(.humidity, 205, places: 1), .decimal(.pressure, 102_766, places: 2),
                .decimal(.accelerationX, -9_807, places: 3), .decimal(.accelerationY, -16_926, places: 3),
                .decimal(.accelerationZ, 7_002, places: 3), .decimal(.voltage, 2_899, places: 3),
            ]),
    ]
}
