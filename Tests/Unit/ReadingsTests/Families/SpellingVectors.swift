// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// Sensors as they really send: other lengths, names, services and kinds than those of the first known layout. The octets are from the
/// tests and issues of other libraries.
extension FamilyVector {
    private static let address: UInt64 = 0xAABB_CCDD_EEFF

    private static func hundredths(_ quantity: Quantity, _ value: Int64, index: UInt8 = 0) -> Field {
        Field(quantity, .decimal(.init(mantissa: value, places: 2)), index: index)
    }

    private static func tenths(_ quantity: Quantity, _ value: Int64, index: UInt8 = 0) -> Field {
        Field(quantity, .decimal(.init(mantissa: value, places: 1)), index: index)
    }

    // MARK: Sensirion

    private static func sensirion(_ name: String, _ octets: String, _ fields: [Field]?) -> FamilyVector {
        FamilyVector(name, "sensirion", address: address, manufacturer: "d506" + octets, fields)
    }

    static let sensirionTypes: [FamilyVector] = [
        sensirion(
            "MyCO2 with its reserved octets", "000867355367925c0b040609",
            [hundredths(.temperature, 2_563), hundredths(.humidity, 3_616), .int(.co2, 1_035)]),
        sensirion(
            "CO2 Gadget", "000ae2e733339dc4e902",
            [hundredths(.temperature, -1_000), hundredths(.humidity, 7_680), .int(.co2, 745)]),
        sensirion(
            "CO2 Gadget with what follows", "000ac543016b88619a05000000009a05000000000000",
            [hundredths(.temperature, 2_815), hundredths(.humidity, 3_810), .int(.co2, 1_434)]),
        sensirion(
            "SVM41", "000312340000ff7f6400",
            [hundredths(.temperature, -4_500), hundredths(.humidity, 5_000), .int(.vocIndex, 100)]),
        sensirion(
            "CO2 and dust", "000c12340000ff7fe9029001",
            [
                hundredths(.temperature, -4_500), hundredths(.humidity, 5_000), .int(.co2, 745),
                hundredths(.pm25, 610),
            ]),
        sensirion(
            "SFA30", "000e12340000ff7f6400",
            [
                hundredths(.temperature, -4_500), hundredths(.humidity, 5_000),
                .decimal(.formaldehyde, 245_600, places: 7),
            ]),
        sensirion(
            "organic compounds and dust", "001012340000ff7f64009001",
            [
                hundredths(.temperature, -4_500), hundredths(.humidity, 5_000), .int(.vocIndex, 100),
                hundredths(.pm25, 610),
            ]),
        sensirion(
            "everything of type 20", "001412340000ff7fe90264009001c800",
            [
                hundredths(.temperature, -4_500), hundredths(.humidity, 5_000), .int(.co2, 745), .int(.vocIndex, 100),
                hundredths(.pm25, 610), .decimal(.formaldehyde, 491_200, places: 7),
            ]),
        sensirion(
            "SVM41 with nitrogen oxides", "001612340000ff7f64000100",
            [hundredths(.temperature, -4_500), hundredths(.humidity, 5_000), .int(.vocIndex, 100), .int(.noxIndex, 1)]),
        sensirion(
            "SEN55", "001812340000ff7f640001007b00",
            [
                hundredths(.temperature, -4_500), hundredths(.humidity, 5_000), .int(.vocIndex, 100),
                .int(.noxIndex, 1), tenths(.pm25, 123),
            ]),
        sensirion(
            "SEN66", "001a12340000ff7fe902640001007b00",
            [
                hundredths(.temperature, -4_500), hundredths(.humidity, 5_000), .int(.co2, 745), .int(.vocIndex, 100),
                .int(.noxIndex, 1), tenths(.pm25, 123),
            ]),
        sensirion(
            "dust alone", "0022123401000200030004 00".filter { $0 != " " },
            [tenths(.pm1, 1), tenths(.pm25, 2), tenths(.pm4, 3), tenths(.pm10, 4)]),
        sensirion("a type that there is not", "000912340000ff7f6400", nil),
        sensirion("shorter than its kind", "001a12340000ff7fe90264000100", nil),
    ]

    // MARK: Govee

    private static func govee(
        _ name: String, _ local: String?, _ octets: String, services: [UInt16] = [0xEC88], _ fields: [Field]?
    ) -> FamilyVector {
        FamilyVector(
            name, "govee", address: 0xA4C1_3800_00C8, local: local, services: services.map { BluetoothUUID($0) },
            manufacturer: octets.filter { $0 != " " }, fields)
    }

