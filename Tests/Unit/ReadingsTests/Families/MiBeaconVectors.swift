// SPDX-License-Identifier: Apache-2.0

import Readings

extension FamilyVector {
    private static func mi(
        _ name: String, _ octets: String, _ address: UInt64, key: String? = nil, number: UInt32? = nil,
        _ fields: [Field]?
    ) -> FamilyVector {
        FamilyVector(
            name, "mibeacon", address: address, service: (0xFE95, octets), key: key,
            number: number.map { PacketNumber($0, bits: 8) }, fields)
    }

    /// An object in the clear, of a sensor of this product; frame counter 1.
    private static func object(
        _ name: String, _ octets: String, product: String = "aa01", _ fields: [Field]?
    ) -> FamilyVector {
        mi(name, "4050" + product + "01" + octets, 0x582D_343B_2EBF, number: 1, fields)
    }

    private static let dimmerKey = "b853075158487ca39a5b5ea9"
    private static let dimmer = "5830b603d28b98c54124f8c3491476757e00000099"

    /// Products' packets are from the tests of xiaomi-ble; single objects follow the layout.
    static let mibeacon: [FamilyVector] = products + objects + buttons

    private static let products: [FamilyVector] = [
        object("the coldest that there is", "04100255f5", [.decimal(.temperature, -2_731, places: 1)]),
        object("colder than anything", "04100254f5", nil),
        object("a mark of a broken sensor", "0410020080", nil),
        object("more battery than there is", "0a100165", nil),
        object("more moisture than there is", "08100165", product: "9800", nil),
        mi(
            "LYWSDCGQ", "5020aa01a3bf2e3b342d580d1004b40095020a10013b", 0x582D_343B_2EBF, number: 0xA3,
            [.decimal(.temperature, 180, places: 1), .decimal(.humidity, 661, places: 1), .int(.battery, 59)]),
        mi(
            "LYWSD03MMC", "50305b05034c94b438c1a40d10041001ea01", 0xA4C1_38B4_944C, number: 3,
            [.decimal(.temperature, 272, places: 1), .int(.humidity, 49)]),
        mi(
            "LYWSD03MMC, encrypted", "58585b0550f4830238c1a495ef58763c26000097e2abb5", 0xA4C1_3802_83F4,
            key: "e9ea895fac7cca6d30532432a516f3a8", number: 0x50, [.int(.humidity, 46)]),
        mi(
            "HHCCJCY01", "7120980012f34f6b8d7cc40d041002c400", 0xC47C_8D6B_4FF3, number: 0x12,
            [.decimal(.temperature, 196, places: 1)]),
        mi(
            "HHCCJCY01, conductivity", "71209800687a3e6a8d7cc40d0910025702", 0xC47C_8D6A_3E7A, number: 0x68,
            [.int(.conductivity, 599)]),
        mi(
            "HHCCJCY01, moisture", "71209800477a3e6a8d7cc40d08100140", 0xC47C_8D6A_3E7A, number: 0x47,
            [.int(.moisture, 64)]),
        mi(
            "CGG1, encrypted", "5858480b685f12342d585a0b1841e2aa000e00a4964fb5", 0x5A58_2D34_125F,
            key: "814aac74c4f17b6c1581e1ab87816b99", number: 0x68, [.decimal(.humidity, 596, places: 1)]),
        mi(
            "CGDK2, encrypted", "58586f0607892012342d585f176dd54f0200002fa453fa", 0x582D_3412_2089,
            key: "a3bfe9853dd85a620debe3620caaa351", number: 7, [.decimal(.temperature, 226, places: 1)]),
        mi(
            "MCCGQ02HL, encrypted", "58588b09a3ae2181ecaae40e2c553c040000d28a500c", 0xE4AA_EC81_21AE,
            key: "017e52d2684779298709b117c0a75a7b", number: 0xA3, [.int(.opening, 1), .int(.leftOpen, 1)]),
        mi(
            "RTCGQ02LM, encrypted", "58598d0a8c778e203cc2185a273628ec32060000c4264015", 0x18C2_3C20_8E77,
            key: "4960bb9f8711b4ffd7df1756d11427ae", number: 0x8C, [.int(.motion, 1), .int(.light, 1)]),
        mi(
            "YLKG07YL, encrypted as of old", dimmer, 0xF824_41C5_988B, key: dimmerKey, number: 0xD2,
            [.text(.button, "press"), .int(.count, 1)]),
        mi(
            "YLKG07YL, one bit of another key", dimmer, 0xF824_41C5_988B, key: "b853075158487aa39a5b5ea9", nil),
        mi(
            "S400, encrypted", "4859d53b0abc078ff2348c844138e930220000009e538599", 0x8CD0_B2F6_BEEF,
            key: "0728974d657a4b60964c1b1677f35f7c", number: 0x0A,
            [
                .int(.userIndex, 1), .decimal(.weight, 699, places: 1), .int(.heartRate, 92),
                .decimal(.impedance, 5_432, places: 1),
            ]),
        mi(
            "another key", "58585b0550f4830238c1a495ef58763c26000097e2abb5", 0xA4C1_3802_83F4,
            key: "e9ea895fac7cca6d30532432a516f3a9", nil),
        mi("another's address", "50305b05034c94b438c1a40d10041001ea01", 0xA4C1_38B4_944D, nil),
        mi("mesh", "d0305b05034c94b438c1a40d10041001ea01", 0xA4C1_38B4_944C, nil),
        mi("no object", "10305b05034c94b438c1a4", 0xA4C1_38B4_944C, nil),
        mi("an octet too many", "50305b05034c94b438c1a40d10041001ea0101", 0xA4C1_38B4_944C, nil),
    ]

