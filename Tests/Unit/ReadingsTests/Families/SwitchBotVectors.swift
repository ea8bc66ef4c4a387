// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// SwitchBot's devices as they really send: old firmware with values in the service data, hubs with two octets of service data, models with
/// four more octets at the end. The octets are from the tests of PySwitchbot and of other libraries.
extension FamilyVector {
    private static func sent(
        _ name: String, _ manufacturer: String, _ service: String, uuid: UInt16 = 0xFD3D,
        address: UInt64 = 0xAABB_CCDD_EEFF, number: UInt32? = nil, _ fields: [Field]?
    ) -> FamilyVector {
        FamilyVector(
            name, "switchbot", address: address, manufacturer: manufacturer, service: (uuid, service),
            number: number.map { PacketNumber($0, bits: 8) }, fields)
    }

    private static func climate(_ tenths: Int64, _ humidity: Int64) -> [Field] {
        [.decimal(.temperature, tenths, places: 1), .int(.humidity, humidity)]
    }

    static let switchBotSpellings: [FamilyVector] = [
        sent("Hub 2", "6909aabbccddeeff00ff66541af182079a3200", "7600", number: 0, climate(267, 50)),
        sent(
            "Hub Mini Matter", "6909e6a1cd0000650000000000001401983500", "2500", address: 0xE6A1_CD00_0065, number: 0,
            climate(241, 53)),
        sent(
            "Hub 3", "6909b0e9fe00002900ff6826d6648303993480", "0000640010b940", address: 0xB0E9_FE00_0029, number: 0,
            climate(253, 52) + [.int(.motion, 1)]),
        sent(
            "Climate Panel", "6909b0e9fe5a2e6f05d8079a340000000084", "0020580010f3d8",
            address: 0xB0E9_FE5A_2E6F, number: 5,
            climate(267, 52) + [.int(.motion, 1), .int(.light, 1), .int(.battery, 88)]),
        sent(
            "Meter with old firmware", "", "5400e4069835",
            climate(246, 53) + [.int(.battery, 100)]),
        sent(
            "Meter with old firmware and its first UUID", "", "5400e4069835", uuid: 0x0D00,
            climate(246, 53) + [.int(.battery, 100)]),
        sent(
            "Meter Plus with old firmware", "5900aabbccddeeff", "6900e4069835",
            climate(246, 53) + [.int(.battery, 100)]),
        sent(
            "Meter with the identifier of another company", "e502d7c17d5deb43de03069835", "5400e4069835",
            address: 0xD7C1_7D5D_EB43, number: 0xDE, climate(246, 53) + [.int(.battery, 100)]),
        sent(
            "Contact Sensor with old firmware", "", "6440da020017005144",
            [.int(.opening, 1), .int(.leftOpen, 0), .int(.motion, 1), .int(.light, 0), .int(.battery, 90)]),
        sent(
            "Contact Sensor with old firmware, left open", "", "6400da050017005144",
            [.int(.opening, 1), .int(.leftOpen, 1), .int(.motion, 0), .int(.light, 1), .int(.battery, 90)]),
        sent(
            "Motion Sensor with old firmware", "", "7340e400003a",
            [.int(.motion, 1), .int(.light, 1), .int(.battery, 100)]
        ),
        sent(
            "Motion Sensor with old firmware, at rest", "", "7300e4000008",
            [.int(.motion, 0), .int(.light, 0), .int(.battery, 100)]),
        sent(
            "Plug Mini", "6909aabbccddeeff0080003d0123", "6700", number: 0,
            [.int(.powerOn, 1), .decimal(.power, 291, places: 1)]),
        sent(
            "Plug Mini that is off", "6909aabbccddeeff1000003d8000", "6a00", number: 0x10,
            [.int(.powerOn, 0), .decimal(.power, 0, places: 1)]),
        sent(
            "Relay Switch 1PM", "6909aabbccddeeff2180000000050000", "3c00", number: 0x21,
            [.int(.powerOn, 1), .int(.power, 5)]),
        sent("Relay Switch 1", "6909aabbccddeeff2200000000000000", "3b00", number: 0x22, [.int(.powerOn, 0)]),
        sent(
            "Relay Switch 2PM", "6909aabbccddeeff23400000 0005 0007".filter { $0 != " " }, "3d00", number: 0x23,
            [
                Field(.powerOn, .int(0), index: 1), Field(.power, .int(5), index: 1),
                Field(.powerOn, .int(1), index: 2), Field(.power, .int(7), index: 2),
            ]),
        sent(
            "Curtain with old firmware", "", "6340d9322104",
            [.int(.position, 50), .int(.moving, 0), .int(.lightLevel, 2), .int(.battery, 89)]),
        sent(
            "Curtain 3", "6909aabbccddeeff0b0095110034 4a".filter { $0 != " " }, "7bc049", number: 0x0B,
            [.int(.position, 21), .int(.moving, 1), .int(.lightLevel, 1), .int(.battery, 74)]),
        sent(
            "Blind Tilt", "6909aabbccddeeff17012a30", "78002a", number: 0x17,
            [.int(.position, 42), .int(.moving, 0), .int(.battery, 42)]),
        sent("Bot", "5900aabbccddeeff", "489064", [.int(.powerOn, 1), .int(.battery, 100)]),
        sent("Bot that is off", "", "48d064", [.int(.powerOn, 0), .int(.battery, 100)]),
        sent("Bot that only presses", "", "481064", [.int(.battery, 100)]),
        sent(
            "Lock", "6909aabbccddeeff8c9420", "6f80d4", number: 0x8C,
            [
                .int(.lock, 1), .text(.lockState, "unlocked"), .int(.door, 1), .int(.battery, 84),
            ]),
        sent(
            "Lock Pro", "6909aabbccddeeff9a80105a0000", "2400", number: 0x9A,
            [
                .int(.lock, 0), .text(.lockState, "locked"), .int(.door, 1), .int(.battery, 90),
            ]),
        sent(
            "Lock Lite, which does not know the door", "6909e9d511b26b5317930820", "2d8064", address: 0xE9D5_11B2_6B53,
            number: 0x17, [.int(.lock, 1), .text(.lockState, "unlocked"), .int(.battery, 100)]),
        sent(
            "Lock Vision", "6909b0e9fe6fc9a60a00002e000c00000000", "00802e00116908", address: 0xB0E9_FE6F_C9A6,
            number: 0x0A, [.int(.lock, 0), .text(.lockState, "locked"), .int(.battery, 46)]),
        sent(
            "Lock Vision Pro", "6909b0e9fee61a7103000033000c00000000", "00803300116909", address: 0xB0E9_FEE6_1A71,
            number: 3, [.int(.lock, 0), .text(.lockState, "locked"), .int(.door, 0), .int(.battery, 51)]),
        sent(
            "Lock Pro WiFi", "6909b0e9feb05efe0e02003d0008", "00803d0010ff90", address: 0xB0E9_FEB0_5EFE,
            number: 0x0E, [.int(.lock, 0), .text(.lockState, "locked"), .int(.door, 0), .int(.battery, 61)]),
        sent(
            "Roller Shade", "6909b0e9fe54901b2c089f11042700", "2c00279f1104", address: 0xB0E9_FE54_901B, number: 0x2C,
            [.int(.position, 31), .int(.moving, 0), .int(.lightLevel, 1), .int(.battery, 39)]),
        sent(
            "Garage Door Opener", "690924587c05424e0f000003000000000000", "3e000000", address: 0x2458_7C05_424E,
            number: 0x0F, [.int(.garageDoor, 1)]),
        sent(
            "Plug Mini of Europe", "690994a99054855e3fa1000004e600000000", "3f000000", address: 0x94A9_9054_855E,
            number: 0x3F, [.int(.powerOn, 1), .int(.power, 1254)]),
        sent("Remote", "5900aabbccddeeff", "62205600", [.int(.battery, 86)]),
        FamilyVector(
            "Meter Plus by its name", "switchbot", address: 0xAABB_CCDD_EEFF, local: "WoSensorTHP",
            manufacturer: "6909aabbccddeeff4a0109962f", number: PacketNumber(0x4A, bits: 8), climate(229, 47)),
        FamilyVector(
            "Outdoor Meter by its name", "switchbot", address: 0xAABB_CCDD_EEFF, local: "WoIOSensorTH",
            manufacturer: "6909aabbccddeeff8b0305993200", number: PacketNumber(0x8B, bits: 8), climate(255, 50)),
        FamilyVector(
            "a name that no meter has", "switchbot", address: 0xAABB_CCDD_EEFF, local: "WoHand",
            manufacturer: "6909aabbccddeeff8b0305993200", nil),
        sent("old firmware of a model that nobody knows", "", "7a00e4069835", nil),
        sent("old firmware with an impossible climate", "", "5400e40f98ff", [.int(.battery, 100)]),
        sent("a hub without its values", "", "7600", nil),
        sent("Outdoor Meter's battery alone", "", "770041", [.int(.battery, 65)]),
        sent(
            "Weather Station", "6909aabbccddeeff0150069a230000000000", "000050001053b0", number: 1,
            climate(266, 35) + [.int(.battery, 80)]),
        sent(
            "Presence Sensor", "6909b0e9fe6c66aa06cc0456008c", "0020640010ccc8", address: 0xB0E9_FE6C_66AA, number: 6,
            [.int(.motion, 1), .int(.lightLevel, 12), .int(.battery, 100)]),
        sent(
            "Smart Radiator Thermostat", "6909b0e9fea2547c36e4009ca34100", "00206400113640", address: 0xB0E9_FEA2_547C,
            number: 0x36,
            [
                .decimal(.temperature, 280, places: 1), .decimal(.targetTemperature, 350, places: 1),
                .int(.window, 0), .int(.problem, 0), .int(.battery, 100),
            ]),
        sent(
            "a thermostat with eleven tenths", "6909b0e9fea2547c36e40b9ca34100", "00206400113640",
            address: 0xB0E9_FEA2_547C, number: 0x36,
            [
                .decimal(.targetTemperature, 350, places: 1), .int(.window, 0), .int(.problem, 0), .int(.battery, 100),
            ]),
    ]
}
