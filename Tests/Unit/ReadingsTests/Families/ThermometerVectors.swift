// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// Most are from the tests of Home Assistant's Python libraries (govee-ble, PySwitchbot, inkbird-ble, …).
extension FamilyVector {
    // MARK: SwitchBot

    private static func switchBot(
        _ name: String, _ address: UInt64, _ octets: String, _ service: String, _ fields: [Field]?
    ) -> FamilyVector {
        FamilyVector(
            name, "switchbot", address: address, manufacturer: "6909" + octets, service: (0xFD3D, service),
            number: UInt32(octets.dropFirst(12).prefix(2), radix: 16).map { PacketNumber($0, bits: 8) }, fields)
    }

    private static func contact(_ isOpen: Bool, isLight: Bool) -> [Field] {
        [
            .binary(.opening, isOpen), .int(.leftOpen, 0), .int(.motion, 1), .binary(.light, isLight),
            .int(.battery, 90),
        ]
    }

    static let switchBot: [FamilyVector] = [
        switchBot(
            "Meter", 0xD7C1_7D5D_EB43, "d7c17d5deb43de03069835", "5400e4069835",
            [
                .decimal(.temperature, 246, places: 1), .int(.humidity, 53), .int(.battery, 100),
            ]),
        switchBot(
            "Outdoor Meter", 0xC76B_0406_155E, "c76b0406155eff0203981f00", "770064",
            [
                .decimal(.temperature, 243, places: 1), .int(.humidity, 31), .int(.battery, 100),
            ]),
        switchBot(
            "Meter below zero", 0xD7C1_7D5D_EB43, "d7c17d5deb43de03061835", "5400e4069835",
            [
                .decimal(.temperature, -246, places: 1), .int(.humidity, 53), .int(.battery, 100),
            ]),
        switchBot(
            "Meter that is not ready", 0xD7C1_7D5D_EB43, "d7c17d5deb43de03408080", "5400e4", [.int(.battery, 100)]),
        switchBot(
            "Meter Pro CO2", 0xB0E9_FE54_3215, "b0e9fe543215b7e4079ba4003702d500", "350064",
            [
                .decimal(.temperature, 277, places: 1), .int(.humidity, 36), .int(.co2, 725), .int(.battery, 100),
            ]),
        switchBot(
            "Contact Sensor, open", 0xCB39_CDC4_3D46, "cb39cdc43d46849c0017005144", "6440da020017005144",
            contact(true, isLight: false)),
        switchBot(
            "Contact Sensor, closed", 0xCB39_CDC4_3D46, "cb39cdc43d46898c002b001984", "6440da020017005144",
            contact(false, isLight: false)),
        switchBot(
            "Motion Sensor", 0xC021_9AE8_BC49, "c0219ae8bc49695c0038", "7300e4",
            [
                .int(.motion, 1), .int(.light, 0), .int(.battery, 100),
            ]),
        switchBot(
            "Motion Sensor at rest", 0xC021_9AE8_BC49, "c0219ae8bc496a1c0066", "7300e4",
            [
                .int(.motion, 0), .int(.light, 0), .int(.battery, 100),
            ]),
        switchBot(
            "Leak Detector", 0xC021_9AE8_BC49, "c0219ae8bc49016401", "260064",
            [
                .int(.moistureDetected, 1), .int(.tamper, 0), .int(.battery, 100),
            ]),
        switchBot("not ready", 0xD7C1_7D5D_EB43, "d7c17d5deb43de03000000", "5400e4069835", [.int(.battery, 100)]),
        switchBot("another's address", 0xD7C1_7D5D_EB44, "d7c17d5deb43de03069835", "5400e4069835", nil),
        switchBot("a model that nobody knows", 0xD7C1_7D5D_EB43, "d7c17d5deb43de03069835", "7a00e4", nil),
        FamilyVector(
            "without a scan response", "switchbot", address: 0xD7C1_7D5D_EB43,
            manufacturer: "6909d7c17d5deb43de03069835", nil),
    ]

    // MARK: Inkbird, ThermoPro, ThermoBeacon

    private static func inkbird(_ name: String, _ local: String?, _ octets: String, _ fields: [Field]?) -> FamilyVector
    {
        FamilyVector(name, "inkbird", address: 1, local: local, manufacturer: octets, fields)
    }