    private static let objects: [FamilyVector] = [
        object("below zero", "041002f6ff", [.decimal(.temperature, -10, places: 1)]),
        object("humidity above 100 %", "061002e903", nil),
        object("light in lux", "07100338f300", product: "9800", [.int(.illuminance, 62_264)]),
        object("light of a night lamp", "071003640000", product: "f607", [.int(.light, 1)]),
        object("formaldehyde", "1010020c00", [.decimal(.formaldehyde, 12, places: 2)]),
        object("a switch", "12100101", [.int(.powerOn, 1)]),
        object("a cartridge", "13100150", [.int(.consumable, 80)]),
        object("wet", "14100101", [.int(.moistureDetected, 1)]),
        object("smoke", "15100101", [.int(.smoke, 1)]),
        object("dark", "18100100", [.int(.light, 0)]),
        object("no motion for two minutes", "17100478000000", [.int(.motion, 0)]),
        object("closed", "19100101", [.int(.opening, 0), .int(.leftOpen, 0)]),
        object("a reset says nothing", "19100103", []),
        object("motion", "030001ff", product: "dd03", [.int(.motion, 1)]),
        object(
            "motion, and how bright", "0f0003640000", product: "830a", [.int(.motion, 1), .int(.illuminance, 100)]),
        object(
            "a remote's first button, twice", "011003000001", product: "5301",
            [Field(.button, .string("double_press"), index: 1)]),
        object(
            "turned to the left", "01100300fd04", product: "b603",
            [.text(.dimmer, "rotate_left"), .int(.dimmerSteps, 3)]),
        object("a product whose buttons nobody knows", "011003000001", nil),
        object("fever", "0a00025c0f", [.decimal(.bodyTemperature, 3_932, places: 2)]),
        object("brushing", "10000100", [.int(.running, 1)]),
        object("a real number", "014804cdccac41", [.decimal(.temperature, 2_160, places: 2)]),
        object("no real number", "0148040000c07f", nil),
        object("occupied", "4e480101", [.int(.occupancy, 1)]),
        object("battery low", "014a0101", [.int(.batteryLow, 1)]),
        object("left open", "1a4a0101", [.int(.leftOpen, 1)]),
        object("a scale", "164e0902401f0000d2029649", [.int(.userIndex, 2), .decimal(.weight, 8_000, places: 2)]),
        object("more than full", "0a100165", nil),
        object("no motion any more", "1b10041e000000", product: "8d0a", [.int(.motion, 0)]),
        object("battery of other models", "03500149", [.int(.battery, 73)]),
        object("battery of the newest models", "0354014c", [.int(.battery, 76)]),
        object("battery low of other models", "014e0101", [.int(.batteryLow, 1)]),
        object("wet below", "06480101", product: "7563", [.int(.moistureDetected, 1)]),
        object("splashed from above", "7b480101", product: "7563", [Field(.moistureDetected, .int(1), index: 2)]),
        object("wet below, as an event", "684a0100", product: "7563", [.int(.moistureDetected, 1)]),
        object("dry below, as an event", "684a0101", product: "7563", [.int(.moistureDetected, 0)]),
        object(
            "dry above, as an event", "684a0103", product: "7563", [Field(.moistureDetected, .int(0), index: 2)]),
        object("somebody sits", "3c480101", product: "4c3f", [.int(.occupancy, 1)]),
        object("for so many seconds", "3d48043c000000", product: "4c3f", []),
        object("nobody in the bed", "4e480102", product: "8346", [.int(.occupancy, 0)]),
        object("a button's temperature", "5d600119", product: "bb38", [.int(.temperature, 25)]),
        object("in its charger", "22540100", [.int(.charging, 1)]),
        object("a kettle", "05100201 5a".filter { $0 != " " }, [.int(.powerOn, 1), .int(.temperature, 90)]),
        object("a door", "07000102", [.int(.opening, 1), .int(.leftOpen, 1)]),
        object(
            "S400's last packet", "166e0900 0000c04d 00000000".filter { $0 != " " }, product: "d930",
            [
                .int(.userIndex, 0), .decimal(.impedanceHigh, 4_976, places: 1),
            ]),
        object(
            "S400 in socks", "166e0901 bb020000 00000000".filter { $0 != " " }, product: "d930",
            [
                .int(.userIndex, 1), .decimal(.weight, 699, places: 1),
            ]),
        object(
            "S400 that somebody has left", "166e0900 00000000 00000000".filter { $0 != " " }, product: "d930",
            [
                .int(.userIndex, 0)
            ]),
    ]

