// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// Real packets are from the tests of govee-ble; the others are made by hand.
extension FamilyVector {
    private static func govee(_ name: String, _ local: String, _ octets: String, _ fields: [Field]?) -> FamilyVector {
        FamilyVector(name, "govee", address: 0xA4C1_3812_3456, local: local, manufacturer: octets, fields)
    }

    private static func probes(_ name: String, _ service: UInt16, _ octets: String, _ fields: [Field]?) -> FamilyVector
    {
        FamilyVector(
            name, "govee", address: 0xA4C1_3812_3456, services: [BluetoothUUID(service)],
            manufacturer: "3412" + octets.filter { $0 != " " }, fields)
    }

    private static func probe(_ index: UInt8, _ hundredths: Int64) -> Field {
        Field(.temperature, .decimal(.init(mantissa: hundredths, places: 2)), index: index)
    }

    static let govee: [FamilyVector] = [
        govee(
            "H5075", "GVH5075_2762", "88ec000341c26400",
            [
                .decimal(.temperature, 213, places: 1), .decimal(.humidity, 442, places: 1), .int(.battery, 100),
            ]),
        govee(
            "H5075 below zero", "GVH5075_2762", "88ec008041c26400",
            [
                .decimal(.temperature, -16, places: 1), .decimal(.humidity, 834, places: 1), .int(.battery, 100),
            ]),
        govee(
            "H5074", "Govee_H5074_5FF4", "88ec00e609bc126402",
            [
                .decimal(.temperature, 2_534, places: 2), .decimal(.humidity, 4_796, places: 2), .int(.battery, 100),
            ]),
        govee(
            "H5105", "GVH5105_1234", "0100010103325e64",
            [
                .decimal(.temperature, 209, places: 1), .decimal(.humidity, 502, places: 1), .int(.battery, 100),
            ]),
        govee(
            "H5108", "GVH5108_1234", "0100010103c730640000",
            [
                .decimal(.temperature, 247, places: 1), .decimal(.humidity, 600, places: 1), .int(.battery, 100),
            ]),
        govee("H5108 whose sensor has failed", "GVH5108_1234", "0100010103c730e40000", [.int(.battery, 100)]),
        govee(
            "H5106", "GVH5106_1234", "010001010ed13298",
            [
                .decimal(.temperature, 248, places: 1), .decimal(.humidity, 591, places: 1), .int(.pm25, 0),
            ]),
        govee(
            "H5106 below zero", "GVH5106_1234", "0100010181867cd8",
            [
                .decimal(.temperature, -25, places: 1), .decimal(.humidity, 591, places: 1), .int(.pm25, 0),
            ]),
        govee(
            "H5179", "GV5179_1234", "0188ec0001010a0aa40664",
            [
                .decimal(.temperature, 2_570, places: 2), .decimal(.humidity, 1_700, places: 2), .int(.battery, 100),
            ]),
        govee(
            "H5140", "GVH5140_1234", "01000101033dee023e00",
            [
                .decimal(.temperature, 212, places: 1), .decimal(.humidity, 462, places: 1), .int(.co2, 574),
            ]),
        govee(
            "H5112, its second probe", "GVH5112_1234", "0100010103c730640082",
            [
                Field(.temperature, .decimal(.init(mantissa: 247, places: 1)), index: 2), .int(.battery, 100),
            ]),
        govee(
            "H5178, outside", "GVH5178_1234", "010001010103c7306400 00".filter { $0 != " " },
            [
                Field(.temperature, .decimal(.init(mantissa: 247, places: 1)), index: 2),
                Field(.humidity, .decimal(.init(mantissa: 600, places: 1)), index: 2),
                Field(.battery, .int(100), index: 2),
            ]),
        probes("H5181", 0x8151, "ba010001016400860a281ce80000", [probe(1, 2_600)]),
        probes("H5182 without its second probe", 0x8251, "4401000101640186 0a28ffff86ffffffff", [probe(1, 2_600)]),
        probes("H5184", 0x8451, "2001000101e401860c1cffff860af0ffff", [probe(1, 3_100), probe(2, 2_800)]),
        probes("H5184, the others", 0x8451, "2001000101e402860c1cffff860af0ffff", [probe(3, 3_100), probe(4, 2_800)]),
        probes("H5184 of no probes", 0x8451, "2001000101e400860c1cffff860af0ffff", nil),
        probes(
            "H5185", 0x8551, "8701000101e4c166 0c1cffff0000 0af0ffff0000", [probe(1, 3_100), probe(2, 2_800)]),
        probes(
            "H5191", 0x9151, "8301000101e45d04 0c1cffff0000 f8300000 0000",
            [probe(1, 3_100), .decimal(.temperature, -2_000, places: 2)]),
        probes(
            "H5198", 0x9851, "6c01000101e4c20f 0c1cffff0000 7fff00000000",
            [probe(3, 3_100), probe(4, 32_767)]),
        probes(
            "H5055, probe 4 alone", 0x5550, "5500e348 20 ffffffffffff 20 f6ffffffffff 0000",
            [Field(.temperature, .int(-10), index: 4), .int(.battery, 99)]),
        probes(
            "H5055, probe 4 with the bit of another one", 0x5550, "5b006460 20 ffffffffffff 20 1e00ffffffff 0000",
            [Field(.temperature, .int(30), index: 4), .int(.battery, 100)]),
        probes(
            "H5055, a probe that is hotter than fire", 0x5550, "5500e344 20 59020000ffff20f6ffffffffff0000",
            [Field(.temperature, .int(-10), index: 4), .int(.battery, 99)]),
        FamilyVector(
            "an iBeacon beside the service of an H5181", "govee", address: 1,
            services: [BluetoothUUID(0x8151 as UInt16)],
            manufacturer: "4c00ba010001016400860a281ce80000", nil),
        probes("no probe at all", 0x8151, "ba01000101640086ffff1ce80000", nil),
        probes("of another length", 0x8151, "ba010001016400860a281ce800", nil),
        govee("H5127", "GVH5127A1B2", "0388ec0001010111", [.binary(.occupancy, true), .binary(.motion, true)]),
        govee(
            "H5127 with newer firmware", "GVH5127A1B2", "4388ec0002010100",
            [.binary(.occupancy, true), .binary(.motion, false)]),
        govee("a lamp with the same identifier", "GVH5127A1B2", "4388ec0003010100", nil),
        govee("a lamp by its name", "ihoment_H6127", "4388ec0002010100", nil),
        govee(
            "H5123", "GV51230B3D", "88ef3dec0000de4377d55e55f991496e36bdc67f8b2c27067497",
            [.binary(.window, true), .int(.battery, 100)]),
        govee(
            "H5122", "GV51220B3D", "88eff30a0000648248e86020622588c02fd258cb3f1b8544d930",
            [Field(.button, .string("press"), index: 1), .int(.battery, 100)]),
        govee(
            "H5124", "GV51240B3D", "88ef3dec0001234510c2c85935ff346a0c60648fa201c38ca6cd",
            [.binary(.vibration, true), .int(.battery, 100)]),
        govee(
            "H5121", "GV51210B3D", "88ef3dec00012345bd6593d23ec2298a82fc2b98f46d92fd852b",
            [.binary(.motion, true), .int(.battery, 100)]),
        govee(
            "H5130, pressed by both", "GV51300B3D", "88ef3dec00012345ddd8b085cce8a448a2d053ef837ae698de63",
            [Field(.button, .string("press"), index: 1), .binary(.occupancy, true), .int(.battery, 100)]),
        govee(
            "H5126, its second button", "GV51260B3D", "88ef3dec000123454c2171f9ca149e48444a6d553950acdae8b3",
            [Field(.button, .string("press"), index: 2), .int(.battery, 100)]),
        govee(
            "a second button of the H5122", "GV51220B3D", "88ef3dec000123453f5744308fcf9cd1a85778ffc02d5b7fcb86",
            [.int(.battery, 100)]),
        govee(
            "H5123 that is neither", "GV51230B3D", "88ef3dec00012345ce85da04bc16785e85d09d8072f971a9e3cf",
            [.int(.battery, 100)]),
        govee("H5123 with another checksum", "GV51230B3D", "88ef3dec0000de4377d55e55f991496e36bdc67f8b2c27067498", nil),
        govee("no name that says the model", "ihoment_H6159", "88ec000341c26400", nil),
        govee("another length", "GVH5075_2762", "88ec000341c264", nil),
        govee("hotter than it can be", "GVH5075_2762", "88ec007fffff6400", nil),
    ]
}