    private static let beaconOfGovee = "4c000215494e54454c4c495f524f434b535f48575075f2ff0c"

    private static func climate(_ temperature: Int64, _ humidity: Int64, _ battery: Int64) -> [Field] {
        [tenths(.temperature, temperature), tenths(.humidity, humidity), .int(.battery, battery)]
    }

    static let goveeSpellings: [FamilyVector] = [
        govee(
            "H5178 by its name, outside", "B517800C8", "0100 0101 01 002af764 0003",
            [
                tenths(.temperature, 10, index: 2), tenths(.humidity, 999, index: 2),
                Field(.battery, .int(100), index: 2),
            ]),
        govee(
            "H5178 by its name, inside", "B517800C8", "0100 0101 00 03a00f64 0000",
            [
                tenths(.temperature, 237, index: 1), tenths(.humidity, 583, index: 1),
                Field(.battery, .int(100), index: 1),
            ]),
        govee(
            "H5178 without a name", nil, "0100 0101 01 8022d564 0013",
            [
                tenths(.temperature, -8, index: 2), tenths(.humidity, 917, index: 2),
                Field(.battery, .int(100), index: 2),
            ]),
        govee(
            "H5051 without a name", nil, "88ec 00ba0af90f63020101",
            [hundredths(.temperature, 2_746), hundredths(.humidity, 4_089), .int(.battery, 99)]),
        govee(
            "H5052", "Govee_H5052_E81B", "88ec 001c01a7143b000002",
            [hundredths(.temperature, 284), hundredths(.humidity, 5_287), .int(.battery, 59)]),
        govee(
            "H5071", "Govee_H5071_FD12", "88ec 00210ab61218c80001",
            [hundredths(.temperature, 2_593), hundredths(.humidity, 4_790), .int(.battery, 24)]),
        govee("H5075 without a name", nil, "88ec 00034db26400", climate(216, 498, 100)),
        govee("H5075 that calls itself otherwise", "Govee_ABCD", "88ec 00034db26400", climate(216, 498, 100)),
        govee(
            "H5075 with its iBeacon glued on", "GVH5075_2762", "88ec 000341c26400" + beaconOfGovee,
            climate(213, 442, 100)),
        govee(
            "H5103 with its iBeacon glued on", "GVH5103_5A4E", "0100 010103513e64" + beaconOfGovee,
            climate(217, 406, 100)),
        govee("without a name and without Govee's service", nil, "88ec 00034db26400", services: [], nil),
        govee("a head that is not Govee's", "GVH5075_2762", "88ec 010341c26400", nil),
        govee("a head that is not Govee's, of nine octets", "Govee_H5051_1", "88ec 01ba0af90f63020101", nil),
        govee("seven octets without a value", "GVH5074_1", "88ec 00 7f7f ffff ff 02", nil),
        govee("nine octets without a value", "GVH5051_1", "88ec 00 7f7f ffff e4 020101", nil),
        govee(
            "H5055 with the layout of 2026", nil, "0a5c 77410001 01e40300 0960ffffffff 0dacffffffff",
            services: [0x5550], [hundredths(.temperature, 2_400, index: 1), hundredths(.temperature, 3_500, index: 2)]),
        govee(
            "H5055, probes 5 and 6", nil, "2faf 550064bf201a00ffffb100201900ffffffff0000", services: [0x5550],
            [Field(.temperature, .int(26), index: 5), Field(.temperature, .int(25), index: 6), .int(.battery, 100)]),
        govee(
            "H5181 with its iBeacon glued on", nil, "8a38 d801000101e4018608981d100000" + beaconOfGovee,
            services: [0x8151], [hundredths(.temperature, 2_200, index: 1)]),
        govee(
            "H5191", nil, "63ac 83010001014c5d040fa01324ffff0af0ffffffff", services: [0x9151],
            [hundredths(.temperature, 4_000, index: 1), hundredths(.temperature, 2_800)]),
        govee(
            "H5198", nil, "2230 6c01000101a4c20f0e10ffffffff08fcffffffff", services: [0x9851],
            [hundredths(.temperature, 3_600, index: 3), hundredths(.temperature, 2_300, index: 4)]),
        govee(
            "a probe's service with another head", nil, "2230 6c01000202a4c20f0e10ffffffff08fcffffffff",
            services: [0x9851], nil),
    ]

