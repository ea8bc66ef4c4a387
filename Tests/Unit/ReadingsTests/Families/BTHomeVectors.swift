// SPDX-License-Identifier: Apache-2.0

import Readings

extension FamilyVector {
    private static let address: UInt64 = 0x5448_E68F_80A5
    private static let key = "231d39c1d7cc1ab1aee224cd096db932"

    private static func v2(
        _ name: String, _ octets: String, key: String? = nil, number: UInt32? = nil, address: UInt64 = address,
        _ fields: [Field]?
    ) -> FamilyVector {
        FamilyVector(
            name, "bthome", address: address, service: (0xFCD2, octets), key: key,
            number: number.map { PacketNumber($0, bits: 8) }, fields)
    }

    private static func v1(
        _ name: String, _ uuid: UInt16, _ octets: String, key: String? = nil, number: UInt32? = nil, _ fields: [Field]?
    ) -> FamilyVector {
        FamilyVector(
            name, "bthome-v1", address: address, service: (uuid, octets), key: key,
            number: number.map { PacketNumber($0, bits: 8) }, fields)
    }

    private static let climate: [Field] = [
        .decimal(.temperature, 2_506, places: 2), .decimal(.humidity, 5_055, places: 2),
    ]

    static let bthome: [FamilyVector] =
        bthomeObjects + [
            v2("encrypted", "41a47266c95f730011223378237214", key: key, climate),
            v2("encrypted, with its address", "43a5808fe64854f196c06ffb4900112233f08ecbde", key: key, climate),
            v2("a tag that was changed", "41a47266c95f730011223378237215", key: key, nil),
            v2(
                "another key", "41a47266c95f730011223378237214", key: "231d39c1d7cc1ab1aee224cd096db933", nil),
            v2("another's address", "43a6808fe64854f196c06ffb4900112233f08ecbde", key: key, nil),
            v2(
                "encrypted, sent by another", "41a47266c95f730011223378237214", key: key, address: 0x5448_E68F_80A6, nil
            ),
            // Shelly BLU.
            v2(
                "a button", "40005201643a01", number: 82, [.int(.battery, 100), .text(.button, "press")]),
            v2(
                "a window", "40004e0164050000002d013f0000", number: 78,
                [
                    .int(.battery, 100), .decimal(.illuminance, 0, places: 2), .int(.window, 1),
                    .decimal(.rotation, 0, places: 1),
                ]),
            v2(
                "a display", "40002e01641e012e34451601", number: 46,
                [.int(.battery, 100), .int(.light, 1), .int(.humidity, 52), .decimal(.temperature, 278, places: 1)]),
            v2(
                "an encrypted trigger", "450aeb84467f85ba0100003188788c", key: "90bffd73cb6b26ef58a7a8eba9232036",
                number: 7, address: 0xB435_22F5_3DA4, [.int(.battery, 100), .text(.button, "press")]),
            v2(
                "four buttons, the second pressed twice", "4000013a003a023a003a00", number: 1,
                [Field(.button, .string("double_press"), index: 2)]),
            v2(
                "each press", "443a013a023a033a043a053a063a803a813afe",
                (1...9).map { index in
                    let names = [
                        "press", "double_press", "triple_press", "long_press", "long_double_press", "long_triple_press",
                        "hold_press", "hold_release", "hold_press",
                    ]
                    return Field(.button, .string(names[index - 1]), index: UInt8(index))
                }),
            v2(
                "a dimmer", "443c0203", [.text(.dimmer, "rotate_right"), .int(.dimmerSteps, 3)]),
            v2("a dimmer at rest", "443c0000", []),
            v2("a command with an argument", "443b010201", [.text(.command, "toggle")]),
            v2(
                "two temperatures of different objects", "4002ca09451601",
                [
                    Field(.temperature, .decimal(.init(mantissa: 2_506, places: 2)), index: 1),
                    Field(.temperature, .decimal(.init(mantissa: 278, places: 1)), index: 2),
                ]),
            v2("0.35 °C a step", "405801", [.decimal(.temperature, 35, places: 2)]),
            v2("a pound", "40076400", [.decimal(.weight, 4_535_923_700, places: 10)]),
            v2("a text", "4053024869", [.text(.text, "Hi")]),
            v2("octets without a meaning", "40540201020164", [.int(.battery, 100)]),
            v2("firmware", "40f100010204", [.text(.firmwareVersion, "4.2.1.0")]),
            v2("firmware of three parts", "40f2010203", [.text(.firmwareVersion, "3.2.1")]),
            v2("an object that nobody knows ends it", "400164ee0102", [.int(.battery, 100)]),
            v2("nothing but what nobody knows", "40ee0102", nil),
            v2("more than full", "400165", nil),
            v2("neither yes nor no", "401102", nil),
            v2("cut short", "4002ca", nil),
            v2("another version", "2002ca09", nil),
            v2("a reserved bit", "4802ca09", nil),
        ]