    private static func press(_ event: String, _ index: UInt8 = 0) -> Field {
        Field(.button, .string(event), index: index)
    }

    private static let buttons: [FamilyVector] = [
        object("a bed that is left", "165a0102", product: "db20", [.int(.occupancy, 0)]),
        object("a bed's double press", "165a0103", product: "db20", [press("double_press")]),
        object("a toothbrush that ends", "0330060103629d6453", product: "0608", [.int(.running, 0)]),
        object("humidity of a display", "12600127", product: "c564", [.int(.humidity, 39)]),
        object(
            "two places of a skin", "002005c60d630d51", product: "db00",
            [
                Field(.temperature, .decimal(.init(mantissa: 3_526, places: 2)), index: 1),
                Field(.temperature, .decimal(.init(mantissa: 3_427, places: 2)), index: 2), .int(.battery, 81),
            ]),
        object(
            "an octet behind the last object", "0a0002750d07", product: "9103",
            [.decimal(.bodyTemperature, 3_445, places: 2)]),
        object("an octet behind the last object of another product", "0a0002750d07", nil),
        object("a button without octets", "0c4e00", product: "8723", [press("press")]),
        object("a button without octets, twice", "0d4e00", product: "8723", [press("double_press")]),
        object("a button without octets, long", "0e4e00", product: "8723", [press("long_press")]),
        object("another button", "0c4a00", product: "bb38", [press("press")]),
        object("another button, twice", "0d4a00", product: "bb38", [press("double_press")]),
        object("another button, long", "0e4a00", product: "bb38", [press("long_press")]),
        object("a third kind of button", "0c5600", product: "0b52", [press("press")]),
        object("the fourth of four", "0d560104", product: "613a", [press("double_press", 4)]),
        object("the right one of two", "0e4e0102", product: "4919", [press("long_press", 2)]),
        object("both of two", "0c4e0103", product: "4919", [press("press", 1), press("press", 2)]),
        object("the right one of two others", "0c4a0101", product: "6859", [press("press", 2)]),
        object("one that says how it is pressed", "0c4e010f", product: "101c", [press("double_press")]),
        object("a door sensor's button", "134a0101", product: "8918", [press("press")]),
        object("a sensor's button", "011003000000", product: "8d0a", [press("press")]),
        object("a switch, twice", "011003000001", product: "bf07", [press("double_press")]),
        object("a wall switch, long", "011003000001", product: "6815", [press("long_press")]),
        object(
            "the left and the right one of three", "011003050000", product: "fd0d",
            [press("press", 1), press("press", 3)]),
        object("a cube", "011003010000", product: "e104", [.text(.dimmer, "rotate_left")]),
        object("the third of a fan's remote", "011003020002", product: "8e06", [press("long_press", 3)]),
        object("a button that there is not", "0c560109", product: "613a", nil),
        mi(
            "a button without octets, encrypted", miButton, 0x18C2_3C20_8E77, key: "4960bb9f8711b4ffd7df1756d11427ae",
            number: 0x8C, [press("press")]),
    ]

