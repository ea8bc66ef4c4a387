// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/mibeacon.toml.

import BluetoothCore

extension SensorDefinition {
    static let mibeacon: SensorDefinition = {
        var definition = SensorDefinition(key: "mibeacon", name: "Xiaomi MiBeacon", forms: [])
        definition.products = "Xiaomi and Qingping sensors with their own firmware: LYWSD03MMC, LYWSDCGQ, HHCCJCY01, CGG1, CGDK2, MCCGQ02HL, RTCGQ02LM, S400 and others; Linptech, PTX and Yeelight buttons, switches and remotes"
        definition.hint = "The key (32 digits, or 24 of older sensors) is in the Xiaomi account that the sensor was added to; adding it again makes another one. S400: `impedance` is that at 50 kHz, `impedance_high` that at 250 kHz. SJWS02LM: `moisture_detected` is below, `moisture_detected_2` above."
        var form: SensorForm
        var field: FormField
        form = SensorForm(.record, length: 6...6, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x04), .init(mask: 0xFF, value: 0x10)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 4, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 6...6, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x06), .init(mask: 0xFF, value: 0x10)]
        field = FormField(.humidity, .octets(OctetNumber(offset: 4, octets: 2)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [1371, 903])]
        field.steps = [.operation(.quotient, .number(Field.Decimal(mantissa: 10, places: 0)))]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 4, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [1371, 903], isNegated: true)]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 8...8, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x0D), .init(mask: 0xFF, value: 0x10)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 4, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 6, octets: 2)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [1371, 903])]
        field.steps = [.operation(.quotient, .number(Field.Decimal(mantissa: 10, places: 0)))]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 6, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [1371, 903], isNegated: true)]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0, octets: 2)), values: [4106, 18435, 19459, 20483, 21507])]
        field = FormField(.battery, .octets(OctetNumber(offset: 4)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 7...7, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x07), .init(mask: 0xFF, value: 0x10)]
        field = FormField(.light, .octets(OctetNumber(offset: 4, octets: 3)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [2443, 2038])]
        field.steps = [.operation(.exclusiveOr, .number(Field.Decimal(mantissa: 100, places: 0))), .not]
        form.fields.append(field)
        field = FormField(.illuminance, .octets(OctetNumber(offset: 4, octets: 3)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [2443, 2038], isNegated: true)]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x08), .init(mask: 0xFF, value: 0x10)]
        field = FormField(.moisture, .octets(OctetNumber(offset: 4)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 6...6, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x09), .init(mask: 0xFF, value: 0x10)]
        field = FormField(.conductivity, .octets(OctetNumber(offset: 4, octets: 2)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 6...6, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x10), .init(mask: 0xFF, value: 0x10)]
        field = FormField(.formaldehyde, .octets(OctetNumber(offset: 4, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x12), .init(mask: 0xFF, value: 0x10)]
        field = FormField(.powerOn, .octets(OctetNumber(offset: 4)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x13), .init(mask: 0xFF, value: 0x10)]
        field = FormField(.consumable, .octets(OctetNumber(offset: 4)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0, octets: 2)), values: [4116, 18438])]
        field = FormField(.moistureDetected, .octets(OctetNumber(offset: 4)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x15), .init(mask: 0xFF, value: 0x10)]
        field = FormField(.smoke, .octets(OctetNumber(offset: 4)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x18), .init(mask: 0xFF, value: 0x10)]
        field = FormField(.light, .octets(OctetNumber(offset: 4)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 8...8, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x17), .init(mask: 0xFF, value: 0x10)]
        field = FormField(.motion, .constant(.int(1)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4, octets: 4)), range: .min...30)]
        form.fields.append(field)
        field = FormField(.motion, .constant(.int(0)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4, octets: 4)), range: 31 ... .max)]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 6...6, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x18), .init(mask: 0xFF, value: 0x48)]
        field = FormField(.motion, .constant(.int(1)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4, octets: 2)), range: .min...30)]
        form.fields.append(field)
        field = FormField(.motion, .constant(.int(0)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4, octets: 2)), range: 31 ... .max)]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 4...255, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x1B), .init(mask: 0xFF, value: 0x10)]
        field = FormField(.motion, .constant(.int(0)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x19), .init(mask: 0xFF, value: 0x10)]
        field = FormField(.opening, .octets(OctetNumber(offset: 4)))
        field.lookup = [0: .int(1), 1: .int(0), 2: .int(1)]
        form.fields.append(field)
        field = FormField(.leftOpen, .octets(OctetNumber(offset: 4)))
        field.lookup = [1: .int(0), 2: .int(1)]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...255, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x07), .init(mask: 0xFF, value: 0x00)]
        field = FormField(.opening, .octets(OctetNumber(offset: 4)))
        field.lookup = [0: .int(1), 1: .int(0), 2: .int(1)]
        form.fields.append(field)
        field = FormField(.leftOpen, .octets(OctetNumber(offset: 4)))
        field.lookup = [1: .int(0), 2: .int(1)]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0, octets: 2)), values: [18436, 18962])]
        field = FormField(.opening, .octets(OctetNumber(offset: 4)))
        field.lookup = [1: .int(1), 2: .int(0)]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x0C), .init(mask: 0xFF, value: 0x48)]
        field = FormField(.opening, .octets(OctetNumber(offset: 4)))
        field.lookup = [0: .int(1), 1: .int(0)]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x1A), .init(mask: 0xFF, value: 0x4A)]
        field = FormField(.leftOpen, .constant(.int(1)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 7...7, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x0F), .init(mask: 0xFF, value: 0x00)]
        field = FormField(.motion, .constant(.int(1)))
        form.fields.append(field)
        field = FormField(.light, .constant(.int(1)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [2701, 2038]), OctetCondition(.number(OctetNumber(offset: 4, octets: 3)), range: 100 ... .max)]
        form.fields.append(field)
        field = FormField(.light, .constant(.int(0)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [2701, 2038]), OctetCondition(.number(OctetNumber(offset: 4, octets: 3)), range: .min...99)]
        form.fields.append(field)
        field = FormField(.illuminance, .octets(OctetNumber(offset: 4, octets: 3)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [2691])]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x03), .init(mask: 0xFF, value: 0x00)]
        field = FormField(.motion, .constant(.int(1)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 6...6, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x05), .init(mask: 0xFF, value: 0x10)]
        field = FormField(.powerOn, .octets(OctetNumber(offset: 4)))
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 5)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x5D), .init(mask: 0xFF, value: 0x60)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 4, kind: .signed)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x7B), .init(mask: 0xFF, value: 0x48)]
        field = FormField(.moistureDetected, .octets(OctetNumber(offset: 4)))
        field.index = 2
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x68), .init(mask: 0xFF, value: 0x4A)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [25461])]
        field = FormField(.moistureDetected, .octets(OctetNumber(offset: 4)))
        field.lookup = [0: .int(1), 1: .int(0)]
        form.fields.append(field)
        field = FormField(.moistureDetected, .octets(OctetNumber(offset: 4)))
        field.lookup = [2: .int(1), 3: .int(0)]
        field.index = 2
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x3C), .init(mask: 0xFF, value: 0x48)]
        field = FormField(.occupancy, .octets(OctetNumber(offset: 4)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 8...8, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0, octets: 2)), values: [18493, 18494])]
        field = FormField(nil, .octets(OctetNumber(offset: 4, octets: 4)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0, octets: 2)), values: [18513, 18514])]
        field = FormField(nil, .octets(OctetNumber(offset: 4)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x22), .init(mask: 0xFF, value: 0x54)]
        field = FormField(.charging, .octets(OctetNumber(offset: 4)))
        field.lookup = [0: .int(1), 1: .int(0), 2: .int(0)]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x16), .init(mask: 0xFF, value: 0x5A)]
        field = FormField(.occupancy, .octets(OctetNumber(offset: 4)))
        field.lookup = [1: .int(1), 2: .int(0)]
        form.fields.append(field)
        field = FormField(.button, .octets(OctetNumber(offset: 4)))
        field.lookup = [3: .string("double_press")]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...255, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x03), .init(mask: 0xFF, value: 0x30)]
        field = FormField(.running, .octets(OctetNumber(offset: 4)))
        field.steps = [.not]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...6, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x10), .init(mask: 0xFF, value: 0x00)]
        field = FormField(.running, .octets(OctetNumber(offset: 4)))
        field.steps = [.not]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 9...9, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x20)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 4, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.index = 1
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 6, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.index = 2
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 8)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 6...6, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x0A), .init(mask: 0xFF, value: 0x00)]
        field = FormField(.bodyTemperature, .octets(OctetNumber(offset: 4, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0, octets: 2)), values: [18434, 19458, 24594])]
        field = FormField(.humidity, .octets(OctetNumber(offset: 4)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x4E), .init(mask: 0xFF, value: 0x48)]
        field = FormField(.occupancy, .octets(OctetNumber(offset: 4)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [18051])]
        field.steps = [.operation(.exclusiveOr, .number(Field.Decimal(mantissa: 1, places: 0))), .not]
        form.fields.append(field)
        field = FormField(.occupancy, .octets(OctetNumber(offset: 4)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [18051], isNegated: true)]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0, octets: 2)), values: [18945, 19969])]
        field = FormField(.batteryLow, .octets(OctetNumber(offset: 4)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 13...13, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x16), .init(mask: 0xFF, value: 0x4E)]
        field = FormField(.userIndex, .octets(OctetNumber(offset: 4)))
        form.fields.append(field)
        field = FormField(.weight, .octets(OctetNumber(offset: 5, octets: 4)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 13...13, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x16), .init(mask: 0xFF, value: 0x6E)]
        field = FormField(.userIndex, .octets(OctetNumber(offset: 4)))
        form.fields.append(field)
        field = FormField(.weight, .octets(OctetNumber(offset: 5, octets: 2, mask: 0x7FF)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [0, 2047]
        form.fields.append(field)
        field = FormField(.heartRate, .octets(OctetNumber(offset: 5, octets: 4, mask: 0x3F800)))
        field.add = Field.Decimal(mantissa: 50, places: 0)
        field.unknown = [0, 127]
        form.fields.append(field)
        field = FormField(.impedance, .octets(OctetNumber(offset: 5, octets: 4, mask: 0xFFFC0000)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [0]
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 5, octets: 2, mask: 0x7FF)), values: [0, 2047], isNegated: true)]
        form.fields.append(field)
        field = FormField(.impedance, .octets(OctetNumber(offset: 5, octets: 4, mask: 0xFFFC0000)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [0]
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 5, octets: 2, mask: 0x7FF)), values: [0, 2047]), OctetCondition(.number(OctetNumber(offset: 5, octets: 4, mask: 0x3F800)), values: [0, 127], isNegated: true)]
        form.fields.append(field)
        field = FormField(.impedanceHigh, .octets(OctetNumber(offset: 5, octets: 4, mask: 0xFFFC0000)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [0]
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 5, octets: 2, mask: 0x7FF)), values: [0, 2047]), OctetCondition(.number(OctetNumber(offset: 5, octets: 4, mask: 0x3F800)), values: [0, 127])]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 7...7, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x01), .init(mask: 0xFF, value: 0x10)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [2701, 1983, 2455, 2147]), OctetCondition(.number(OctetNumber(offset: 6)), range: .min...2)]
        field = FormField(.button, .octets(OctetNumber(offset: 6)))
        field.lookup = [0: .string("press"), 1: .string("double_press"), 2: .string("long_press")]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 7...7, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x01), .init(mask: 0xFF, value: 0x10)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [5480]), OctetCondition(.number(OctetNumber(offset: 6)), range: .min...2), OctetCondition(.number(OctetNumber(offset: 4)), values: [0])]
        field = FormField(.button, .octets(OctetNumber(offset: 6)))
        field.lookup = [0: .string("press"), 1: .string("long_press"), 2: .string("double_press")]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 7...7, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x01), .init(mask: 0xFF, value: 0x10)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [5481]), OctetCondition(.number(OctetNumber(offset: 6)), range: .min...2), OctetCondition(.number(OctetNumber(offset: 4)), range: .min...2)]
        field = FormField(.button, .octets(OctetNumber(offset: 6)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4)), values: [0, 2])]
        field.lookup = [0: .string("press"), 1: .string("long_press"), 2: .string("double_press")]
        field.index = 1
        form.fields.append(field)
        field = FormField(.button, .octets(OctetNumber(offset: 6)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4)), values: [1, 2])]
        field.lookup = [0: .string("press"), 1: .string("long_press"), 2: .string("double_press")]
        field.index = 2
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 7...7, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x01), .init(mask: 0xFF, value: 0x10)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [3581]), OctetCondition(.number(OctetNumber(offset: 6)), range: .min...2), OctetCondition(.number(OctetNumber(offset: 4)), range: .min...6)]
        field = FormField(.button, .octets(OctetNumber(offset: 6)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4)), values: [0, 3, 5, 6])]
        field.lookup = [0: .string("press"), 1: .string("long_press"), 2: .string("double_press")]
        field.index = 1
        form.fields.append(field)
        field = FormField(.button, .octets(OctetNumber(offset: 6)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4)), values: [1, 3, 4, 6])]
        field.lookup = [0: .string("press"), 1: .string("long_press"), 2: .string("double_press")]
        field.index = 2
        form.fields.append(field)
        field = FormField(.button, .octets(OctetNumber(offset: 6)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4)), values: [2, 4, 5, 6])]
        field.lookup = [0: .string("press"), 1: .string("long_press"), 2: .string("double_press")]
        field.index = 3
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 7...7, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x01), .init(mask: 0xFF, value: 0x10)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [1249]), OctetCondition(.number(OctetNumber(offset: 4)), range: .min...1)]
        field = FormField(.dimmer, .octets(OctetNumber(offset: 4)))
        field.lookup = [0: .string("rotate_right"), 1: .string("rotate_left")]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 7...7, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x01), .init(mask: 0xFF, value: 0x10)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [950]), OctetCondition(.number(OctetNumber(offset: 6)), values: [3])]
        field = FormField(.button, .octets(OctetNumber(offset: 4)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4)), values: [0])]
        field.lookup = [0: .string("press")]
        form.fields.append(field)
        field = FormField(.button, .constant(.string("long_press")))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4)), values: [0], isNegated: true)]
        form.fields.append(field)
        field = FormField(.count, .octets(OctetNumber(offset: 5)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 7...7, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x01), .init(mask: 0xFF, value: 0x10)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [950]), OctetCondition(.number(OctetNumber(offset: 6)), values: [4])]
        field = FormField(.dimmer, .octets(OctetNumber(offset: 5, mask: 0x80)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4)), values: [0])]
        field.lookup = [0: .string("rotate_right"), 1: .string("rotate_left")]
        form.fields.append(field)
        field = FormField(.dimmer, .octets(OctetNumber(offset: 4, mask: 0x80)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4)), values: [0], isNegated: true)]
        field.lookup = [0: .string("rotate_right"), 1: .string("rotate_left")]
        form.fields.append(field)
        field = FormField(.dimmerSteps, .octets(OctetNumber(offset: 5, kind: .signed)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4)), values: [0])]
        field.steps = [.absolute]
        form.fields.append(field)
        field = FormField(.dimmerSteps, .octets(OctetNumber(offset: 4, kind: .signed)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4)), values: [0], isNegated: true)]
        field.steps = [.absolute]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x13), .init(mask: 0xFF, value: 0x4A)]
        field = FormField(.button, .octets(OctetNumber(offset: 4)))
        field.lookup = [1: .string("press")]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 4...4, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0, octets: 2)), values: [18956, 18957, 18958, 19980, 19981, 19982, 22028, 22029, 22030]), OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [14945, 15895])]
        field = FormField(.button, .octets(OctetNumber(offset: 0)))
        field.lookup = [12: .string("press"), 13: .string("double_press"), 14: .string("long_press")]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0, octets: 2)), values: [18956, 18957, 18958, 19980, 19981, 19982, 22028, 22029, 22030]), OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [14945, 15895]), OctetCondition(.number(OctetNumber(offset: 4)), range: 1...4)]
        field = FormField(nil, .octets(OctetNumber(offset: 4)))
        form.fields.append(field)
        field = FormField(.button, .octets(OctetNumber(offset: 0)))
        field.lookup = [12: .string("press"), 13: .string("double_press"), 14: .string("long_press")]
        field.indexField = 0
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0, octets: 2)), values: [18956, 18957, 18958, 19980, 19981, 19982, 22028, 22029, 22030]), OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [6473]), OctetCondition(.number(OctetNumber(offset: 4)), range: 1...3)]
        field = FormField(.button, .octets(OctetNumber(offset: 0)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4)), values: [1, 3])]
        field.lookup = [12: .string("press"), 13: .string("double_press"), 14: .string("long_press")]
        field.index = 1
        form.fields.append(field)
        field = FormField(.button, .octets(OctetNumber(offset: 0)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4)), values: [2, 3])]
        field.lookup = [12: .string("press"), 13: .string("double_press"), 14: .string("long_press")]
        field.index = 2
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0, octets: 2)), values: [18956, 18957, 18958, 19980, 19981, 19982, 22028, 22029, 22030]), OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [22888]), OctetCondition(.number(OctetNumber(offset: 4)), range: .min...1)]
        field = FormField(nil, .octets(OctetNumber(offset: 4)))
        field.add = Field.Decimal(mantissa: 1, places: 0)
        form.fields.append(field)
        field = FormField(.button, .octets(OctetNumber(offset: 0)))
        field.lookup = [12: .string("press"), 13: .string("double_press"), 14: .string("long_press")]
        field.indexField = 0
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0, octets: 2)), values: [18956, 18957, 18958, 19980, 19981, 19982, 22028, 22029, 22030]), OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [7184]), OctetCondition(.number(OctetNumber(offset: 4)), values: [1, 8, 15])]
        field = FormField(.button, .octets(OctetNumber(offset: 4)))
        field.lookup = [1: .string("press"), 8: .string("long_press"), 15: .string("double_press")]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 4...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0, octets: 2)), values: [18956, 18957, 18958, 19980, 19981, 19982, 22028, 22029, 22030]), OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), values: [14945, 15895, 6473, 22888, 7184], isNegated: true)]
        field = FormField(.button, .octets(OctetNumber(offset: 0)))
        field.lookup = [12: .string("press"), 13: .string("double_press"), 14: .string("long_press")]
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