    static let inkbird: [FamilyVector] = [
        inkbird(
            "IBS-TH", "sps", "fc07c71200c83d5606",
            [
                .decimal(.temperature, 2_044, places: 2), .decimal(.humidity, 4_807, places: 2), .int(.battery, 86),
            ]),
        inkbird(
            "IBS-TH2 without humidity", "tps", "4808000000c66e0d06",
            [
                .decimal(.temperature, 2_120, places: 2), .int(.battery, 13),
            ]),
        inkbird(
            "ITH-21-B", "ITH-21-B", "492407110098d80013026401900400000000",
            [
                .decimal(.temperature, 216, places: 1), .decimal(.humidity, 531, places: 1), .int(.battery, 100),
            ]),
        inkbird(
            "IAM-T2", nil, "5432006200a13e29bed4011a0227026791",
            [
                .decimal(.temperature, 282, places: 1), .decimal(.humidity, 551, places: 1), .int(.co2, 615),
            ]),
        inkbird(
            "iBBQ, one of two probes", "iBBQ", "00000000000000000001f000ffff",
            [
                Field(.temperature, .decimal(.init(mantissa: 240, places: 1)), index: 1)
            ]),
        inkbird("a check that does not fit", "sps", "fc07c71200c83e5606", nil),
        inkbird("another's name", "Sensor", "fc07c71200c83d5606", nil),
    ]

    private static let probes = BluetoothUUID(high: 0x72FB_B631_6F6B_D1BA, low: 0xDB55_2EE6_FDD9_42BD)

    static let thermoPro: [FamilyVector] = [
        FamilyVector(
            "TP357", "thermopro", address: 1, local: "TP357 (2142)", manufacturer: "c2f1001d022c",
            [.decimal(.temperature, 241, places: 1), .int(.humidity, 29), .int(.battery, 100)]),
        FamilyVector(
            "TP393", "thermopro", address: 1, local: "TP393 (9376)",
            manufacturer: "c2e4002722 0b01".filter { $0 != " " },
            [.decimal(.temperature, 228, places: 1), .int(.humidity, 39), .int(.battery, 100)]),
        FamilyVector(
            "TP960R", "thermopro", address: 1, services: [probes], manufacturer: "003a0030083800",
            [
                Field(.temperature, .int(28), index: 1), Field(.temperature, .int(26), index: 2),
                Field(.voltage, .decimal(.init(mantissa: 2_096, places: 3)), index: 1),
            ]),
        FamilyVector(
            "nothing is known", "thermopro", address: 1, local: "TP357S", manufacturer: "c2ffffff022c", nil),
        FamilyVector("another's name", "thermopro", address: 1, local: "TP", manufacturer: "c2f1001d022c", nil),
        FamilyVector(
            "above 100 %", "thermopro", address: 1, local: "TP357 (2142)", manufacturer: "c2f10065022c",
            [.decimal(.temperature, 241, places: 1), .int(.battery, 100)]),
    ]

    private static func beacon(
        _ name: String, _ octets: String, address: UInt64 = 0x44FE_0000_0D9C, _ fields: [Field]?
    ) -> FamilyVector {
        FamilyVector(
            name, "thermobeacon", address: address, services: [BluetoothUUID(0xFFF0 as UInt16)],
            manufacturer: octets, fields)
    }

    static let thermoBeacon: [FamilyVector] = [
        beacon(
            "values", "100000009c0d0000fe44450cc501870217000000",
            [
                .decimal(.temperature, 283_125, places: 4), .decimal(.humidity, 404_375, places: 4),
                .decimal(.voltage, 3_141, places: 3), .int(.uptime, 23),
            ]),
        beacon("minima and maxima", "15000000f0050000d76ebe0165000000a70100000000", address: 0x6ED7_0000_05F0, nil),
        beacon("another's address", "100000009c0d0000fe44450cc501870217000000", address: 1, nil),
        beacon(
            "above 100 %", "100000009c0d0000fe44450cc501410617000000",
            [
                .decimal(.temperature, 283_125, places: 4), .decimal(.voltage, 3_141, places: 3), .int(.uptime, 23),
            ]),
    ]

    // MARK: Qingping, SensorPush

    private static func qingping(
        _ name: String, _ octets: String, _ address: UInt64, number: UInt32? = nil, _ fields: [Field]?
    ) -> FamilyVector {
        FamilyVector(
            name, "qingping", address: address, service: (0xFDCD, octets),
            number: number.map { PacketNumber($0, bits: 8) }, fields)
    }

