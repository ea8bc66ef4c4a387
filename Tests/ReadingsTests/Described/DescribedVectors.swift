// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/*.toml.

extension DescribedVector {
    static let all: [DescribedVector] = [
        DescribedVector(
            "amazfit-scale", 0xAABBCCDDEEFF,
            "1716e0feba82e6c7fc3414a442bf46ec68000462bba30100",
            ["heart_rate": 104.0, "impedance": 517.2, "weight": 85.3], tolerance: 0.0),
        DescribedVector(
            "amazfit-scale", 0xAABBCCDDEEFF,
            "1716e0feba82e6c7fc3414a44200000068000462bba30100",
            nil, tolerance: 0.0),
        DescribedVector(
            "beewi", 0xAABBCCDDEEFF,
            "08ff0d00080c000664",
            ["battery": 100.0, "opening": 0.0], tolerance: 0.0),
        DescribedVector(
            "beewi", 0xAABBCCDDEEFF,
            "08ff0d00080c010664",
            ["battery": 100.0, "opening": 1.0], tolerance: 0.0),
        DescribedVector(
            "beewi", 0xAABBCCDDEEFF,
            "08ff0d00080c020664",
            nil, tolerance: 0.0),
        DescribedVector(
            "ela", 0xAABBCCDDEEFF,
            "02010606ff5707122e070e0950205420454e20383039303646",
            ["temperature": 18.38], tolerance: 0.0),
        DescribedVector(
            "ela", 0xAABBCCDDEEFF,
            "02010608ff5707213012b80a0d09502052485420393030343539",
            ["humidity": 48.0, "temperature": 27.44], tolerance: 0.0),
        DescribedVector(
            "ela", 0xAABBCCDDEEFF,
            "05ff5707f10d",
            ["battery": 13.0], tolerance: 0.0),
        DescribedVector(
            "ela", 0xAABBCCDDEEFF,
            "06ff5707f2120c",
            ["voltage": 3.09], tolerance: 0.0),
        DescribedVector(
            "ela", 0xAABBCCDDEEFF,
            "05166e2a830806ff5707f2120c",
            ["temperature": 21.79, "voltage": 3.09], tolerance: 0.0),
        DescribedVector(
            "ela", 0xAABBCCDDEEFF,
            "04166f2a2f06ff5707f2190c",
            ["humidity": 47.0, "voltage": 3.097], tolerance: 0.0),
        DescribedVector(
            "ela", 0xAABBCCDDEEFF,
            "0516062a3b0006ff5707f2070c",
            ["opening": 0.0, "voltage": 3.079], tolerance: 0.0),
        DescribedVector(
            "ela", 0xAABBCCDDEEFF,
            "05166e2a13010a09432054203939393939",
            ["temperature": 2.75], tolerance: 0.0),
        DescribedVector(
            "ela", 0xAABBCCDDEEFF,
            "05166e2a34f80b0950205248542033333339",
            ["temperature": -19.96], tolerance: 0.0),
        DescribedVector(
            "ela", 0xAABBCCDDEEFF,
            "04166f2a460b0950205248542039393939",
            ["humidity": 70.0], tolerance: 0.0),
        DescribedVector(
            "ela", 0xAABBCCDDEEFF,
            "0516062a24000b0950204d41472043434343",
            ["opening": 1.0], tolerance: 0.0),
        DescribedVector(
            "ela", 0xAABBCCDDEEFF,
            "05166e2a34f80b0951205248542033333339",
            nil, tolerance: 0.0),
        DescribedVector(
            "feasycom", 0xAABBCCDDEEFF,
            "0e16f0ff27021992aabbccddeeff64",
            ["battery": 100.0, "plug": 0.0], tolerance: 0.0),
        DescribedVector(
            "feasycom", 0xAABBCCDDEEFF,
            "0e16f0ff27021992aabbccddeeff65",
            ["plug": 1.0], tolerance: 0.0),
        DescribedVector(
            "feasycom", 0xAABBCCDDEEFE,
            "0e16f0ff27021992aabbccddeeff64",
            nil, tolerance: 0.0),
        DescribedVector(
            "holyiot", 0xC6B545F6F18E,
            "101642524164c6b545f6f18e060601ed25",
            ["battery": 100.0, "temperature": -19.37], tolerance: 0.0),
        DescribedVector(
            "holyiot", 0xC6B545F6F18E,
            "101642524164c6b545f6f18e0606025334",
            ["battery": 100.0, "pressure": 1013.0], tolerance: 0.0),
        DescribedVector(
            "holyiot", 0xC6B545F6F18E,
            "101642524164c6b545f6f18e0606034c00",
            ["battery": 100.0, "humidity": 76.0], tolerance: 0.0),
        DescribedVector(
            "holyiot", 0xC6B545F6F18E,
            "101642524164c6b545f6f18e0606040100",
            ["battery": 100.0, "vibration": 1.0], tolerance: 0.0),
        DescribedVector(
            "holyiot", 0xC6B545F6F18F,
            "101642524164c6b545f6f18e0606040100",
            nil, tolerance: 0.0),
        DescribedVector(
            "inode", 0xAABBCCDDEEFF,
            "0eff90826300f0cf0000c409820080",
            ["battery": 70.0, "energy": 21.2928, "power": 2376.0], tolerance: 0.0),
        DescribedVector(
            "inode", 0xAABBCCDDEEFF,
            "0effa0826300f0cf0000c409b60080",
            ["battery": 100.0, "energy": 21.2928, "power": 2376.0], tolerance: 0.0),
        DescribedVector(
            "inode", 0xAABBCCDDEEFF,
            "0eff90836300f0cf0000c409820080",
            nil, tolerance: 0.0),
        DescribedVector(
            "jaalee", 0xD2F3B4CD1E4B,
            "020a00030325f50e1625f5644b1ecdb4f3d27420591a",
            ["battery": 100.0, "humidity": 34.81, "temperature": 34.38], tolerance: 0.0),
        DescribedVector(
            "jaalee", 0xC8B04CAAE665,
            "0f161cf56465e6aa4cb0c801632e5535",
            ["battery": 100.0, "humidity": 33.28, "temperature": 22.8], tolerance: 0.0),
        DescribedVector(
            "jaalee", 0xC8B04CAAE666,
            "0f161cf56465e6aa4cb0c801632e5535",
            nil, tolerance: 0.0),
        DescribedVector(
            "mi-band", 0xFFFDFF3B6145,
            "0201061bff570102020154ffffffffffffffffffffffffff03fffdff3b614510094d6920536d6172742042616e6420340302e0fe0716e0fe0b000000",
            ["heart_rate": 84.0, "steps": 11.0], tolerance: 0.0),
        DescribedVector(
            "mi-band", 0xAABBCCDDEEFF,
            "1bff57010202017dffffffffffffffffffffffffff02aabbccddeeff",
            ["heart_rate": 125.0], tolerance: 0.0),
        DescribedVector(
            "mi-band", 0xAABBCCDDEEFE,
            "1bff57010202017dffffffffffffffffffffffffff02aabbccddeeff",
            nil, tolerance: 0.0),
        DescribedVector(
            "mi-band", 0xC5093F890B4B,
            "0201041bff5701020aff54ffffffffffffffffffffffffff03c5093f890b4b",
            ["heart_rate": 84.0], tolerance: 0.0),
        DescribedVector(
            "michelin", 0xAABBCCDDEEFF,
            "02010611ff280801034fc8d403505643017d511e00",
            ["pressure": 980.0, "temperature": 19.0, "voltage": 3.0], tolerance: 0.0),
        DescribedVector(
            "michelin", 0xAABBCCDDEEFF,
            "11ff280801054fc8d403505643017d511e00",
            nil, tolerance: 0.0),
        DescribedVector(
            "mocreo", 0xAABBCCDDEEFF,
            "02010607094d4f4352454f13ff0181290154b0920900000000006162000000",
            ["battery": 84.0, "temperature": 24.5], tolerance: 0.0),
        DescribedVector(
            "mocreo", 0xAABBCCDDEEFF,
            "02010607094d4f4352454f13ff4183dd0262b0200af31400000150bf000000",
            ["battery": 98.0, "humidity": 53.63, "temperature": 25.92], tolerance: 0.0),
        DescribedVector(
            "mocreo", 0xAABBCCDDEEFF,
            "02010607094d4f4352454f13ff01821580e4000000000000000086f6000000",
            ["battery": 100.0, "moisture_detected": 0.0], tolerance: 0.0),
        DescribedVector(
            "mocreo", 0xAABBCCDDEEFF,
            "02010607094d4f4352454f13ff01851580e4000000000000000086f6000000",
            nil, tolerance: 0.0),
        DescribedVector(
            "mokobeacon", 0xAABBCCDDEEFF,
            "101601ff64000000005085a000f0ffe003",
            ["acceleration_x": 1.569, "acceleration_y": -0.157, "acceleration_z": 9.728, "battery": 100.0], tolerance: 0.0),
        DescribedVector(
            "mokobeacon", 0xAABBCCDDEEFF,
            "101601ff65000000005085a000f0ffe003",
            nil, tolerance: 0.0),
        DescribedVector(
            "radioland", 0xAABBCCDDEEFF,
            "13161803183a2f33010000020000000100000907",
            ["acceleration_x": -0.196133, "acceleration_y": 0.0980665, "acceleration_z": 9.5124505, "humidity": 47.19921875, "temperature": 24.2265625], tolerance: 0.0),
        DescribedVector(
            "radioland", 0xAABBCCDDEEFF,
            "13161803194c3a39000001040000000901000908",
            ["acceleration_x": 1.372931, "acceleration_y": 0.8825985, "acceleration_z": -9.610517, "humidity": 58.22265625, "temperature": 25.296875], tolerance: 0.0),
        DescribedVector(
            "radioland", 0xAABBCCDDEEFF,
            "13161803194c3a39020001040000000901000908",
            nil, tolerance: 0.0),
        DescribedVector(
            "senssun", 0x187A93C1B333,
            "020106060949465f423714ff0001020311187a93c1b333021a4500b4a1ab61",
            ["impedance": 180.0, "weight": 67.25], tolerance: 0.0),
        DescribedVector(
            "senssun", 0x187A93C1B334,
            "14ff0001020311187a93c1b333021a4500b4a1ab61",
            nil, tolerance: 0.0),
        DescribedVector(
            "smartdry", 0xAABBCCDDEEFF,
            "0fffae019bc8af4108d7c34208016807",
            ["humidity": 97.92, "temperature": 21.97], tolerance: 0.0),
        DescribedVector(
            "smartdry", 0xAABBCCDDEEFF,
            "0fffae019bc8af4108d7c34208016808",
            nil, tolerance: 0.0),
        DescribedVector(
            "teltonika", 0xAABBCCDDEEFF,
            "0201061aff4c000215ffffffff0b8c404510c655aab636ebefbb700055020c094d50315f313233343536370eff9a0801b708b4120ccb0bffc767",
            ["battery_low": 0.0, "humidity": 18.0, "movement_counter": 3275.0, "moving": 0.0, "reed_switch": 0.0, "temperature": 22.28, "voltage": 3.03], tolerance: 0.0),
        DescribedVector(
            "teltonika", 0xAABBCCDDEEFF,
            "09ff9a08015108b48ccb",
            ["battery_low": 1.0, "movement_counter": 3275.0, "moving": 1.0, "temperature": 22.28], tolerance: 0.0),
        DescribedVector(
            "teltonika", 0xAABBCCDDEEFF,
            "06ff9a08010212",
            ["battery_low": 0.0, "humidity": 18.0], tolerance: 0.0),
        DescribedVector(
            "teltonika", 0xAABBCCDDEEFF,
            "02010605166e2a860b08095055434b5f5431",
            ["temperature": 29.5], tolerance: 0.0),
        DescribedVector(
            "teltonika", 0xAABBCCDDEEFF,
            "02010605166e2aa30404166f2a2308095055434b5f5448",
            ["humidity": 35.0, "temperature": 11.87], tolerance: 0.0),
        DescribedVector(
            "teltonika", 0xAABBCCDDEEFF,
            "0eff9a0802b708b4120ccb0bffc767",
            nil, tolerance: 0.0),
        DescribedVector(
            "tpms", 0x80EACADDEEFF,
            "13ff000180eacaddeefff46503007c0c00003300",
            ["battery": 51.0, "channel": 2.0, "pressure": 2227.08, "problem": 0.0, "temperature": 31.96], tolerance: 0.0),
        DescribedVector(
            "tpms", 0x80EACADDEEFE,
            "13ff000180eacaddeefff46503007c0c00003300",
            nil, tolerance: 0.0),
        DescribedVector(
            "xiaogui", 0x5F5A29E5E094,
            "10ffc0a30276138b0002215f5a29e5e094",
            ["impedance": 500.3, "stable": 1.0, "weight": 63.0], tolerance: 0.0),
        DescribedVector(
            "xiaogui", 0x5F5A29E5E094,
            "10ffc07d2c4700000a01255f5a29e5e094",
            ["stable": 1.0, "weight": 113.35], tolerance: 0.0),
        DescribedVector(
            "xiaogui", 0x5F5A29E5E094,
            "10ffc05d008c00000002205f5a29e5e094",
            ["stable": 0.0], tolerance: 0.0),
        DescribedVector(
            "xiaogui", 0x5F5A29E5E095,
            "10ffc05d008c00000002215f5a29e5e094",
            nil, tolerance: 0.0),
    ]
}