    static let bthomeV1: [FamilyVector] =
        bthomeV1Objects + [
            v1(
                "plain", 0x181C, "2302ca090303bf13",
                [
                    .decimal(.temperature, 2_506, places: 2), .decimal(.humidity, 5_055, places: 2),
                ]),
            v1(
                "numbered", 0x181C, "0200a823025d090303b71802015d", number: 168,
                [.decimal(.temperature, 2_397, places: 2), .decimal(.humidity, 6_327, places: 2), .int(.battery, 93)]),
            v1("encrypted", 0x181E, "fba435e4d3c312fb0011223357d90a99", key: key, climate),
            v1("another key", 0x181E, "fba435e4d3c312fb0011223357d90a99", key: "00" + key.dropFirst(2), nil),
            v1("a long press", 0x181C, "023a04", [.text(.button, "long_press")]),
            v1("a dimmer", 0x181C, "033c0103", [.text(.dimmer, "rotate_left"), .int(.dimmerSteps, 3)]),
            v1("a text", 0x181C, "63534869", [.text(.text, "Hi")]),
            v1("an octet too many", 0x181C, "2302ca090303bf1300", nil),
            v1("no object that is known", 0x181C, "02ee01", nil),
        ]

    private static let atcAddress: UInt64 = 0xA4C1_388D_18B2
    private static let atcKey = "b9ea895fac7eea6d30532432a516f3a3"

    private static func atc(
        _ name: String, _ octets: String, address: UInt64, key: String? = nil, number: UInt32? = nil, _ fields: [Field]?
    ) -> FamilyVector {
        FamilyVector(
            name, "atc", address: address, service: (0x181A, octets), key: key,
            number: number.map { PacketNumber($0, bits: 8) }, fields)
    }

    /// From the tests of ble_monitor; the encrypted vector of ATC1441 follows its layout.
    static let atc: [FamilyVector] = [
        atc(
            "colder than anything", "a4c1380283f480002f5f0bf819", address: 0xA4C1_3802_83F4, number: 25,
            [.int(.humidity, 47), .int(.battery, 95), .decimal(.voltage, 3_064, places: 3)]),
        atc(
            "hotter than anything", "a4c1380283f47fff2f5f0bf819", address: 0xA4C1_3802_83F4, number: 25,
            [.int(.humidity, 47), .int(.battery, 95), .decimal(.voltage, 3_064, places: 3)]),
        atc(
            "PVVX, colder than anything", "f4830238c1a4008011 69b60b58f70d".filter { $0 != " " },
            address: 0xA4C1_3802_83F4, number: 247,
            [.decimal(.voltage, 2_998, places: 3), .int(.battery, 88), .int(.reedSwitch, 1)]),
        atc(
            "ATC1441", "a4c1380283f400a22f5f0bf819", address: 0xA4C1_3802_83F4, number: 25,
            [
                .decimal(.temperature, 162, places: 1), .int(.humidity, 47), .int(.battery, 95),
                .decimal(.voltage, 3_064, places: 3),
            ]),
        atc(
            "PVVX", "f4830238c1a4a9066911b60b58f70d", address: 0xA4C1_3802_83F4, number: 247,
            [
                .decimal(.temperature, 1_705, places: 2), .decimal(.humidity, 4_457, places: 2),
                .decimal(.voltage, 2_998, places: 3), .int(.battery, 88), .int(.reedSwitch, 1),
            ]),
        atc(
            "PVVX, encrypted", "11d603fbfa7b6dfb1e26fd", address: atcAddress, key: atcKey, number: 0x11,
            [
                .decimal(.temperature, 2_345, places: 2), .decimal(.humidity, 4_173, places: 2), .int(.battery, 61),
                .int(.reedSwitch, 0),
            ]),
        atc(
            "ATC1441, encrypted", "bd909f8acd502dde", address: atcAddress, key: atcKey, number: 0xBD,
            [.decimal(.temperature, 235, places: 1), .decimal(.humidity, 415, places: 1), .int(.battery, 61)]),
        atc("another key", "bd909f8acd502dde", address: atcAddress, key: "00" + atcKey.dropFirst(2), nil),
        atc("another's address", "a4c1380283f400a22f5f0bf819", address: atcAddress, nil),
        atc(
            "more than full", "a4c1380283f400a22f650bf819", address: 0xA4C1_3802_83F4, number: 25,
            [.decimal(.temperature, 162, places: 1), .int(.humidity, 47), .decimal(.voltage, 3_064, places: 3)]),
        atc(
            "above 100 %", "f4830238c1a4a9061127b60b58f70d", address: 0xA4C1_3802_83F4, number: 247,
            [
                .decimal(.temperature, 1_705, places: 2), .decimal(.voltage, 2_998, places: 3), .int(.battery, 88),
                .int(.reedSwitch, 1),
            ]),
        atc(
            "below zero", "a4c1380283f4ffce2f5f0bf819", address: 0xA4C1_3802_83F4, number: 25,
            [
                .decimal(.temperature, -50, places: 1), .int(.humidity, 47), .int(.battery, 95),
                .decimal(.voltage, 3_064, places: 3),
            ]),
    ]
}