    /// An object of a CGP23W.
    private static func qingping(_ name: String, object octets: String, _ fields: [Field]?) -> FamilyVector {
        qingping(name, "0818a72514342d58" + octets, 0x582D_3414_25A7, fields)
    }

    static let qingping: [FamilyVector] = [
        qingping(
            "CGG1", "0816a72514342d580104d800bb01020164", 0x582D_3414_25A7,
            [
                .decimal(.temperature, 216, places: 1), .decimal(.humidity, 443, places: 1), .int(.battery, 100),
            ]),
        qingping(
            "CGDN1", "88246b4dc994c27c0104fd00490212040900090013026102", 0x7CC2_94C9_4D6B,
            [
                .decimal(.temperature, 253, places: 1), .decimal(.humidity, 585, places: 1), .int(.pm25, 9),
                .int(.pm10, 9),
                .int(.co2, 609),
            ]),
        qingping(
            "CGH1, closed", "c8044d3a40342d580401010f01ef", 0x582D_3440_3A4D, number: 239,
            [
                .int(.opening, 0), .int(.leftOpen, 0),
            ]),
        qingping(
            "CGPR1", "4812cdd560342d580804000d00000f01ee", 0x582D_3460_D5CD, number: 238,
            [.int(.motion, 0), .int(.illuminance, 13)]),
        qingping("motion, and how bright", object: "0804010d0000", [.int(.motion, 1), .int(.illuminance, 13)]),
        qingping("pressure", object: "0702a027", [.decimal(.pressure, 10_144, places: 1)]),
        qingping("light", object: "090410270000", [.int(.illuminance, 10_000)]),
        qingping("bright", object: "110101", [.int(.light, 1)]),
        qingping("organic compounds", object: "15026400", [.int(.vocIndex, 100)]),
        qingping("loud", object: "190137", [.int(.soundLevel, 55)]),
        qingping("plugged in", object: "0201ff", []),
        qingping("what it can do is no carbon dioxide", object: "18026102", nil),
        qingping("another's address", "0816a72514342d580104d800bb01020164", 0x582D_3414_25A8, nil),
        qingping("cut short", "0816a72514342d580104d800bb010201", 0x582D_3414_25A7, nil),
    ]

    private static func sensorPush(_ name: String, _ octets: String, _ fields: [Field]?) -> FamilyVector {
        FamilyVector(
            name, "sensorpush", address: 1,
            services: [BluetoothUUID(high: 0xEF09_0000_11D6_42BA, low: 0x93B8_9DD7_EC09_0AB0)], manufacturer: octets,
            fields)
    }

    static let sensorPush: [FamilyVector] = [
        sensorPush(
            "HT.w", "049ac9a546",
            [
                .decimal(.temperature, 205_300, places: 4), .decimal(.humidity, 448_950, places: 4),
            ]),
        sensorPush("TC.x", "08f90d0000", [.decimal(.temperature, 235_625, places: 4)]),
        // 25.0000 °C, 50.0000 % and 1000.00 hPa, counted by hand: 26,000 + 72,001 × (20,000 + 40,001 × 70,000).
        sensorPush(
            "HTP.xw", "00205586d15cb7",
            [
                .decimal(.temperature, 250_000, places: 4), .decimal(.humidity, 500_000, places: 4),
                .decimal(.pressure, 100_000, places: 2),
            ]),
        FamilyVector(
            "HT1", "sensorpush", address: 1, local: "s",
            services: [BluetoothUUID(high: 0xEF09_0000_11D6_42BA, low: 0x93B8_9DD7_EC09_0AA9)],
            manufacturer: "34486205",
            [.decimal(.temperature, 1_394, places: 2), .decimal(.humidity, 5_809, places: 2)]),
        FamilyVector(
            "HT1 of another type", "sensorpush", address: 1, local: "s",
            services: [BluetoothUUID(high: 0xEF09_0000_11D6_42BA, low: 0x93B8_9DD7_EC09_0AA9)],
            manufacturer: "34486209",
            nil),
        sensorPush("another page", "059ac9a546", nil),
        sensorPush("more than there is", "04ffffffff", nil),
        FamilyVector("without its service", "sensorpush", address: 1, manufacturer: "049ac9a546", nil),
    ]
}
