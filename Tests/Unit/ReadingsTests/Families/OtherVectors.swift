// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// Most are in the tests of aranet4, victron-ble, tilt-ble, rapt-ble, mopeka-iot-ble, oralb-ble and bluemaestro-ble.
extension FamilyVector {
    private static func made(
        _ name: String, _ family: String, _ octets: String, number: UInt32? = nil, key: String? = nil,
        services: [BluetoothUUID] = [], address: UInt64 = 1, _ fields: [Field]?
    ) -> FamilyVector {
        FamilyVector(
            name, family, address: address, services: services, manufacturer: octets, key: key,
            number: number.map { PacketNumber($0, bits: 8) }, fields)
    }

    // MARK: Aranet

    static let aranet: [FamilyVector] = [
        made(
            "Aranet4", "aranet", "0207210503010005000143049f018b27350c023c00100055", number: 0x55,
            [
                .int(.co2, 1_091), .decimal(.temperature, 2_075, places: 2), .decimal(.pressure, 10_123, places: 1),
                .int(.humidity, 53), .int(.battery, 12), .text(.co2Status, "yellow"), .int(.sampleInterval, 60),
            ]),
        made(
            "Aranet2", "aranet", "020701210404010000000000990100000a02003b097800520064", number: 0x64,
            [
                .decimal(.temperature, 2_045, places: 2), .decimal(.humidity, 522, places: 1), .int(.battery, 59),
                .int(.sampleInterval, 120),
            ]),
        made(
            "Aranet Radiation", "aranet", "0207022126040100d03300006c60060082000063002c01580172", number: 0x72,
            [
                .decimal(.radiationRate, 130, places: 3), .decimal(.radiationTotal, 13_264, places: 6),
                .int(.radiationDuration, 417_900), .int(.battery, 99), .int(.sampleInterval, 300),
            ]),
        made(
            "Aranet Radon", "aranet", "020703210406010000000700fe01c927ce010064015802f60108", number: 8,
            [
                .int(.radon, 7), .decimal(.temperature, 2_550, places: 2), .decimal(.pressure, 10_185, places: 1),
                .decimal(.humidity, 462, places: 1), .int(.battery, 100), .int(.sampleInterval, 600),
            ]),
        made(
            "nothing is known yet", "aranet", "02072105030100050001ff80ff40ff80ff0c003c00100055", number: 0x55,
            [
                .int(.battery, 12), .int(.sampleInterval, 60),
            ]),
        made(
            "a radon monitor without temperature and humidity", "aranet",
            "0207032cb1d896c13d22a5080000010000000029039fa5cabd7c", number: 0x7C,
            [
                .int(.radon, 2_213), .decimal(.pressure, 1, places: 1), .int(.battery, 41),
                .int(.sampleInterval, 42_399),
            ]),
        made("integrations are off", "aranet", "0207010503010005000143049f018b27350c023c00100055", nil),
        made("another length", "aranet", "0207210503010005", nil),
    ]

    // MARK: Brewing

    static let tilt: [FamilyVector] = [
        made(
            "Tilt", "tilt", "4c000215a495bb20c5b14b44b5121370f02d74de0040041c50",
            [
                .decimal(.temperature, 1_778, places: 2), .decimal(.specificGravity, 1_052, places: 3),
            ]),
        made(
            "Tilt Pro", "tilt", "4c000215a495bb30c5b14b44b5121370f02d74de020e2905c5",
            [
                .decimal(.temperature, 1_144, places: 2), .decimal(.specificGravity, 10_501, places: 4),
            ]),
        made("no gravity that a liquid has", "tilt", "4c000215a495bb20c5b14b44b5121370f02d74de0040000150", nil),
    ]