    // MARK: Inkbird

    private static func inkbird(
        _ name: String, _ local: String?, _ octets: String, services: [UInt16] = [0xFFF0],
        address: UInt64 = 0xD36D_0000_112C, _ fields: [Field]?
    ) -> FamilyVector {
        FamilyVector(
            name, "inkbird", address: address, local: local, services: services.map { BluetoothUUID($0) },
            manufacturer: octets.filter { $0 != " " }, fields)
    }

    static let inkbirdSpellings: [FamilyVector] = [
        inkbird("IBT-2X's running time", "xBBQ", "0200 0000 2c1100006dd3 8003 8003", nil),
        inkbird(
            "IBT-2X", "xBBQ", "0100 0000 2c1100006dd3 1201 1201",
            [tenths(.temperature, 274, index: 1), tenths(.temperature, 274, index: 2)]),
        inkbird(
            "IBT-2X below zero", "xBBQ", "0100 0000 2c1100006dd3 ceff fa00",
            [tenths(.temperature, -50, index: 1), tenths(.temperature, 250, index: 2)]),
        inkbird(
            "IBT-2XS, the first probe out", "iBBQ", "0000 0000 a8e2c1000007 f6ff 4402", address: 0xA8E2_C100_0007,
            [tenths(.temperature, 580, index: 2)]),
        inkbird(
            "IBT-2XS without a name, by the address in it", nil, "0000 0000 a8e2c1000007 f6ff 4402",
            address: 0xA8E2_C100_0007, [tenths(.temperature, 580, index: 2)]),
        inkbird("without a name, with another address in it", nil, "0000 0000 a8e2c1000008 f6ff 4402", nil),
        inkbird("a head that is not the probes'", "iBBQ", "0000 0001 a8e2c1000007 f6ff 4402", nil),
        inkbird(
            "IBS-TH2 before its scan response", nil, "4808000000c66e0d06",
            [hundredths(.temperature, 2_120), .int(.battery, 13)]),
        inkbird("the same without Inkbird's service", nil, "4808000000c66e0d06", services: [], nil),
        inkbird(
            "a model of the ITH's with another name", "ITH-99", "49241223052ff000f9016400000000000000",
            [tenths(.temperature, 240), tenths(.humidity, 505), .int(.battery, 100)]),
        inkbird(
            "ITH-11-B at the beginning of a day", "ITH-11-B", "4924 07110098 0000 ffff 00 01900400000000", nil),
        inkbird(
            "IAM-T2 without humidity", nil, "5432006200a13e29bed4ffceffff025391", services: [],
            [tenths(.temperature, -50), .int(.co2, 595)]),
    ]

    // MARK: Qingping

    private static func qingping(
        _ name: String, _ octets: String, _ address: UInt64, number: UInt32? = nil, _ fields: [Field]?
    ) -> FamilyVector {
        FamilyVector(
            name, "qingping", address: address, service: (0xFDCD, octets),
            number: number.map { PacketNumber($0, bits: 8) }, fields)
    }

    static let qingpingSpellings: [FamilyVector] = [
        qingping(
            "CGH1's other packet: the second 0F is its door", "0804750000342d580201600f01420f0101", 0x582D_3400_0075,
            number: 0x42, [.int(.battery, 96), .int(.opening, 0), .int(.leftOpen, 0)]),
        qingping(
            "CGH1's other packet, open", "0804750000342d580201600f01430f0100", 0x582D_3400_0075, number: 0x43,
            [.int(.battery, 96), .int(.opening, 1), .int(.leftOpen, 0)]),
        qingping(
            "two numbers of another model", "0801750000342d580201600f01420f0101", 0x582D_3400_0075, number: 0x42,
            [.int(.battery, 96)]),
        qingping(
            "CGD1 with bit 7 of its battery", "080caffd00342d5801040d019e020201aa", 0x582D_3400_FDAF,
            [tenths(.temperature, 269), tenths(.humidity, 670), .int(.battery, 42)]),
        // The octets after an event's motion are no illuminance: 201,995 lx between two packets with 79,544 lx.
        qingping(
            "CGPR1's motion", "4812cd0000342d580804012d01000f01b7", 0x582D_3400_00CD, number: 0xB7,
            [.int(.motion, 1), .int(.illuminance, 301)]),
    ]

