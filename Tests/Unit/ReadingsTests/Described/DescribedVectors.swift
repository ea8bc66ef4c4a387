// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/*.toml.

extension DescribedVector {
    static let all: [DescribedVector] = [
        DescribedVector(
            "acconeer", 0xAABBCCDDEEFF,
            "12ffc0ac806400160001000000000000000000",
            ["battery": 100.0, "motion": 1.0, "temperature": 22.0], tolerance: 0.0),
        DescribedVector(
            "acconeer", 0xAABBCCDDEEFF,
            "12ffc0ac916400160001000000000000000000",
            ["battery": 100.0, "motion": 1.0, "temperature": 22.0], tolerance: 0.0),
        DescribedVector(
            "acconeer", 0xAABBCCDDEEFF,
            "12ffc0ac906400160058050000000000000000",
            ["battery": 100.0, "distance": 1.368, "temperature": 22.0], tolerance: 0.0),
        DescribedVector(
            "acconeer", 0xAABBCCDDEEFF,
            "12ffc0ac916400160001000000000000000001",
            nil, tolerance: 0.0),
        DescribedVector(
            "amazfit-scale", 0xAABBCCDDEEFF,
            "1716e0feba82e6c7fc3414a442bf46ec68000462bba30100",
            ["heart_rate": 104.0, "impedance": 517.2, "weight": 85.3], tolerance: 0.0),
        DescribedVector(
            "amazfit-scale", 0xAABBCCDDEEFF,
            "1716e0feba82e6c7fc3414a44200000068000462bba30100",
            nil, tolerance: 0.0),
        DescribedVector(
            "amphiro", 0xAABBCCDDEEFF,
            "16ffeefa0000240015000015001a0029000c194f000000",
            ["duration": 21.0, "energy": 0.12, "sequence": 36.0, "temperature": 41.0, "volume": 2.6], tolerance: 0.0),
        DescribedVector(
            "amphiro", 0xAABBCCDDEEFF,
            "16ffeefa0000240015000015001a00f9000c194f000000",
            nil, tolerance: 0.0),
        DescribedVector(
            "april-brother", 0xAABBCCDDEEFF,
            "121659feab03aabbccddeeff64ebff7f005e01",
            ["battery": 100.0, "humidity": 63.5, "illuminance": 350.0, "temperature": -2.625], tolerance: 0.0),
        DescribedVector(
            "april-brother", 0xAABBCCDDEEFE,
            "121659feab03aabbccddeeff64ebff7f005e01",
            nil, tolerance: 0.0),
        DescribedVector(
            "beaconx-pro", 0xDEF14635998A,
            "1316abfe70000a011201ee0caf03def14635998a",
            ["humidity": 49.4, "temperature": 27.4, "voltage": 3.247], tolerance: 0.0),
        DescribedVector(
            "beaconx-pro", 0xF40C93FE3487,
            "1816abfe60000a010007154039c0fa000bf901f40c93fe3487",
            ["acceleration_x": 3.334, "acceleration_y": 9.061, "acceleration_z": -0.941, "voltage": 3.065], tolerance: 0.0),
        DescribedVector(
            "beaconx-pro", 0xDEF14635998B,
            "1316abfe70000a011201ee0caf03def14635998a",
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
            "blusensor", 0xAABBCCDDEEFF,
            "13ffe806010a0a08011800fb09e511a6030f0203",
            ["co2": 934.0, "humidity": 45.81, "temperature": 25.55], tolerance: 0.0),
        DescribedVector(
            "blusensor", 0xAABBCCDDEEFF,
            "13ffe806020a0a08011800fb09e511a6030f0203",
            nil, tolerance: 0.0),
        DescribedVector(
            "blustream", 0xAABBCCDDEEFF,
            "0cff940101def902be0ff107d0",
            ["humidity": 40.81, "temperature": 20.0], tolerance: 0.0),
        DescribedVector(
            "blustream", 0xAABBCCDDEEFF,
            "0cff940101def902befff107d0",
            nil, tolerance: 0.0),
        DescribedVector(
            "chef-iq", 0xAABBCCDDEEFF,
            "15ffcd0501406313c000c900c900ca00cb00c0008d11",
            ["battery": 99.0, "temperature_1": 20.1, "temperature_2": 20.1, "temperature_3": 20.2, "temperature_4": 20.3, "temperature_5": 19.0, "temperature_6": 19.2], tolerance: 0.0),
        DescribedVector(
            "chef-iq", 0xAABBCCDDEEFF,
            "15ffcd05014063fefb7ffb7ffb7ffb7ffb7ffb7f8d11",
            ["battery": 99.0], tolerance: 0.0),
        DescribedVector(
            "chef-iq", 0xAABBCCDDEEFF,
            "15ffcd0502406313c000c900c900ca00cb00c0008d11",
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
            "grundfos", 0xAABBCCDDEEFF,
            "16ff14f230017a03059884103e0f19070d0114ffffffff",
            ["pressure": 119.1, "temperature": 13.0, "volume_flow": 0.6452], tolerance: 0.0),
        DescribedVector(
            "grundfos", 0xAABBCCDDEEFF,
            "16ff14f231017a03059884103e0f19070d0114ffffffff",
            nil, tolerance: 0.0),
        DescribedVector(
            "hobo", 0xAABBCCDDEEFF,
            "17ffc5000740d54f01062402000008005231029e8708cb3d",
            ["liquid_level": 0.099], tolerance: 0.0),
        DescribedVector(
            "hobo", 0xAABBCCDDEEFF,
            "17ffc500073fd54f010624000000080092a901a0bcd9c23d",
            ["liquid_level": 0.095], tolerance: 0.0),
        DescribedVector(
            "hobo", 0xAABBCCDDEEFF,
            "17ffc500073fd54f010724000000080092a901a0bcd9c23d",
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
            "hormann", 0xAABBCCDDEEFF,
            "14ffb407140000000000000000efbbafa9d1a73b04",
            ["garage_door": 0.0], tolerance: 0.0),
        DescribedVector(
            "hormann", 0xAABBCCDDEEFF,
            "14ffb407173e000000000000006722d81075f42a04",
            ["garage_door": 1.0], tolerance: 0.0),
        DescribedVector(
            "hormann", 0xAABBCCDDEEFF,
            "08ffb4072d20000014",
            nil, tolerance: 0.0),
        DescribedVector(
            "inode", 0xAABBCCDDEEFF,
            "19ff909b01a0000000007f14b9298e61af6cde99ef797870ee41",
            ["battery": 90.0, "humidity": 75.49, "temperature": 9.42], tolerance: 0.0),
        DescribedVector(
            "inode", 0xAABBCCDDEEFF,
            "19ffa09b01a0000000007f14b9298e61af6cde99ef797870ee41",
            ["battery": 90.0, "humidity": 75.49, "temperature": 9.42], tolerance: 0.0),
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
            "jinou", 0xF881D2BE0693,
            "0eff00120700360264f881d2be0693",
            ["humidity": 54.2, "temperature": 18.7], tolerance: 0.0),
        DescribedVector(
            "jinou", 0xF881D2BE0693,
            "0eff01050700360264f881d2be0693",
            ["humidity": 54.2, "temperature": -5.7], tolerance: 0.0),
        DescribedVector(
            "jinou", 0xF881D2BE0694,
            "0eff00120700360264f881d2be0693",
            nil, tolerance: 0.0),
        DescribedVector(
            "kegtron", 0xAABBCCDDEEFF,
            "1effffff49ef138802e20153696e676c6520506f7274000000000000000000",
            ["stored_volume": 4.262, "volume": 0.738], tolerance: 0.0),
        DescribedVector(
            "kegtron", 0xAABBCCDDEEFF,
            "1effffff49ef138802e251326e6420506f7274000000000000000000000000",
            ["stored_volume_2": 4.262, "volume_2": 0.738], tolerance: 0.0),
        DescribedVector(
            "kegtron", 0xAABBCCDDEEFF,
            "1effffff49ef138802e24131737420506f7274000000000000000000000000",
            ["stored_volume_1": 4.262, "volume_1": 0.738], tolerance: 0.0),
        DescribedVector(
            "kegtron", 0xAABBCCDDEEFF,
            "1effffff49ef138802e20053696e676c6520506f7274000000000000000000",
            nil, tolerance: 0.0),
        DescribedVector(
            "laica", 0xA0915EBE2BA0,
            "0fffaca0a02bbe5e91a0a02c92140dbf",
            ["weight": 12.98], tolerance: 0.0),
        DescribedVector(
            "laica", 0xA0915EBE2BA0,
            "0fffaca0a02bbe5e91a0a25492140600",
            ["impedance": 756.0], tolerance: 0.0),
        DescribedVector(
            "laica", 0xA0915EBE2BA1,
            "0fffaca0a02bbe5e91a0a02c92140dbf",
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
            "mikrotik", 0xAABBCCDDEEFF,
            "15ff4f09010010a90000fdff0100a1196be866000062",
            ["battery": 98.0, "reed_switch": 0.0, "temperature": 25.62890625, "uptime": 6744171.0, "vibration": 0.0], tolerance: 0.0),
        DescribedVector(
            "mikrotik", 0xAABBCCDDEEFF,
            "15ff4f09010010a90000fdff010000806be866000062",
            ["battery": 98.0, "reed_switch": 0.0, "uptime": 6744171.0, "vibration": 0.0], tolerance: 0.0),
        DescribedVector(
            "mikrotik", 0xAABBCCDDEEFF,
            "15ff4f09010110a90000fdff0100a1196be866000062",
            nil, tolerance: 0.0),
        DescribedVector(
            "moat", 0xAABBCCDDEEFF,
            "0201060303001015160010df79e3a612b31550706354621c6fb90bffff",
            ["humidity": 48.25, "temperature": 20.64, "voltage": 3.001], tolerance: 0.0),
        DescribedVector(
            "moat", 0xAABBCCDDEEFF,
            "15160010df79e3a612b31550706354621c6fb90b0000",
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
            "nodon", 0xAABBCCDDEEFF,
            "1316000002599c37d90287a521520006635ab801",
            ["battery": 99.0], texts: ["button": "press"], tolerance: 0.0),
        DescribedVector(
            "nodon", 0xAABBCCDDEEFF,
            "1316000002599c37d90287a52152000663ee4b02",
            ["battery": 99.0], texts: ["button": "double_press"], tolerance: 0.0),
        DescribedVector(
            "nodon", 0xAABBCCDDEEFF,
            "1316000002599c37d90287a52152000663ee4b09",
            nil, tolerance: 0.0),
        DescribedVector(
            "oras", 0xAABBCCDDEEFF,
            "15ff3101006400323131313030373933350020202020",
            ["battery": 100.0], tolerance: 0.0),
        DescribedVector(
            "oras", 0xAABBCCDDEEFF,
            "15ff3101006400323131313030373933350020202021",
            nil, tolerance: 0.0),
        DescribedVector(
            "otodata", 0xAABBCCDDEEFF,
            "16ffb1034f544f54454c45020010270000366e0f000000",
            ["level": 100.0], tolerance: 0.0),
        DescribedVector(
            "otodata", 0xAABBCCDDEEFF,
            "16ffb1034f544f54454c4502006b260000366e0f000000",
            ["level": 98.35], tolerance: 0.0),
        DescribedVector(
            "otodata", 0xAABBCCDDEEFF,
            "19ffb1034f544f3332383148845603132111010400022af20304",
            nil, tolerance: 0.0),
        DescribedVector(
            "polar", 0xAABBCCDDEEFF,
            "07ff6b003b164446",
            ["heart_rate": 70.0], tolerance: 0.0),
        DescribedVector(
            "polar", 0xAABBCCDDEEFF,
            "07ff6b002f166b68",
            ["heart_rate": 104.0], tolerance: 0.0),
        DescribedVector(
            "polar", 0xAABBCCDDEEFF,
            "07ff6b007b164446",
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
            "relsib", 0xAABBCCDDEEFF,
            "040945436f191620aa84000000b20a200a15030080f04700c2eb0b010b0300",
            ["battery": 71.0, "co2": 789.0, "humidity": 25.92, "temperature": 27.38], tolerance: 0.0),
        DescribedVector(
            "relsib", 0xAABBCCDDEEFF,
            "040945436f191621aa220a75094303008045636c65726b45636f0000000000",
            ["co2": 835.0, "humidity": 24.21, "temperature": 25.94], tolerance: 0.0),
        DescribedVector(
            "relsib", 0xAABBCCDDEEFF,
            "040945436f191622aa210a7509430300804f4f4f2052656c73696200000000",
            ["co2": 835.0, "humidity": 24.21, "temperature": 25.93], tolerance: 0.0),
        DescribedVector(
            "relsib", 0xAABBCCDDEEFF,
            "040945436f191621aa220a75094303008145636c65726b45636f0000000000",
            nil, tolerance: 0.0),
        DescribedVector(
            "seelevel", 0xAABBCCDDEEFF,
            "11ff31010c464e0d31333230303030303030",
            ["problem": 0.0, "voltage": 13.2], tolerance: 0.0),
        DescribedVector(
            "seelevel", 0xAABBCCDDEEFF,
            "11ff31010c464e0120373130303030303030",
            ["level_2": 71.0, "problem": 0.0], tolerance: 0.0),
        DescribedVector(
            "seelevel", 0xAABBCCDDEEFF,
            "11ff31010c464e004f504e30303030303030",
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
            "skale", 0xAABBCCDDEEFF,
            "07ffef81d70400ff0609536b616c65",
            ["weight": 0.1239], tolerance: 0.0),
        DescribedVector(
            "skale", 0xAABBCCDDEEFF,
            "07ffef8160fcffff0609536b616c65",
            ["weight": -0.0928], tolerance: 0.0),
        DescribedVector(
            "skale", 0xAABBCCDDEEFF,
            "07ffef81d70400000609536b616c65",
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
            "xiaogui", 0x5F5A5C52D394,
            "10ffc0f706a413800002315f5a5c52d394",
            ["impedance": 499.2, "stable": 1.0, "weight": 77.111], tolerance: 0.0),
        DescribedVector(
            "xiaogui", 0x5F5A29E5E094,
            "10ffc05d008c00000002205f5a29e5e094",
            ["stable": 0.0], tolerance: 0.0),
        DescribedVector(
            "xiaogui", 0x5F5A29E5E095,
            "10ffc05d008c00000002215f5a29e5e094",
            nil, tolerance: 0.0),
        DescribedVector(
            "xoss", 0xAABBCCDDEEFF,
            "07ff04ff0161063f",
            ["battery": 97.0, "heart_rate": 63.0], tolerance: 0.0),
        DescribedVector(
            "xoss", 0xAABBCCDDEEFF,
            "07ff04ff0161073f",
            nil, tolerance: 0.0),
    ]
}