    static let rapt: [FamilyVector] = [
        made(
            "version 2", "rapt", "52415054020001bfc0000092d34483400000100000fff05f00",
            [
                .decimal(.temperature, 2_050, places: 2), .decimal(.specificGravity, 10_500, places: 4),
                .decimal(.gravityRate, -15, places: 4), .decimal(.accelerationX, 9, places: 3),
                .decimal(.accelerationY, 0, places: 3), .decimal(.accelerationZ, -9, places: 3), .int(.battery, 95),
            ]),
        made(
            "version 1", "rapt", "5241505401aabbccddeeff92d34483400000100000fff05f00",
            [
                .decimal(.temperature, 2_050, places: 2), .decimal(.specificGravity, 10_500, places: 4),
                .decimal(.accelerationX, 9, places: 3), .decimal(.accelerationY, 0, places: 3),
                .decimal(.accelerationZ, -9, places: 3), .int(.battery, 95),
            ]),
        made("another version", "rapt", "52415054030001bfc0000092d34483400000100000fff05f00", nil),
        made("its firmware's name", "rapt", "52415054645069 6c6c4731".filter { $0 != " " }, nil),
    ]

    // MARK: Mopeka, Oral-B, Blue Maestro

    private static let mopekaService = [BluetoothUUID(0xFEE5 as UInt16)]

    static let mopeka: [FamilyVector] = [
        made(
            "a level", "mopeka", "5900087043b6c3e0f509fae3", services: mopekaService, address: 0xD4_36_39_E0_F5_09,
            [
                .int(.temperature, 27), .decimal(.voltage, 350_000, places: 5), .int(.battery, 100),
                .int(.levelQuality, 3), .decimal(.liquidLevel, 341, places: 3),
            ]),
        made(
            "no echo", "mopeka", "5900087043b603e0f509fae3", services: mopekaService, address: 0xD4_36_39_E0_F5_09,
            [
                .int(.temperature, 27), .decimal(.voltage, 350_000, places: 5), .int(.battery, 100),
                .int(.levelQuality, 0),
            ]),
        // The medium follows the value as in ``TankMedium``: it is never on the air.
        made(
            "with more than a sensor sends", "mopeka", "5900087043b6c3e0f509fae301", services: mopekaService,
            address: 0xD4_36_39_E0_F5_09, nil),
        made(
            "TD40, from above", "mopeka", "59000a71407dd00000108020", services: mopekaService,
            address: 0xDA_D8_AC_00_00_10,
            [
                .int(.temperature, 24), .decimal(.voltage, 353_125, places: 5), .int(.battery, 100),
                .int(.levelQuality, 3), .decimal(.liquidLevel, 729, places: 3),
            ]),
        made(
            "Pro H2O", "mopeka", "5900057043b6c3e0f509fae3", services: mopekaService, address: 0xD4_36_39_E0_F5_09,
            [
                .int(.temperature, 27), .decimal(.voltage, 350_000, places: 5), .int(.battery, 100),
                .int(.levelQuality, 3), .decimal(.liquidLevel, 711, places: 3),
            ]),
        made("without its service", "mopeka", "5900087043b6c3e0f509fae3", address: 0xD4_36_39_E0_F5_09, nil),
        made("another's address", "mopeka", "5900087043b6c3e0f509fae3", services: mopekaService, nil),
    ]

    static let oralB: [FamilyVector] = [
        made(
            "brushing", "oral-b", "dc0007340c0338000002010004",
            [
                .text(.brushState, "running"), .int(.running, 1), .int(.brushingTime, 0),
                .text(.brushPressure, "normal"),
                .int(.brushSector, 1),
            ]),
        made(
            "the last of four sectors", "oral-b", "dc0007340c0338000002070004",
            [
                .text(.brushState, "running"), .int(.running, 1), .int(.brushingTime, 0),
                .text(.brushPressure, "normal"), .int(.brushSector, 4),
            ]),
        made(
            "an old sector, while it charges", "oral-b", "dc0007340c0438000002010004",
            [
                .text(.brushState, "charging"), .int(.running, 0), .int(.brushingTime, 0),
                .text(.brushPressure, "normal"),
            ]),
        made(
            "too hard, after 75 s", "oral-b", "dc0007340c0380010f01000000",
            [
                .text(.brushState, "running"), .int(.running, 1), .int(.brushingTime, 75),
                .text(.brushPressure, "high"),
            ]),
        made("another length", "oral-b", "dc0007340c0338000002", nil),
    ]