    /// Made with the key of the RTCGQ02LM above.
    private static let miButton = "4858bb388cebb1b1030000e3103f01"

    private static func scale(_ name: String, _ uuid: UInt16, _ octets: String, _ fields: [Field]?) -> FamilyVector {
        FamilyVector(name, "mi-scale", address: 1, service: (uuid, octets), fields)
    }

    static let miScale: [FamilyVector] = [
        scale("a weight", 0x181D, "229e43e507040b101301", [.decimal(.weight, 86_550, places: 3)]),
        scale(
            "with impedance", 0x181B, "0226b20705040f0201ac018642",
            [.decimal(.weight, 85_150, places: 3), .int(.impedance, 428)]),
        scale("a pound", 0x181D, "236400e507040b101301", [.decimal(.weight, 4_535_923_700, places: 10)]),
        scale("not steady yet", 0x181D, "029e43e507040b101301", nil),
        scale("stepped off", 0x181D, "a29e43e507040b101301", nil),
        scale("a length of the SIG's service", 0x181D, "229e43", nil),
        scale("a month that there is not", 0x181D, "229e43e5070d0b101301", nil),
        scale("a day that there is not", 0x181D, "229e43e5070420101301", nil),
        scale("an hour that there is not", 0x181D, "229e43e507040b181301", nil),
        scale("a year before the scale's clock", 0x181B, "0226b10705040f0201ac018642", nil),
        scale("a second that there is not", 0x181B, "0226b20705040f023cac018642", nil),
    ]

    private static func plant(_ name: String, _ octets: String, _ fields: [Field]?) -> FamilyVector {
        FamilyVector(name, "hhccjcy10", address: 1, service: (0xFD50, octets), fields)
    }

    static let hhccjcy10: [FamilyVector] = [
        plant(
            "values", "0e006e0134a428005b",
            [
                .int(.moisture, 14), .decimal(.temperature, 110, places: 1), .int(.illuminance, 79_012),
                .int(.battery, 40), .int(.conductivity, 91),
            ]),
        plant(
            "a flag in the battery's octet", "0e006e0134a4a8005b",
            [
                .int(.moisture, 14), .decimal(.temperature, 110, places: 1), .int(.illuminance, 79_012),
                .int(.conductivity, 91),
            ]),
        plant("neither moisture nor battery", "65006e0134a4a8005b", nil),
        plant("brighter than the sun", "0e006e0f34a428005b", nil),
        plant("an octet too many", "0e006e0134a428005b00", nil),
    ]
}
