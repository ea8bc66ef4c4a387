// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/ruuvi.toml.

import BluetoothCore

extension SensorDefinition {
    static let ruuvi: SensorDefinition = {
        var definition = SensorDefinition(key: "ruuvi", name: "Ruuvi", forms: [])
        definition.products = "RuuviTag, RuuviTag Pro, Ruuvi Air"
        definition.hint = "Ruuvi Air sends its whole set (format E1) by extended advertising, and a part of it (format 6) to everybody. The first packet of a sample counts."
        var form: SensorForm
        var field: FormField
        form = SensorForm(.record, length: 14...14, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x03)]
        field = FormField(nil, .octets(OctetNumber(offset: 3)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.allowed = .min...99
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 2, mask: 0x7F)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 2, mask: 0x80)), values: [0])]
        field.steps = [.operation(.add, .field(0))]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 2, mask: 0x7F)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 2, mask: 0x80)), values: [1])]
        field.steps = [.operation(.add, .field(0)), .negate]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 1)))
        field.factor = Field.Decimal(mantissa: 5, places: 1)
        field.unknownAbove = 200
        form.fields.append(field)
        field = FormField(.pressure, .octets(OctetNumber(offset: 4, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 500, places: 0)
        form.fields.append(field)
        field = FormField(.accelerationX, .octets(OctetNumber(offset: 6, octets: 2, kind: .signed, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 980665, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 1000, places: 0))), .operation(.addAway, .number(Field.Decimal(mantissa: 50, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 100, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 3)))]
        form.fields.append(field)
        field = FormField(.accelerationY, .octets(OctetNumber(offset: 8, octets: 2, kind: .signed, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 980665, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 1000, places: 0))), .operation(.addAway, .number(Field.Decimal(mantissa: 50, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 100, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 3)))]
        form.fields.append(field)
        field = FormField(.accelerationZ, .octets(OctetNumber(offset: 10, octets: 2, kind: .signed, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 980665, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 1000, places: 0))), .operation(.addAway, .number(Field.Decimal(mantissa: 50, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 100, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 3)))]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 12, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 24...24, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x05)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 1, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 5, places: 3)
        field.unknown = [-32768]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 3, octets: 2, isBigEndian: true)))
        field.unknownAbove = 48000
        field.steps = [.operation(.atMost, .number(Field.Decimal(mantissa: 40000, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 25, places: 4)))]
        form.fields.append(field)
        field = FormField(.pressure, .octets(OctetNumber(offset: 5, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 500, places: 0)
        field.unknown = [65535]
        form.fields.append(field)
        field = FormField(.accelerationX, .octets(OctetNumber(offset: 7, octets: 2, kind: .signed, isBigEndian: true)))
        field.unknown = [-32768]
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 980665, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 1000, places: 0))), .operation(.addAway, .number(Field.Decimal(mantissa: 50, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 100, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 3)))]
        form.fields.append(field)
        field = FormField(.accelerationY, .octets(OctetNumber(offset: 9, octets: 2, kind: .signed, isBigEndian: true)))
        field.unknown = [-32768]
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 980665, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 1000, places: 0))), .operation(.addAway, .number(Field.Decimal(mantissa: 50, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 100, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 3)))]
        form.fields.append(field)
        field = FormField(.accelerationZ, .octets(OctetNumber(offset: 11, octets: 2, kind: .signed, isBigEndian: true)))
        field.unknown = [-32768]
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 980665, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 1000, places: 0))), .operation(.addAway, .number(Field.Decimal(mantissa: 50, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 100, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 3)))]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 13, octets: 2, isBigEndian: true, mask: 0xFFE0)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        field.add = Field.Decimal(mantissa: 16, places: 1)
        field.unknown = [2047]
        form.fields.append(field)
        field = FormField(.txPower, .octets(OctetNumber(offset: 13, octets: 2, isBigEndian: true, mask: 0x1F)))
        field.factor = Field.Decimal(mantissa: 2, places: 0)
        field.add = Field.Decimal(mantissa: -40, places: 0)
        field.unknown = [31]
        form.fields.append(field)
        field = FormField(.movementCounter, .octets(OctetNumber(offset: 15)))
        field.unknown = [255]
        form.fields.append(field)
        field = FormField(.sequence, .octets(OctetNumber(offset: 16, octets: 2, isBigEndian: true)))
        field.unknown = [65535]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 18...18, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0xC5)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 1, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 5, places: 3)
        field.unknown = [-32768]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 3, octets: 2, isBigEndian: true)))
        field.unknownAbove = 48000
        field.steps = [.operation(.atMost, .number(Field.Decimal(mantissa: 40000, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 25, places: 4)))]
        form.fields.append(field)
        field = FormField(.pressure, .octets(OctetNumber(offset: 5, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 500, places: 0)
        field.unknown = [65535]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 7, octets: 2, isBigEndian: true, mask: 0xFFE0)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        field.add = Field.Decimal(mantissa: 16, places: 1)
        field.unknown = [2047]
        form.fields.append(field)
        field = FormField(.txPower, .octets(OctetNumber(offset: 7, octets: 2, isBigEndian: true, mask: 0x1F)))
        field.factor = Field.Decimal(mantissa: 2, places: 0)
        field.add = Field.Decimal(mantissa: -40, places: 0)
        field.unknown = [31]
        form.fields.append(field)
        field = FormField(.movementCounter, .octets(OctetNumber(offset: 9)))
        field.unknown = [255]
        form.fields.append(field)
        field = FormField(.sequence, .octets(OctetNumber(offset: 10, octets: 2, isBigEndian: true)))
        field.unknown = [65535]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 17...255, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x06)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 1, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 5, places: 3)
        field.unknown = [-32768]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 3, octets: 2, isBigEndian: true)))
        field.unknownAbove = 48000
        field.steps = [.operation(.atMost, .number(Field.Decimal(mantissa: 40000, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 25, places: 4)))]
        form.fields.append(field)
        field = FormField(.pressure, .octets(OctetNumber(offset: 5, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 500, places: 0)
        field.unknown = [65535]
        form.fields.append(field)
        field = FormField(.pm25, .octets(OctetNumber(offset: 7, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [65535]
        form.fields.append(field)
        field = FormField(.co2, .octets(OctetNumber(offset: 9, octets: 2, isBigEndian: true)))
        field.unknown = [65535]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 16, mask: 0x40)))
        form.fields.append(field)
        field = FormField(.vocIndex, .octets(OctetNumber(offset: 11)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 11)), values: [255], isNegated: true)]
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 2, places: 0))), .operation(.add, .field(5))]
        form.fields.append(field)
        field = FormField(.vocIndex, .constant(.int(510)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 11)), values: [255]), OctetCondition(.number(OctetNumber(offset: 16, mask: 0x40)), values: [0])]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 16, mask: 0x80)))
        form.fields.append(field)
        field = FormField(.noxIndex, .octets(OctetNumber(offset: 12)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 12)), values: [255], isNegated: true)]
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 2, places: 0))), .operation(.add, .field(8))]
        form.fields.append(field)
        field = FormField(.noxIndex, .constant(.int(510)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 12)), values: [255]), OctetCondition(.number(OctetNumber(offset: 16, mask: 0x80)), values: [0])]
        form.fields.append(field)
        field = FormField(.illuminance, .octets(OctetNumber(offset: 13)))
        field.lookup = [0: .int(0), 1: .int(0), 2: .int(0), 3: .int(0), 4: .int(0), 5: .int(0), 6: .int(0), 7: .int(0), 8: .int(0), 9: .int(0), 10: .int(1), 11: .int(1), 12: .int(1), 13: .int(1), 14: .int(1), 15: .int(1), 16: .int(1), 17: .int(1), 18: .int(1), 19: .int(1), 20: .int(1), 21: .int(2), 22: .int(2), 23: .int(2), 24: .int(2), 25: .int(2), 26: .int(2), 27: .int(2), 28: .int(2), 29: .int(3), 30: .int(3), 31: .int(3), 32: .int(3), 33: .int(3), 34: .int(3), 35: .int(4), 36: .int(4), 37: .int(4), 38: .int(4), 39: .int(4), 40: .int(5), 41: .int(5), 42: .int(5), 43: .int(6), 44: .int(6), 45: .int(6), 46: .int(6), 47: .int(7), 48: .int(7), 49: .int(7), 50: .int(8), 51: .int(8), 52: .int(9), 53: .int(9), 54: .int(10), 55: .int(10), 56: .int(11), 57: .int(11), 58: .int(12), 59: .int(12), 60: .int(13), 61: .int(13), 62: .int(14), 63: .int(15), 64: .int(15), 65: .int(16), 66: .int(17), 67: .int(18), 68: .int(18), 69: .int(19), 70: .int(20), 71: .int(21), 72: .int(22), 73: .int(23), 74: .int(24), 75: .int(25), 76: .int(27), 77: .int(28), 78: .int(29), 79: .int(30), 80: .int(32), 81: .int(33), 82: .int(35), 83: .int(36), 84: .int(38), 85: .int(40), 86: .int(42), 87: .int(44), 88: .int(46), 89: .int(48), 90: .int(50), 91: .int(52), 92: .int(55), 93: .int(57), 94: .int(60), 95: .int(62), 96: .int(65), 97: .int(68), 98: .int(71), 99: .int(74), 100: .int(78), 101: .int(81), 102: .int(85), 103: .int(89), 104: .int(93), 105: .int(97), 106: .int(101), 107: .int(106), 108: .int(111), 109: .int(116), 110: .int(121), 111: .int(126), 112: .int(132), 113: .int(138), 114: .int(144), 115: .int(151), 116: .int(157), 117: .int(164), 118: .int(172), 119: .int(180), 120: .int(188), 121: .int(196), 122: .int(205), 123: .int(214), 124: .int(224), 125: .int(234), 126: .int(244), 127: .int(255), 128: .int(266), 129: .int(278), 130: .int(291), 131: .int(304), 132: .int(317), 133: .int(332), 134: .int(347), 135: .int(362), 136: .int(378), 137: .int(395), 138: .int(413), 139: .int(431), 140: .int(451), 141: .int(471), 142: .int(492), 143: .int(514), 144: .int(537), 145: .int(561), 146: .int(586), 147: .int(612), 148: .int(639), 149: .int(668), 150: .int(698), 151: .int(729), 152: .int(762), 153: .int(796), 154: .int(831), 155: .int(868), 156: .int(907), 157: .int(948), 158: .int(990), 159: .int(1034), 160: .int(1080), 161: .int(1129), 162: .int(1179), 163: .int(1232), 164: .int(1287), 165: .int(1344), 166: .int(1404), 167: .int(1467), 168: .int(1533), 169: .int(1601), 170: .int(1673), 171: .int(1747), 172: .int(1825), 173: .int(1907), 174: .int(1992), 175: .int(2081), 176: .int(2174), 177: .int(2271), 178: .int(2372), 179: .int(2478), 180: .int(2589), 181: .int(2704), 182: .int(2825), 183: .int(2951), 184: .int(3083), 185: .int(3221), 186: .int(3364), 187: .int(3515), 188: .int(3671), 189: .int(3835), 190: .int(4007), 191: .int(4185), 192: .int(4372), 193: .int(4567), 194: .int(4771), 195: .int(4984), 196: .int(5207), 197: .int(5439), 198: .int(5682), 199: .int(5936), 200: .int(6201), 201: .int(6477), 202: .int(6767), 203: .int(7069), 204: .int(7384), 205: .int(7714), 206: .int(8058), 207: .int(8418), 208: .int(8793), 209: .int(9186), 210: .int(9596), 211: .int(10024), 212: .int(10472), 213: .int(10939), 214: .int(11427), 215: .int(11937), 216: .int(12470), 217: .int(13027), 218: .int(13608), 219: .int(14215), 220: .int(14850), 221: .int(15513), 222: .int(16205), 223: .int(16928), 224: .int(17684), 225: .int(18473), 226: .int(19298), 227: .int(20159), 228: .int(21059), 229: .int(21999), 230: .int(22981), 231: .int(24006), 232: .int(25078), 233: .int(26197), 234: .int(27366), 235: .int(28588), 236: .int(29863), 237: .int(31196), 238: .int(32589), 239: .int(34043), 240: .int(35563), 241: .int(37150), 242: .int(38808), 243: .int(40540), 244: .int(42349), 245: .int(44239), 246: .int(46214), 247: .int(48276), 248: .int(50431), 249: .int(52682), 250: .int(55033), 251: .int(57489), 252: .int(60055), 253: .int(62735), 254: .int(65535)]
        form.fields.append(field)
        field = FormField(.sequence, .octets(OctetNumber(offset: 15)))
        form.fields.append(field)
        field = FormField(.calibrating, .octets(OctetNumber(offset: 16, mask: 0x1)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 29...255, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0xE1)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 1, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 5, places: 3)
        field.unknown = [-32768]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 3, octets: 2, isBigEndian: true)))
        field.unknownAbove = 48000
        field.steps = [.operation(.atMost, .number(Field.Decimal(mantissa: 40000, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 25, places: 4)))]
        form.fields.append(field)
        field = FormField(.pressure, .octets(OctetNumber(offset: 5, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 500, places: 0)
        field.unknown = [65535]
        form.fields.append(field)
        field = FormField(.pm1, .octets(OctetNumber(offset: 7, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [65535]
        form.fields.append(field)
        field = FormField(.pm25, .octets(OctetNumber(offset: 9, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [65535]
        form.fields.append(field)
        field = FormField(.pm4, .octets(OctetNumber(offset: 11, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [65535]
        form.fields.append(field)
        field = FormField(.pm10, .octets(OctetNumber(offset: 13, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [65535]
        form.fields.append(field)
        field = FormField(.co2, .octets(OctetNumber(offset: 15, octets: 2, isBigEndian: true)))
        field.unknown = [65535]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 28, mask: 0x40)))
        form.fields.append(field)
        field = FormField(.vocIndex, .octets(OctetNumber(offset: 17)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 17)), values: [255], isNegated: true)]
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 2, places: 0))), .operation(.add, .field(8))]
        form.fields.append(field)
        field = FormField(.vocIndex, .constant(.int(510)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 17)), values: [255]), OctetCondition(.number(OctetNumber(offset: 28, mask: 0x40)), values: [0])]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 28, mask: 0x80)))
        form.fields.append(field)
        field = FormField(.noxIndex, .octets(OctetNumber(offset: 18)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 18)), values: [255], isNegated: true)]
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 2, places: 0))), .operation(.add, .field(11))]
        form.fields.append(field)
        field = FormField(.noxIndex, .constant(.int(510)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 18)), values: [255]), OctetCondition(.number(OctetNumber(offset: 28, mask: 0x80)), values: [0])]
        form.fields.append(field)
        field = FormField(.illuminance, .octets(OctetNumber(offset: 19, octets: 3, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [16777215]
        form.fields.append(field)
        field = FormField(.sequence, .octets(OctetNumber(offset: 25, octets: 3, isBigEndian: true)))
        field.unknown = [16777215]
        form.fields.append(field)
        field = FormField(.calibrating, .octets(OctetNumber(offset: 28, mask: 0x1)))
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