    static let blueMaestro: [FamilyVector] = [
        made(
            "Tempo Disc THD", "bluemaestro", "330117640e10000200f201f200830100",
            [
                .decimal(.temperature, 242, places: 1), .int(.battery, 100), .decimal(.humidity, 498, places: 1),
                .decimal(.dewpoint, 131, places: 1),
            ]),
        made(
            "Tempo Disc THPD", "bluemaestro", "33011b640e10000200f201f227a00100",
            [
                .decimal(.temperature, 242, places: 1), .int(.battery, 100), .decimal(.humidity, 498, places: 1),
                .decimal(.pressure, 10_144, places: 1),
            ]),
        made(
            "Tempo Disc T", "bluemaestro", "33010d640e100002fff6000000000000",
            [
                .decimal(.temperature, -10, places: 1), .int(.battery, 100),
            ]),
        made(
            "Pebble", "bluemaestro", "330101cf00cf00cf002ec903b2d70091",
            [.decimal(.temperature, 207, places: 1), .int(.humidity, 46), .int(.pressure, 969)]),
        made("another kind", "bluemaestro", "330199640e10000200f201f200830100", nil),
    ]

    // MARK: Beacons

    private static func eddystone(_ name: String, _ octets: String, _ fields: [Field]?) -> FamilyVector {
        FamilyVector(name, "eddystone", address: 1, service: (0xFEAA, octets), fields)
    }

    static let beacons: [FamilyVector] = [
        made(
            "a beacon", "ibeacon", "4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5",
            [
                .text(.beacon, "e2c56db5-dffb-48d2-b060-d0f5a71096e0/1/2"), .int(.txPower, -59),
            ]),
        made("Apple's other things", "ibeacon", "4c0010055b1c0f6a5c", nil),
        eddystone(
            "a RuuviTag's link", "10f6037275752e76692f2342475159414d7138",
            [
                .text(.url, "https://ruu.vi/#BGQYAMq8"), .int(.txPower, -10), .int(.temperature, 24),
                .decimal(.humidity, 500, places: 1), .decimal(.pressure, 101_900, places: 2),
            ]),
        eddystone(
            "a link that only looks like a RuuviTag's", "10f6037275752e76692f2341475159414d",
            [.text(.url, "https://ruu.vi/#AGQYAM"), .int(.txPower, -10)]),
        eddystone(
            "UID", "00ee000102030405060708090a0b0c0d0e0f",
            [
                .text(.beacon, "000102030405060708090a0b0c0d0e0f"), .int(.txPower, -18),
            ]),
        eddystone("URL", "10eb036578616d706c6507", [.text(.url, "https://example.com"), .int(.txPower, -21)]),
        eddystone(
            "TLM", "20000bb8158000000064000003e8",
            [
                .decimal(.voltage, 3_000, places: 3), .decimal(.temperature, 2_150_000_000, places: 8),
                .int(.advertisementCount, 100), .decimal(.uptime, 1_000, places: 1),
            ]),
        eddystone(
            "TLM that knows little", "20000000800000000064000003e8",
            [
                .int(.advertisementCount, 100), .decimal(.uptime, 1_000, places: 1),
            ]),
        eddystone(
            "KKM's K9", "21010f0e58186f2a29ffe1000003f7",
            [
                .decimal(.voltage, 3_672, places: 3), .decimal(.temperature, 0x186F * 390_625, places: 8),
                .decimal(.humidity, 0x2A29 * 390_625, places: 8), .decimal(.accelerationX, -31 * 980_665, places: 8),
                .decimal(.accelerationY, 0, places: 8), .decimal(.accelerationZ, 1_015 * 980_665, places: 8),
            ]),
        eddystone(
            "KKM's K6P", "2101070e5bffc01f95",
            [
                .decimal(.voltage, 3_675, places: 3), .decimal(.temperature, -64 * 390_625, places: 8),
                .decimal(.humidity, 0x1F95 * 390_625, places: 8),
            ]),
        eddystone("KKM's frame with a sensor that nobody knows", "2101170e5bffc01f95", nil),
        eddystone("TLM, encrypted", "20010bb8158000000064000003e8", nil),
        eddystone("a finder's frame", "40eb036578616d706c6507", nil),
        eddystone("no character of a URL", "10eb0365781f6d706c6507", nil),
    ]
}
