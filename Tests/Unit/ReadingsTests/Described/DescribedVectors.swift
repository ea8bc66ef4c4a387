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
            "1716e0feba82e6c7fc3414ffffbf46ec68000462bba30100",
            ["heart_rate": 104.0, "impedance": 517.2], tolerance: 0.0),
        DescribedVector(
            "amazfit-scale", 0xAABBCCDDEEFF,
            "1716e0feba82e6c7fc3414a44200000068000462bba30100",
            nil, tolerance: 0.0),
        DescribedVector(
            "amazfit-scale", 0xAABBCCDDEEFF,
            "1716e0feba82e6c7fc3414a442bf46ec68000412bba30100",
            nil, tolerance: 0.0),
        DescribedVector(
            "amphiro", 0xAABBCCDDEEFF,
            "16ffeefa0000240015000015001a0029000c194f000000",
            ["duration": 21.0, "energy": 0.12, "sequence": 36.0, "temperature": 41.0, "volume": 2.6], tolerance: 0.0),
        DescribedVector(
            "amphiro", 0xAABBCCDDEEFF,
            "16ffeefa0000240015000015001a00f9000c194f000000",
            ["duration": 21.0, "energy": 0.12, "sequence": 36.0, "volume": 2.6], tolerance: 0.0),
        DescribedVector(
            "amphiro", 0xAABBCCDDEEFF,
            "16ffeefa0000240015000015001a0029000c194f000001",
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
            "aranet", 0xAABBCCDDEEFF,
            "012cbb142dfb432c327c7710d9cf6a00006402ffff00008a",
            ["battery": 100.0, "humidity": 10.6, "sample_interval": 65535.0, "temperature": 210.75], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "aranet", 0xAABBCCDDEEFF,
            "022c861006f0ee9ef265ec0b095affff000003ffff0000ff",
            ["battery": 0.0, "radiation_duration": 1510542316.0, "radiation_rate": 65.535, "radiation_total": 1710.399214, "sample_interval": 65535.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "aranet", 0xAABBCCDDEEFF,
            "002c269a45183ff617ff7fff7f0080493003ffff000059",
            ["battery": 48.0, "co2": 32767.0, "humidity": 73.0, "sample_interval": 65535.0], texts: ["co2_status": "red"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "aranet", 0xAABBCCDDEEFF,
            "002cc1c59181f85224490000409557000303be7d000010",
            ["battery": 3.0, "co2": 73.0, "humidity": 0.0, "pressure": 2242.1, "sample_interval": 32190.0], texts: ["co2_status": "red"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "aranet", 0xAABBCCDDEEFF,
            "0321603f1adbf40bbd0af03fff7fc002000d00b8170000c9",
            ["battery": 13.0, "humidity": 70.4, "pressure": 3276.7, "radon": 2749.0, "sample_interval": 6072.0, "temperature": 818.4], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "aranet", 0xAABBCCDDEEFF,
            "002116beb51dd5d958ffffc83c9862164f00ffff0000ca",
            ["battery": 79.0, "humidity": 22.0, "pressure": 2524.0, "sample_interval": 65535.0, "temperature": 778.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "aranet", 0xAABBCCDDEEFF,
            "fe",
            nil, isRecord: true, tolerance: 0.0),
        DescribedVector(
            "atc", 0xAABBCCDDEEFF,
            "06dd120b1f64c1",
            ["battery": 100.0, "humidity": 79.47, "reed_switch": 1.0, "temperature": 48.29], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "atc", 0xAABBCCDDEEFF,
            "0346b600",
            ["battery": 0.0, "humidity": 91.0, "temperature": -5.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "atc", 0xAABBCCDDEEFF,
            "0d4e0a60099f5ce3",
            ["battery": 9.0, "humidity": 96.0, "temperature": 1997.8, "voltage": 40.796], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "atc", 0xAABBCCDDEEFF,
            "0f64950000702c6485d5",
            ["battery": 100.0, "humidity": 0.0, "reed_switch": 1.0, "temperature": -272.92, "voltage": 11.376], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "atc", 0xAABBCCDDEEFF,
            "fe",
            nil, isRecord: true, tolerance: 0.0),
        DescribedVector(
            "b-parasite", 0xAABBCCDDEEFF,
            "2151ef6aff08ffffffff3187",
            ["humidity": 99.998, "illuminance": 12679.0, "moisture": 99.998, "temperature": -2.48, "voltage": 61.29], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "b-parasite", 0xAABBCCDDEEFF,
            "10aae7e56eb400008dc6",
            ["humidity": 0.0, "moisture": 55.38, "temperature": 28.34, "voltage": 59.365], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "b-parasite", 0xAABBCCDDEEFF,
            "2066df649561e3faffff",
            ["humidity": 89.053, "moisture": 99.998, "temperature": -272.95, "voltage": 57.188], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "b-parasite", 0xAABBCCDDEEFF,
            "11c30b8658aca6666b8530d4",
            ["humidity": 64.999, "illuminance": 12500.0, "moisture": 42.0, "temperature": 22.7, "voltage": 2.95], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "b-parasite", 0xAABBCCDDEEFF,
            "fe",
            nil, isRecord: true, tolerance: 0.0),
        DescribedVector(
            "fff4", 0xAABBCCDDEEFF,
            "5a7a41c3a57ca1fa9247f76557c5d618",
            ["battery": 0.0, "battery_low": 1.0, "charging": 0.0, "temperature": 23.0, "voltage": 11.95], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "fff4", 0xAABBCCDDEEFF,
            "f53a31e88ae57cedce5551393ce4b7dc",
            ["battery": 100.0, "battery_low": 0.0, "charging": 0.0, "temperature": 23.0, "voltage": 13.4], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "fff4", 0xAABBCCDDEEFF,
            "9df7b8c6438f24c24cde905b656de559",
            ["battery": 100.0, "battery_low": 0.0, "charging": 1.0, "temperature": 14.0, "voltage": 14.59], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "fff4", 0xAABBCCDDEEFF,
            "7524e8b1677028a13c5d99da9faeb0be",
            ["battery": 50.0, "battery_low": 1.0, "charging": 0.0, "temperature": -23.0, "voltage": 12.8], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "fff4", 0xAABBCCDDEEFF,
            "8ae3d335e962561163157a6d06cfd9ee",
            [:], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "fff4", 0xAABBCCDDEEFF,
            "3627d57495cb945e11d392c800a28bfa",
            ["voltage": 12.88], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "fff4", 0xAABBCCDDEEFF,
            "7afd45c0257438c3dd5e7903a9e82366",
            ["voltage": 12.87], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "fff4", 0xAABBCCDDEEFF,
            "665aaae98cc9afc47a04c3ff6fd4a0e2",
            ["voltage": 12.79], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "fff4", 0xAABBCCDDEEFF,
            "c13fe4dfca080cff1987df23dc340217",
            ["voltage": 12.8], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "fff4", 0xAABBCCDDEEFF,
            "697ea0b5d54cf024e794772355554114",
            nil, isRecord: true, tolerance: 0.0),
        DescribedVector(
            "fff4", 0xAABBCCDDEEFF,
            "00000000000000000000000000000000",
            nil, isRecord: true, tolerance: 0.0),
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
            ["battery": 100.0], tolerance: 0.0),
        DescribedVector(
            "beewi", 0xAABBCCDDEEFF,
            "08ff0d00080d010664",
            nil, tolerance: 0.0),
        DescribedVector(
            "bluemaestro", 0xF01122334455,
            "11ff330117647df0723c04f400ed03abe898",
            ["battery": 100.0, "dewpoint": 93.9, "humidity": 23.7, "temperature": 126.8], tolerance: 1e-06),
        DescribedVector(
            "bluemaestro", 0xF01122334455,
            "11ff33011b6242682b27048903937fff7d91",
            ["battery": 98.0, "humidity": 91.5, "pressure": 3276.7, "temperature": 116.1], tolerance: 1e-06),
        DescribedVector(
            "bluemaestro", 0xAABBCCDDEEFF,
            "0dff33010de402580ad17fff0100",
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
            ["temperature": 20.0], tolerance: 0.0),
        DescribedVector(
            "blustream", 0xAABBCCDDEEFF,
            "0cff940102def902be0ff107d0",
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
            "ela", 0xAABBCCDDEEFF,
            "02010608166e2a8308f2120c",
            nil, tolerance: 0.0),
        DescribedVector(
            "eufy", 0xAABBCCDDEEFF,
            "15ffaabbccddeeffcf0000b11c0000000000620000000b0965756679205439313436",
            ["weight": 73.45], tolerance: 0.0),
        DescribedVector(
            "eufy", 0xAABBCCDDEEFF,
            "15ffaabbccddeeffcf0000b11c0000000000620000000b0965756679205439313437",
            ["weight": 73.45], tolerance: 0.0),
        DescribedVector(
            "eufy", 0xAABBCCDDEEFF,
            "16ffaabbccddeeff0000cf48c0b11c00000000000000000b0965756679205439313438",
            ["heart_rate": 72.0, "weight": 73.45], tolerance: 0.0),
        DescribedVector(
            "eufy", 0xAABBCCDDEEFF,
            "16ffaabbccddeeff0000cf0000b11c00000000000000000b0965756679205439313439",
            ["weight": 73.45], tolerance: 0.0),
        DescribedVector(
            "eufy", 0xAABBCCDDEEFF,
            "15ffaabbccddeeffcf0000b11c0000000001630000000b0965756679205439313436",
            nil, tolerance: 0.0),
        DescribedVector(
            "eufy", 0xAABBCCDDEEFF,
            "15ffaabbccddeeffcf0000b11c0000000000000000000b0965756679205439313436",
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
            "govee", 0xAABBCCDDEEFF,
            "0200d22100006402",
            ["battery": 100.0, "humidity": 0.0, "temperature": 86.58], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "0915ac9cda015d0202000200000000000000000000",
            ["battery": 0.0, "window": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "0aec0001010011",
            ["motion": 1.0, "occupancy": 0.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "0b5330af000101db0186753000000000",
            ["temperature_1": 300.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "0956489a5601c30902640100000000000000000000",
            ["battery": 100.0, "vibration": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "0b370400461b061700ffff2c01067300ffff2c010000",
            ["battery": 70.0, "temperature_1": 23.0, "temperature_2": 115.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "01000418ee6400",
            ["battery": 100.0, "humidity": 52.6, "temperature": 26.8], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "03010103590e64",
            ["battery": 100.0, "humidity": 40.6, "temperature": 21.9], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "0801010ed2e431",
            ["humidity": 70.2, "pm25": 1.0, "temperature": 24.8], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "07ec000101ee07581641",
            ["battery": 65.0, "humidity": 57.2, "temperature": 20.3], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "040000020200a70000",
            ["co2": 42752.0, "humidity": 58.4, "temperature": 13.1], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "05e135005e0000024102",
            ["battery": 0.0, "humidity": 6.4, "temperature_1": 2.4], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "050202020200010082",
            ["battery": 1.0, "temperature_2": 13.1], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "06170000000102ac",
            ["battery_1": 44.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "0600020102020100",
            ["battery_2": 0.0, "humidity_2": 58.5, "temperature_2": 13.1], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "0900145d30015a03015d0200080100010000010102",
            ["battery": 93.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "09cf0100020000035000010001002f019e02000002",
            ["battery": 0.0, "motion": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "0900000205d8020d0132010200023e010102010200",
            ["battery": 50.0, "occupancy": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "090026022b00000d0102bd0202012600b502270202",
            ["battery": 2.0, "occupancy": 1.0], texts: ["button_1": "press"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "0902009902020108003b00001063f7a65802024c01",
            ["battery": 59.0], texts: ["button_1": "press"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "09317e000102000a5d00010200021f00e700740247",
            ["battery": 0.0], texts: ["button_2": "press"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "0912a2020101010b02280195020000870202334100",
            ["battery": 40.0], texts: ["button_2": "press"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "0b52fb00000101022c3c020100460176d94600",
            ["temperature_1": 5.13, "temperature_2": 304.25], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "0b55126300010100020cc5013b520100010102028c01",
            ["temperature_2": 2.57], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "0b5b052c000101010013010002003b2c06d83501fd77",
            ["temperature": 17.52, "temperature_1": 2.56], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "0b540200000101000102b602114e0200022958",
            ["temperature_2": 0.02], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "0b621501000101020102010201010001010102380101",
            ["temperature_1": 2.58, "temperature_2": 2.57], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "0b37580c00010101327b00380100006c31a0df020202",
            ["temperature_1": 0.56, "temperature_2": 127.04], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "govee", 0xAABBCCDDEEFF,
            "fe",
            nil, isRecord: true, tolerance: 0.0),
        DescribedVector(
            "grundfos", 0xAABBCCDDEEFF,
            "16ff14f230017a03059884103e0f19070d0114ffffffff",
            ["pressure": 119.1, "temperature": 13.0, "volume_flow": 0.6452], tolerance: 0.0),
        DescribedVector(
            "grundfos", 0xAABBCCDDEEFF,
            "16ff14f231017a03059884103e0f19070d0114ffffffff",
            nil, tolerance: 0.0),
        DescribedVector(
            "hhccjcy10", 0xE558582540FC,
            "0c1650fd64000000000064b91a0c09466c6f7765722063617265",
            ["battery": 100.0, "conductivity": 47386.0, "illuminance": 0.0, "moisture": 100.0, "temperature": 0.0], tolerance: 1e-06),
        DescribedVector(
            "hhccjcy10", 0xAABBCCDDEEFF,
            "0c1650fdff006e0134a4ff005b",
            nil, tolerance: 0.0),
        DescribedVector(
            "hobo", 0xAABBCCDDEEFF,
            "17ffc5000740d54f01062402000008005231029e8708cb3d",
            ["liquid_level": 0.09914], tolerance: 0.0),
        DescribedVector(
            "hobo", 0xAABBCCDDEEFF,
            "17ffc500073fd54f010624000000080092a901a0bcd9c23d",
            ["liquid_level": 0.09514], tolerance: 0.0),
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
            ["garage_door": 0.0, "position": 0.0], tolerance: 0.0),
        DescribedVector(
            "hormann", 0xAABBCCDDEEFF,
            "14ffb407173e000000000000006722d81075f42a04",
            ["garage_door": 1.0, "position": 31.0], tolerance: 0.0),
        DescribedVector(
            "hormann", 0xAABBCCDDEEFF,
            "08ffb4072d20000014",
            nil, tolerance: 0.0),
        DescribedVector(
            "ibeacon", 0xAABBCCDDEEFF,
            "0215bb6128f5e0085634285155bdc5f3a0cd167e696714",
            ["tx_power": 20.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "ibeacon", 0xAABBCCDDEEFF,
            "0215fda50693a4e24fb1afcfc6eb07647825000100021a",
            ["voltage": 2.6], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "ibeacon", 0xAABBCCDDEEFF,
            "0215655f83caae16a10a702e31f30d58dd82f644000064",
            ["battery": 100.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "ibeacon", 0xAABBCCDDEEFF,
            "0215b5b182c7eab14988aa99b5c1517008d90001641ac5",
            ["battery": 100.0, "temperature": 26.0, "tx_power": -59.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "ibeacon", 0xAABBCCDDEEFF,
            "02153ba29cd9a42c894856badaf2606ef777114d0000cd",
            ["battery": 77.0, "tx_power": -51.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "ibeacon", 0xAABBCCDDEEFF,
            "0215ebefd08370a247c89837e7b5634df52567f857becb64",
            ["battery": 100.0, "humidity": 34.27, "temperature": 26.07, "tx_power": -53.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "ibeacon", 0xAABBCCDDEEFF,
            "0215",
            nil, isRecord: true, tolerance: 0.0),
        DescribedVector(
            "ff01", 0xAABBCCDDEEFF,
            "6a03fe7ffe7f8703fe7ffe7f7f",
            ["temperature_1": 30.8, "temperature_4": 32.4], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "ff01", 0xAABBCCDDEEFF,
            "fe7ffe7ffe7ffe7ffe7ffe7f00",
            [:], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "ff01", 0xAABBCCDDEEFF,
            "6a03fe7fffff8703fe7fff7f7f",
            nil, isRecord: true, tolerance: 0.0),
        DescribedVector(
            "ff01", 0xAABBCCDDEEFF,
            "6a03fe7ffe7f8703fe7ffe7f",
            nil, isRecord: true, tolerance: 0.0),
        DescribedVector(
            "inkbird", 0xA4E3D2108EDB,
            "0303f0ff0aff41fc5a1f01c1bc64080409747073",
            ["battery": 100.0, "humidity": 80.26, "temperature": -9.59], tolerance: 1e-06),
        DescribedVector(
            "inkbird", 0xA4C269221EF4,
            "0303f0ff0aff60f0ee0101376d00080409747073",
            ["battery": 0.0, "humidity": 4.94, "temperature": -40.0], tolerance: 1e-06),
        DescribedVector(
            "inkbird", 0xA447DC2DAB37,
            "0303f0ff0aff9b021027005a5100060409737073",
            ["battery": 0.0, "humidity": 100.0, "temperature": 6.67], tolerance: 1e-06),
        DescribedVector(
            "inkbird", 0xA4632380C6BF,
            "0303f0ff0affec0c010000e74700080409747073",
            ["battery": 0.0, "humidity": 0.01, "temperature": 33.08], tolerance: 1e-06),
        DescribedVector(
            "inkbird", 0xA419F42412B2,
            "0303f0ff0aff401f4c2200fb6c03060409737073",
            ["battery": 3.0, "humidity": 87.8, "temperature": 80.0], tolerance: 1e-06),
        DescribedVector(
            "inkbird", 0xA47E3F35354C,
            "0303f0ff13ff49248ea4d86e70fe00005a3903a1e4df084509094942532d50303242",
            ["battery": 90.0, "temperature": -40.0], tolerance: 1e-06),
        DescribedVector(
            "inkbird", 0xAABBCCDDEEFF,
            "12ff5432006200a13e29bed4011a0227026791",
            ["co2": 615.0, "humidity": 55.1, "temperature": 28.2], tolerance: 0.0),
        DescribedVector(
            "inkbird", 0xAABBCCDDEEFF,
            "0302f0ff13ff492407110098d8001302640190040000000009094954482d31312d42",
            ["battery": 100.0, "humidity": 53.1, "temperature": 21.6], tolerance: 0.0),
        DescribedVector(
            "inkbird", 0xAABBCCDDEEFF,
            "0302f0ff13ff4924071100980000ffff000190040000000009094954482d31312d42",
            nil, tolerance: 0.0),
        DescribedVector(
            "inkbird", 0xAABBCCDDEEFF,
            "0afffc07c71200c83e56060409737073",
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
            ["battery": 70.0, "battery_low": 0.0, "energy": 21.2928, "power": 2376.0], tolerance: 0.0),
        DescribedVector(
            "inode", 0xAABBCCDDEEFF,
            "0effa0826300f0cf0000c409b60080",
            ["battery": 100.0, "battery_low": 0.0, "energy": 21.2928, "power": 2376.0], tolerance: 0.0),
        DescribedVector(
            "inode", 0xAABBCCDDEEFF,
            "0eff90826300f0cf0000e843760080",
            ["battery": 60.0, "battery_low": 0.0, "volume_flow": 5.94, "water": 53232.0], tolerance: 0.0),
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
            "jaalee", 0xD2F3B4CD1E4B,
            "020a00030325f50f1625f5644b1ecdb4f3d27420591a00",
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
            "mi-band", 0xAABBCCDDEEFF,
            "1bff570100dcdde701d61acdc010c59c77fad0bf8e02aabbccddeeff0716e0feac1e0000",
            ["steps": 7852.0], tolerance: 0.0),
        DescribedVector(
            "mi-scale", 0xA4C138112233,
            "10161b180222c407030c101928b70b7696",
            ["impedance": 2999.0, "weight": 192.59], tolerance: 1e-06),
        DescribedVector(
            "mi-scale", 0xAABBCCDDEEFF,
            "0d161d1822103ae4070d0a0a0a0a",
            nil, tolerance: 0.0),
        DescribedVector(
            "mi-scale", 0xA4C138112233,
            "10161b180222c407021e101928b70b7696",
            nil, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "0a10aa0164",
            ["battery": 100.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "09109800ffff",
            ["conductivity": 65535.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "1010df02ffff",
            ["formaldehyde": 655.35], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "0d10aa01dd47e803",
            ["humidity": 100.0, "temperature": 1839.7], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "0610aa010000",
            ["humidity": 0.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "07109800ffffff",
            ["illuminance": 16777215.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "0810980064",
            ["moisture": 100.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "0410aa011201",
            ["temperature": 27.4], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "0300dd0301",
            ["motion": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "1210799d01",
            ["power_on": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "1310004457",
            ["consumable": 87.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "06480106ff",
            ["moisture_detected": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "151002005d",
            ["smoke": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "1810610c02",
            ["light": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "17100202024f0000",
            ["motion": 0.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "1848430229e4",
            ["motion": 0.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "1b10020100",
            ["motion": 0.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "191000f400",
            ["opening": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "1910a68402",
            ["left_open": 1.0, "opening": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "0700002200",
            ["opening": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "124a020201",
            ["opening": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "0c48000101",
            ["opening": 0.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "1a4a0100a3",
            ["left_open": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "0f00cf0123ddb0",
            ["motion": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "05106200b100",
            ["power_on": 1.0, "temperature": 0.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "5d6001021b",
            ["temperature": 27.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "7b48000215",
            ["moisture_detected_2": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "684a756300",
            ["moisture_detected": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "3c48014701",
            ["occupancy": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "2254004401",
            ["charging": 0.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "165a020102",
            ["occupancy": 0.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "033000020057",
            ["running": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "10000000012a",
            ["running": 0.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "002002010201bd1b30",
            ["battery": 48.0, "temperature_1": 2.58, "temperature_2": 71.01], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "0a00300140b6",
            ["body_temperature": -188.8], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "024c005450",
            ["humidity": 80.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "4e480001d7",
            ["occupancy": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "014a010102",
            ["battery_low": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "164e005c01be00000a01000001",
            ["user_index": 1.0, "weight": 1677723.5], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "166e020001000102000c000200",
            ["heart_rate": 114.0, "user_index": 1.0, "weight": 25.6], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "166e9a01000a54b70201010000",
            ["heart_rate": 156.0, "impedance": 17.3, "user_index": 0.0, "weight": 103.4], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "166e0000550000000101010100",
            ["impedance_high": 6.4, "user_index": 85.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "01106308000202",
            [:], texts: ["button": "long_press"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "01106815000201",
            [:], texts: ["button": "long_press"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "01106915000102",
            [:], texts: ["button_1": "double_press"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "0110fd0d010202",
            [:], texts: ["button_2": "double_press"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "0110e104018f00",
            [:], texts: ["dimmer": "rotate_left"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "0110b603590003",
            ["count": 0.0], texts: ["button": "long_press"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "0110b603500104",
            ["dimmer_steps": 80.0], texts: ["dimmer": "rotate_right"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "134a020001",
            [:], texts: ["button": "press"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "0e4a613a",
            [:], texts: ["button": "long_press"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "0e56173e02",
            [:], texts: ["button_2": "long_press"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "0d4e49190361",
            [:], texts: ["button_1": "double_press", "button_2": "double_press"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "0e4a685901",
            [:], texts: ["button_2": "long_press"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "0d56101c08",
            [:], texts: ["button": "long_press"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "0c4a1f02",
            [:], texts: ["button": "press"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "mibeacon", 0xAABBCCDDEEFF,
            "fefe0000",
            nil, isRecord: true, tolerance: 0.0),
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
            ["acceleration_x": 1.569, "acceleration_y": -0.157, "acceleration_z": 9.728], tolerance: 0.0),
        DescribedVector(
            "mokobeacon", 0xAABBCCDDEEFF,
            "101601ff64000000005085a000f07fe003",
            ["acceleration_x": 1.569, "acceleration_z": 9.728, "battery": 100.0], tolerance: 0.0),
        DescribedVector(
            "mokobeacon", 0xAABBCCDDEEFF,
            "101601ff64000001005085a000f0ffe003",
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
            "1316000002599c37d90287a521520006622b8104",
            ["battery": 98.0], texts: ["button": "hold_release"], tolerance: 0.0),
        DescribedVector(
            "nodon", 0xAABBCCDDEEFF,
            "1316000002599c37d90287a521520004595eb905",
            ["battery": 89.0], texts: ["button": "triple_press"], tolerance: 0.0),
        DescribedVector(
            "nodon", 0xAABBCCDDEEFF,
            "1316000002599c37d90287a52152000663ee4b09",
            nil, tolerance: 0.0),
        DescribedVector(
            "oral-b", 0xC133B48544FE,
            "0effdc0007200c03320a340406010412094f72616c2d4220546f6f74686272757368",
            ["brush_sector": 6.0, "brushing_time": 652.0, "running": 1.0], texts: ["brush_pressure": "normal", "brush_state": "running"], tolerance: 1e-06),
        DescribedVector(
            "oral-b", 0xAABBCCDDEEFF,
            "0effdc0007340c0338013c02010004",
            ["brush_sector": 1.0, "running": 1.0], texts: ["brush_pressure": "normal", "brush_state": "running"], tolerance: 0.0),
        DescribedVector(
            "oral-b", 0xAABBCCDDEEFF,
            "0effdc0009340c0338013002010004",
            nil, tolerance: 0.0),
        DescribedVector(
            "oral-b", 0xAABBCCDDEEFF,
            "0effdc0007340c4038f03002010004",
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
            ["heart_rate": 70.0, "sensor_contact": 1.0], tolerance: 0.0),
        DescribedVector(
            "polar", 0xAABBCCDDEEFF,
            "07ff6b002f166b68",
            ["heart_rate": 104.0, "sensor_contact": 1.0], tolerance: 0.0),
        DescribedVector(
            "polar", 0xAABBCCDDEEFF,
            "07ff6b0039164446",
            ["sensor_contact": 0.0], tolerance: 0.0),
        DescribedVector(
            "polar", 0xAABBCCDDEEFF,
            "07ff6b001b164446",
            nil, tolerance: 0.0),
        DescribedVector(
            "polar", 0xAABBCCDDEEFF,
            "07ff6b007b164446",
            nil, tolerance: 0.0),
        DescribedVector(
            "qingping", 0xAABBCCDDEEFF,
            "0170fe8503",
            ["humidity": 90.1, "temperature": -40.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "qingping", 0xAABBCCDDEEFF,
            "0264",
            ["battery": 100.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "qingping", 0xAABBCCDDEEFF,
            "12b4035c00",
            ["pm10": 92.0, "pm25": 948.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "qingping", 0xAABBCCDDEEFF,
            "13be1e",
            ["co2": 7870.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "qingping", 0xAABBCCDDEEFF,
            "0402",
            ["left_open": 1.0, "opening": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "qingping", 0xAABBCCDDEEFF,
            "07f82a",
            ["pressure": 1100.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "qingping", 0xAABBCCDDEEFF,
            "0900000000",
            ["illuminance": 0.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "qingping", 0xAABBCCDDEEFF,
            "0801030000",
            ["illuminance": 3.0, "motion": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "qingping", 0xAABBCCDDEEFF,
            "1101",
            ["light": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "qingping", 0xAABBCCDDEEFF,
            "150302",
            ["voc_index": 515.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "qingping", 0xAABBCCDDEEFF,
            "1903",
            ["sound_level": 3.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "qingping", 0xAABBCCDDEEFF,
            "fe",
            nil, isRecord: true, tolerance: 0.0),
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
            "13161803183a2f33000102000100010000000907",
            ["acceleration_x": 11.76798, "acceleration_y": -0.980665, "acceleration_z": 9.5124505, "humidity": 47.19921875, "temperature": 24.2265625], tolerance: 0.0),
        DescribedVector(
            "radioland", 0xAABBCCDDEEFF,
            "13161803194c3a39020001040000000901000908",
            nil, tolerance: 0.0),
        DescribedVector(
            "rapt", 0xF01122334455,
            "1aff52415054020000c29c31ecaa3a44661aee7fe171f997832046",
            ["acceleration_x": 20.065, "acceleration_y": 17.883, "acceleration_z": -16.394, "battery": 32.0, "specific_gravity": 0.9204, "temperature": 67.3], tolerance: 1e-06),
        DescribedVector(
            "rapt", 0xF01122334455,
            "1aff52415054020001c208f98e808a4476806a57d6801680a54637",
            ["acceleration_x": 13.782, "acceleration_y": -20.07, "acceleration_z": -19.982, "battery": 70.0, "gravity_rate": -0.0342, "specific_gravity": 0.986, "temperature": -16.07], tolerance: 1e-06),
        DescribedVector(
            "rapt", 0xAABBCCDDEEFF,
            "1aff52415054030001bfc0000092d34483400000100000fff05f00",
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
            "ruuvi", 0xAABBCCDDEEFF,
            "0319c447dabb3e80e1dcc180ec38",
            ["acceleration_x": 156.906, "acceleration_y": -75.668, "acceleration_z": -156.906, "humidity": 12.5, "pressure": 1059.95, "temperature": -68.71, "voltage": 60.472], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "ruuvi", 0xAABBCCDDEEFF,
            "0582af4418202cc180c1803e80efe13fad40a493d64e0da6",
            ["acceleration_x": -156.906, "acceleration_y": -156.906, "acceleration_z": 156.906, "humidity": 43.58, "movement_counter": 63.0, "pressure": 582.36, "sequence": 44352.0, "temperature": -160.405, "tx_power": -38.0, "voltage": 3.519], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "ruuvi", 0xAABBCCDDEEFF,
            "c500bf0297012f41013902020037c7d40423",
            ["humidity": 1.6575, "movement_counter": 57.0, "pressure": 503.03, "sequence": 514.0, "temperature": 0.955, "tx_power": -38.0, "voltage": 2.12], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "ruuvi", 0xAABBCCDDEEFF,
            "065760029d00005c0182011302015a0001",
            ["calibrating": 1.0, "co2": 33281.0, "humidity": 1.6725, "illuminance": 0.0, "nox_index": 4.0, "pm25": 2355.3, "pressure": 500.0, "sequence": 0.0, "temperature": 111.84, "voc_index": 38.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "ruuvi", 0xAABBCCDDEEFF,
            "e1020200fd014e3b0201370002020100020102000000020236e001021402",
            ["calibrating": 0.0, "co2": 2.0, "humidity": 0.6325, "illuminance": 0.0, "nox_index": 4.0, "pm1": 1510.6, "pm10": 51.3, "pm25": 31.1, "pm4": 0.2, "pressure": 503.34, "sequence": 14680322.0, "temperature": 2.57, "voc_index": 2.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "ruuvi", 0xAABBCCDDEEFF,
            "fe",
            nil, isRecord: true, tolerance: 0.0),
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
            "sensirion", 0xA46C3D97AC80,
            "0dffd50600084d886bd0947cffff06094d79434f32",
            ["co2": 65535.0, "humidity": 48.66, "temperature": 97.48], tolerance: 1e-06),
        DescribedVector(
            "sensirion", 0xAABBCCDDEEFF,
            "13ffd506001412340000ff7fe90264009001c800",
            ["co2": 745.0, "formaldehyde": 0.04912, "humidity": 50.0, "pm25": 6.1, "temperature": -45.0, "voc_index": 100.0], tolerance: 0.0),
        DescribedVector(
            "sensirion", 0xAABBCCDDEEFF,
            "11ffd506001812340000ff7f640001007b00",
            ["humidity": 50.0, "nox_index": 1.0, "pm25": 12.3, "temperature": -45.0, "voc_index": 100.0], tolerance: 0.0),
        DescribedVector(
            "sensirion", 0xAABBCCDDEEFF,
            "0fffd506002212340100020003000400",
            ["pm1": 0.1, "pm10": 0.4, "pm25": 0.2, "pm4": 0.3], tolerance: 0.0),
        DescribedVector(
            "sensirion", 0xAABBCCDDEEFF,
            "0dffd506000912340000ff7f6400",
            nil, tolerance: 0.0),
        DescribedVector(
            "sensorpush", 0xE516F50C71FF,
            "1107a90a09ecd79db893ba42d611000009ef05ffa50e0084020973",
            ["humidity": 100.0, "temperature": -46.85], tolerance: 1e-06),
        DescribedVector(
            "sensorpush", 0xE550F1C0CADA,
            "1107b00a09ecd79db893ba42d611000009ef06ff04468d00000b0953656e736f7250757368",
            ["humidity": 0.0, "temperature": 50.415], tolerance: 1e-06),
        DescribedVector(
            "sensorpush", 0xA4CEBB34A41C,
            "1107b00a09ecd79db893ba42d611000009ef08ff00a6e1f348d9f80b0953656e736f7250757368",
            ["humidity": 51.2275, "pressure": 1250.0, "temperature": 126.8875], tolerance: 1e-06),
        DescribedVector(
            "sensorpush", 0xC1A5EA0C7097,
            "1107b00a09ecd79db893ba42d611000009ef08ff002a911a3c00000b0953656e736f7250757368",
            ["humidity": 35.0125, "pressure": 300.0, "temperature": -39.8675], tolerance: 1e-06),
        DescribedVector(
            "sensorpush", 0xA4FE7D3D8F93,
            "1107b00a09ecd79db893ba42d611000009ef06ff08007d00000b0953656e736f7250757368",
            ["temperature": 1800.0], tolerance: 1e-06),
        DescribedVector(
            "sensorpush", 0xAABBCCDDEEFF,
            "08ff00ffffffffffff1107b00a09ecd79db893ba42d611000009ef",
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
            ["humidity": 97.92, "temperature": 21.97, "voltage": 2.951], tolerance: 0.0),
        DescribedVector(
            "smartdry", 0xAABBCCDDEEFF,
            "0fffae019bc8af4108d7c34208016808",
            nil, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "3fff3fa1000004e600000000",
            ["power": 1254.0, "power_on": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "2c272c089f11042700",
            ["battery": 39.0, "light_level": 1.0, "moving": 0.0, "position": 31.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "3eff0f000003000000000000",
            ["garage_door": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "e2205600",
            ["battery": 86.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "34641b93431218",
            ["battery": 100.0, "humidity": 24.0, "temperature": -18.3], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "3559afd00701de0000270f00",
            ["battery": 89.0, "co2": 9999.0, "humidity": 94.0, "temperature": -1.7], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "640162e04defeafb46",
            ["battery": 1.0, "left_open": 1.0, "light": 1.0, "motion": 1.0, "opening": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "783c0d275514",
            ["battery": 60.0, "moving": 0.0, "position": 85.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "f70041",
            ["battery": 65.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "c8d0db",
            ["battery": 91.0, "power_on": 0.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "e900ba18993b",
            ["battery": 58.0, "humidity": 59.0, "temperature": 25.8], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "e3c04c1970",
            ["battery": 76.0, "light_level": 7.0, "moving": 0.0, "position": 25.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "f3b037000045",
            ["battery": 55.0, "light": 0.0, "motion": 0.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "e4c05c010000000000",
            ["battery": 92.0, "left_open": 0.0, "light": 1.0, "motion": 1.0, "opening": 0.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "3d008ac10000000000460000",
            ["power_1": 0.0, "power_2": 70.0, "power_on_1": 1.0, "power_on_2": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "3b0047810000003100000000",
            ["power_on": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "3c0047810000003100000000",
            ["power": 49.0, "power_on": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "405f061405992d00000000d4000c0400",
            ["battery": 20.0, "humidity": 45.0, "light": 1.0, "motion": 1.0, "temperature": 25.5], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "7c6436e4009ca34100",
            ["battery": 100.0, "problem": 0.0, "target_temperature": 35.0, "temperature": 28.0, "window": 0.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "7e6406cc0456008c",
            ["battery": 100.0, "light_level": 12.0, "motion": 1.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "2502010a0102010001383801",
            ["humidity": 1.0, "temperature": -56.8], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "6001fb01110a54010111005900",
            ["humidity": 89.0, "motion": 0.0, "temperature": -0.1], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "5302000001",
            ["battery": 2.0, "light": 0.0, "motion": 0.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "06e402010116",
            ["battery": 1.0, "moisture_detected": 1.0, "tamper": 0.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "4a0108000151015a",
            ["power": 34.6, "power_on": 0.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "5b0001019000010164",
            ["battery": 100.0, "light_level": 0.0, "moving": 1.0, "position": 16.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "2d3c024900d1",
            ["battery": 60.0, "lock": 1.0], texts: ["lock_state": "locking_stopped"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "24000f01000000",
            ["battery": 0.0, "door": 0.0, "lock": 0.0], texts: ["lock_state": "locked"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "switchbot", 0xAABBCCDDEEFF,
            "fe",
            nil, isRecord: true, tolerance: 0.0),
        DescribedVector(
            "teltonika", 0xAABBCCDDEEFF,
            "0201061aff4c000215ffffffff0b8c404510c655aab636ebefbb700055020c094d50315f313233343536370eff9a0801b708b4120ccb0bffc767",
            ["battery_low": 0.0, "humidity": 18.0, "movement_counter": 3275.0, "moving": 0.0, "reed_switch": 0.0, "temperature": 22.28, "voltage": 3.03], tolerance: 0.0),
        DescribedVector(
            "teltonika", 0xAABBCCDDEEFF,
            "0dff9a0801b708b4120ccb0bffc7",
            ["battery_low": 0.0, "humidity": 18.0, "movement_counter": 3275.0, "moving": 0.0, "reed_switch": 0.0, "temperature": 22.28], tolerance: 0.0),
        DescribedVector(
            "teltonika", 0xAABBCCDDEEFF,
            "0fff9a0801b708b4120ccb0bffc76700",
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
            "teltonika", 0xAABBCCDDEEFF,
            "02010606166e2a860b0008095055434b5f5431",
            nil, tolerance: 0.0),
        DescribedVector(
            "thermobeacon", 0xAABBCCDDEEFF,
            "0000ed0e498fc4c1e80ae90440060f653eb2",
            ["humidity": 100.0, "temperature": 78.5625, "uptime": 2990433551.0, "voltage": 2.792], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "thermobeacon", 0xAABBCCDDEEFF,
            "aa0a0015e063",
            ["battery": 99.0, "humidity": 56.0, "temperature": 25.6], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "thermobeacon", 0xAABBCCDDEEFF,
            "fe",
            nil, isRecord: true, tolerance: 0.0),
        DescribedVector(
            "thermopro", 0xAABBCCDDEEFF,
            "18ff0072006a0a33d3b8420040ae426606ae426c54737744f8001107bd42d9fde62e55dbbad16b6f31b6fb72",
            ["temperature_1": 3.56, "temperature_17": 0.625, "temperature_18": 0.563, "temperature_2": 15.56, "voltage_1": 2.666], tolerance: 0.01),
        DescribedVector(
            "thermopro", 0xE5D317983148,
            "07ffc26f003602570d09545033393320283030303029",
            ["battery": 100.0, "humidity": 54.0, "temperature": 11.1], tolerance: 1e-06),
        DescribedVector(
            "thermopro", 0xA4009F3AA64E,
            "08ffc270fe5b0038160d09545033393320283030303029",
            ["battery": 1.0, "humidity": 91.0, "temperature": -40.0], tolerance: 1e-06),
        DescribedVector(
            "thermopro", 0xC1D5176DA5E9,
            "08ffc287016401da000d09545033393320283030303029",
            ["battery": 50.0, "humidity": 100.0, "temperature": 39.1], tolerance: 1e-06),
        DescribedVector(
            "thermopro", 0xE5A8731C7B04,
            "08ffc2d1ff0002b7ee0e0954503335385320283942324129",
            ["battery": 100.0, "humidity": 0.0, "temperature": -4.7], tolerance: 1e-06),
        DescribedVector(
            "thermopro", 0xC1034164C985,
            "07ffc2e80338008e0d09545033393320283030303029",
            ["battery": 1.0, "humidity": 56.0, "temperature": 100.0], tolerance: 1e-06),
        DescribedVector(
            "thermopro", 0xAABBCCDDEEFF,
            "08ff003a00300838001107bd42d9fde62e55dbbad16b6f31b6fb72",
            ["temperature_1": 28.0, "temperature_2": 26.0, "voltage_1": 2.096], tolerance: 0.0),
        DescribedVector(
            "thermopro", 0xAABBCCDDEEFF,
            "07ffc2e9031d022c0d09545033353720283231343229",
            ["battery": 100.0, "humidity": 29.0], tolerance: 0.0),
        DescribedVector(
            "thermopro", 0xAABBCCDDEEFF,
            "07ffc2d4001d042c0d09545033353720283231343229",
            nil, tolerance: 0.0),
        DescribedVector(
            "tilt", 0xAABBCCDDEEFF,
            "0215a495bb80c5b14b44b5121370f02d74de00d604b04d",
            ["specific_gravity": 1.2, "temperature": 101.11], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "tilt", 0xAABBCCDDEEFF,
            "38010206010801010202018202020102010e0247200202",
            ["specific_gravity": 0.8194, "temperature": 14.61], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "tilt", 0xAABBCCDDEEFF,
            "fe",
            nil, isRecord: true, tolerance: 0.0),
        DescribedVector(
            "tpms", 0x80EACADDEEFF,
            "13ff000180eacaddeefff46503007c0c00003300",
            ["battery": 51.0, "channel": 1.0, "pressure": 2227.08, "problem": 0.0, "temperature": 31.96], tolerance: 0.0),
        DescribedVector(
            "tpms", 0x82EACADDEEFF,
            "13ff000182eacaddeeff11fc0300aa0600005300",
            ["battery": 83.0, "channel": 3.0, "pressure": 2611.37, "problem": 0.0, "temperature": 17.06], tolerance: 0.0),
        DescribedVector(
            "tpms", 0x80EACADDEEFE,
            "13ff000180eacaddeefff46503007c0c00003300",
            nil, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "0389a3f800009cff0100fe7fff03",
            ["ac_current": 204.6, "ac_voltage": 327.66, "alarm_code": 0.0, "apparent_power": 1.0, "voltage": -1.0], texts: ["charger_state": "battery_safe"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "0889a307058939009693e80100007e00",
            ["ac_current": 0.0, "current_1": 0.1, "current_2": 186.0, "current_3": 0.0, "temperature": 86.0, "voltage_1": 65.37, "voltage_2": 50.14, "voltage_3": 0.01], texts: ["charger_error": "error_5", "charger_state": "equalize"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "0c42a0f913081398ba8ce3f3ffff7116",
            ["ac_input_power": 254860.0, "ac_power": -2.0, "current": 487.2, "error_code": 19.0, "state_of_charge": 44.0, "temperature": 73.0, "voltage": 150.0], texts: ["ac_input": "not_connected", "charger_state": "active"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "0c89a30066200725eb00000c0000e222",
            ["ac_input_power": -262144.0, "ac_power": 1.0, "alarm_code": 0.0, "current": 182.4, "error_code": 102.0, "state_of_charge": 69.0, "temperature": 58.0, "voltage": 110.45], texts: ["charger_state": "off"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "0589a3ffffffffffff69b09f0580faff723001",
            ["alarm_code": 4294967295.0, "cell_voltage_1": 3.65, "cell_voltage_2": 3.56, "cell_voltage_4": 3.04, "cell_voltage_6": 3.4, "error_code": 65535.0, "temperature": -39.0, "voltage": 1.14], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "0289a3ff7f573a0000ffff6fd6a24b74010d",
            ["alarm_code": 0.0, "consumed_charge": -9530.7, "current": -1526.373, "remaining_time": 1966020.0, "state_of_charge": 20.8, "voltage": 149.35], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "0a89a380cceaff7f8813317dabac400500007e",
            ["alarm_code": 44203.0, "consumed_charge": 0.0, "current": 500.0, "error_code": 128.0, "remaining_time": 3606480.0, "state_of_charge": 33.6, "temperature": 86.0], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "0a42a0800000003aff7ffe855e68b2e3ffff40",
            ["alarm_code": 157790.0, "consumed_charge": -104857.4, "error_code": 128.0, "remaining_time": 0.0, "state_of_charge": 23.6, "temperature": 24.0, "voltage": 148.48], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "0d89a308003202bfb94353fab37f",
            ["alarm_code": 47551.0, "current": 2092.286, "device_type": 8.0, "temperature": -60.0, "voltage": 5.62], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "0f89a30405cb18ffff1721881310000000",
            ["input_current": 500.0, "input_voltage": 84.71, "off_reason": 16.0, "voltage": 63.47], texts: ["charger_error": "error_5", "charger_state": "absorption"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "0f42a00506e321710b0000000020000000",
            ["current": 292.9, "input_current": 0.0, "input_voltage": 0.0, "off_reason": 32.0, "voltage": 86.75], texts: ["charger_error": "error_6", "charger_state": "float"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "0442a0f807983aff7f40000000",
            ["input_voltage": 150.0, "off_reason": 64.0], texts: ["charger_error": "error_7", "charger_state": "battery_safe"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "0942a00b0102200000029cff1d0b04000000",
            ["alarm_code": 32.0, "input_voltage": -1.0, "off_reason": 4.0, "power_on": 1.0, "voltage": 28.45, "warning_code": 512.0], texts: ["charger_error": "error_2", "charger_state": "power_supply"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "0189a302000a084a11b8525139fe01",
            ["current": 442.6, "load_current": 51.0, "power": 14673.0, "voltage": 20.58, "yield_today": 211760.0], texts: ["charger_error": "none", "charger_state": "fault"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "0289a39d79d6362000983a010000da680606",
            ["alarm_code": 32.0, "consumed_charge": -42005.8, "current": 0.0, "midpoint_voltage": 150.0, "remaining_time": 1867980.0, "state_of_charge": 9.6, "voltage": 140.38], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "0b89a30901ff7f0ff52f640100feffce42",
            ["ac_input_power": 25647.0, "ac_power": 1.0, "power": 65534.0, "voltage": 135.83, "yield_today": 171020.0], texts: ["charger_error": "error_1", "charger_state": "inverting"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "0b89a30500f40d0080847fffff0000ebe5",
            ["ac_input_power": 32644.0, "ac_power": -1.0, "current": 357.2, "power": 0.0, "voltage": 0.0, "yield_today": 588590.0], texts: ["ac_input": "not_connected", "charger_error": "none", "charger_state": "float"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "0289a3f695423a0008983a04000016f5803e",
            ["alarm_code": 2048.0, "consumed_charge": -6274.2, "current": 0.001, "remaining_time": 2303400.0, "starter_voltage": 150.0, "state_of_charge": 100.0, "voltage": 149.14], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "0d42a0f7ff3f0007799cffc8b7bf",
            ["alarm_code": 30983.0, "current": -1053.198, "device_type": -9.0, "starter_voltage": -1.0, "voltage": 0.63], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "02a0a0000059020214347f02005000010200",
            ["alarm_code": 5122.0, "consumed_charge": -13132.8, "current": 1310.72, "remaining_time": 0.0, "state_of_charge": 0.0, "temperature": 52.49, "voltage": 6.01], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "82a4a352015c00cb015b0101020f00640100",
            ["voltage": 0.92], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "82a4a300000002020302970201012e020200",
            ["temperature": 113.43, "voltage": 5.12], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "04a0a002000002002f0102017a",
            ["input_voltage": 5.12, "off_reason": 2046886401.0, "voltage": 120.32], texts: ["charger_error": "none", "charger_state": "fault"], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "0da0a088040231aba10001010102",
            ["alarm_code": 41387.0, "current": 32.832, "device_type": 1160.0, "midpoint_voltage": 2.56, "voltage": 125.46], isRecord: true, tolerance: 0.0),
        DescribedVector(
            "victron", 0xAABBCCDDEEFF,
            "fe",
            nil, isRecord: true, tolerance: 0.0),
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
            "10ffc0a34276138b0002215f5a29e5e094",
            ["impedance": 500.3, "stable": 1.0], tolerance: 0.0),
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