    // MARK: Others

    static let otherSpellings: [FamilyVector] = [
        FamilyVector(
            "Tempo Disc T of ten octets", "bluemaestro", address: address, manufacturer: "33010d6402580ad100fc0100",
            [tenths(.temperature, 252), .int(.battery, 100)]),
        FamilyVector(
            "Tempo Disc of kind 16", "bluemaestro", address: address, manufacturer: "330116430e10061eff5d030fff400100",
            [
                tenths(.temperature, -163), .int(.battery, 67), tenths(.humidity, 783), tenths(.dewpoint, -192),
            ]),
        FamilyVector(
            "ThermoBeacon whose service is not there yet", "thermobeacon", address: 0x70F7_0000_111A,
            manufacturer: "100000001a110000f770580cf5016c0443090000",
            [
                .decimal(.temperature, 313_125, places: 4), .decimal(.humidity, 707_500, places: 4),
                .decimal(.voltage, 3_160, places: 3), .int(.uptime, 2_371),
            ]),
        FamilyVector(
            "Oria T301", "thermobeacon", address: address, manufacturer: "55aa0105aabbccddeeff01070a0015e0630001",
            [hundredths(.temperature, 2_560), hundredths(.humidity, 5_600), .int(.battery, 99)]),
        FamilyVector(
            "Oria T201", "thermobeacon", address: 0xA4C1_3874_B085,
            manufacturer: "55aa0101a4c13874b08501070a1d10f064000100",
            [hundredths(.temperature, 2_589), hundredths(.humidity, 4_336), .int(.battery, 100)]),
        FamilyVector(
            "Oria with another's address", "thermobeacon", address: 1,
            manufacturer: "55aa0105aabbccddeeff01070a0015e0630001", nil),
        FamilyVector(
            "a lamp with zeros behind its motion", "mibeacon", address: address,
            service: (0xFE95, "4030dd031d0300010100"), number: PacketNumber(0x1D, bits: 8), [.int(.motion, 1)]),
        FamilyVector(
            "BM6, whose battery is in its major number", "ibeacon", address: address,
            manufacturer: "4c0002153ba29cd9a42c894856badaf2606ef777114d0000cd",
            [
                .text(.beacon, "3ba29cd9-a42c-8948-56ba-daf2606ef777/4429/0"), .int(.txPower, -51),
                .int(.battery, 77),
            ]),
        FamilyVector(
            "ABTemp", "ibeacon", address: address, manufacturer: "4c000215b5b182c7eab14988aa99b5c1517008d90001641ac5",
            [
                .text(.beacon, "b5b182c7-eab1-4988-aa99-b5c1517008d9/1/25626"), .int(.txPower, -59),
                .int(.battery, 100), .int(.temperature, 26),
            ]),
        FamilyVector(
            "Jaalee", "ibeacon", address: address, services: [BluetoothUUID(0xF525 as UInt16)],
            manufacturer: "4c000215ebefd08370a247c89837e7b5634df52567f857becb64",
            [
                .text(.beacon, "ebefd083-70a2-47c8-9837-e7b5634df525/26616/22462"), .int(.txPower, -53),
                hundredths(.temperature, 2_607), hundredths(.humidity, 3_427), .int(.battery, 100),
            ]),
        FamilyVector(
            "Tempo Disc T of nine octets", "bluemaestro", address: address, manufacturer: "33010d6402580ad100fc", nil),
        FamilyVector(
            "format 3 with zeros behind", "ruuvi", address: 0xF27A_5200_0006,
            manufacturer: "9904036c180eca60fc9cfe6801280c9100000000",
            [
                hundredths(.temperature, 2_414), tenths(.humidity, 540), hundredths(.pressure, 101_808),
                .decimal(.accelerationX, -8_512, places: 3), .decimal(.accelerationY, -4_001, places: 3),
                .decimal(.accelerationZ, 2_903, places: 3), .decimal(.voltage, 3_217, places: 3),
            ]),
        FamilyVector(
            "format 3 with something else behind", "ruuvi", address: 0xF27A_5200_0006,
            manufacturer: "9904036c180eca60fc9cfe6801280c9100000001", nil),
        FamilyVector(
            "a float of two octets", "bthome-v1", address: 0xA4C1_388D_18B2, service: (0x181C, "4306fe70"),
            [.decimal(.weight, 10_224, places: 2)]),
        FamilyVector(
            "a float of four octets", "bthome-v1", address: 0xA4C1_388D_18B2, service: (0x181C, "45020080d844"),
            [hundredths(.temperature, 1_732)]),
        FamilyVector(
            "a float that is no number", "bthome-v1", address: 0xA4C1_388D_18B2, service: (0x181C, "45020000c07f"), nil),
        FamilyVector(
            "tenths of a volt in place of the measured power", "ibeacon", address: address,
            manufacturer: "4c000215fda50693a4e24fb1afcfc6eb07647825000100021a",
            [
                .text(.beacon, "fda50693-a4e2-4fb1-afcf-c6eb07647825/1/2"), .decimal(.voltage, 26, places: 1),
            ]),
        FamilyVector(
            "measured power that is none", "ibeacon", address: address,
            manufacturer: "4c000215fda50693a4e24fb1afcfc6eb076478250001000264",
            [.text(.beacon, "fda50693-a4e2-4fb1-afcf-c6eb07647825/1/2")]),
        FamilyVector(
            "BM2, whose last octet is its battery", "ibeacon", address: address,
            manufacturer: "4c000215655f83caae16a10a702e31f30d58dd82f644000064",
            [.text(.beacon, "655f83ca-ae16-a10a-702e-31f30d58dd82/63044/0"), .int(.battery, 100)]),
        FamilyVector(
            "two octets more than an iBeacon", "ibeacon", address: address,
            manufacturer: "4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c56400",
            [.text(.beacon, "e2c56db5-dffb-48d2-b060-d0f5a71096e0/1/2"), .int(.txPower, -59)]),
        FamilyVector(
            "TP972S", "thermopro", address: address, local: "TP972S", services: [thermoProProbe],
            manufacturer: "003300480a3300ffeeddccbbaa",
            [
                Field(.temperature, .int(21), index: 1), Field(.temperature, .int(21), index: 2),
                Field(.voltage, .decimal(.init(mantissa: 2_632, places: 3)), index: 1),
            ]),
        FamilyVector(
            "TP962R's second probe", "thermopro", address: address, services: [thermoProProbe],
            manufacturer: "0143001 70a4300".filter { $0 != " " },
            [
                Field(.temperature, .int(37), index: 3), Field(.temperature, .int(37), index: 4),
                Field(.voltage, .decimal(.init(mantissa: 2_583, places: 3)), index: 2),
            ]),
        FamilyVector(
            "a model of the TP3's that is not listed", "thermopro", address: address, local: "TP305 (1234)",
            manufacturer: "c2f1001d022c0b01",
            [tenths(.temperature, 241), .int(.humidity, 29), .int(.battery, 100)]),
        oralB(
            "that sleeps", "0471057332010e05032e04",
            [
                .text(.brushState, "sleeping"), .int(.running, 0), .int(.brushingTime, 74),
                .text(.brushPressure, "normal"),
            ]),
        oralB(
            "its menu", "0631160872000003020004",
            [
                .text(.brushState, "selection_menu"), .int(.running, 0), .int(.brushingTime, 0),
                .text(.brushPressure, "normal"),
            ]),
        oralB(
            "switched off", "07351e0936000505010004",
            [
                .text(.brushState, "off"), .int(.running, 0), .int(.brushingTime, 5), .text(.brushPressure, "normal"),
            ]),
        oralB(
            "statistics", "0631320a72000003010006",
            [
                .text(.brushState, "statistics"), .int(.running, 0), .int(.brushingTime, 0),
                .text(.brushPressure, "normal"),
            ]),
        oralB(
            "a state without a name", "0631327772000003010006",
            [
                .int(.running, 0), .int(.brushingTime, 0), .text(.brushPressure, "normal"),
            ]),
        oralB(
            "an octet more", "07340c0338000002010004ff",
            [
                .text(.brushState, "running"), .int(.running, 1), .int(.brushingTime, 0),
                .text(.brushPressure, "normal"),
                .int(.brushSector, 1),
            ]),
        oralB("another maker's head", "77340c0338000002010004", nil),
    ]

    private static let thermoProProbe = BluetoothUUID(high: 0x72FB_B631_6F6B_D1BA, low: 0xDB55_2EE6_FDD9_42BD)

    private static func oralB(_ name: String, _ octets: String, _ fields: [Field]?) -> FamilyVector {
        FamilyVector(name, "oral-b", address: address, manufacturer: "dc00" + octets, fields)
    }
}
