// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/govee.toml.

import BluetoothCore

extension SensorDefinition {
    static let govee: SensorDefinition = {
        var definition = SensorDefinition(key: "govee", name: "Govee", forms: [])
        definition.products = "H5051, H5052, H5055, H5071, H5072, H5074, H5075, H5100–H5106, H5108, H5110, H5112, H5121–H5127, H5129, H5130, H5140, H5174, H5177–H5179, H5181–H5185, H5191, H5198"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.record, length: 6...255, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x01), .init(mask: 0xFF, value: 0x00)]
        form.tolerance = 0
        field = FormField(.temperature, .octets(OctetNumber(offset: 2, octets: 3, kind: .signMagnitude, isBigEndian: true)))
        field.allowed = -400999...1000999
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 5, mask: 0x80)), values: [0])]
        field.steps = [.operation(.quotient, .number(Field.Decimal(mantissa: 1000, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 1)))]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 2, octets: 3, isBigEndian: true, mask: 0x7FFFFF)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 5, mask: 0x80)), values: [0])]
        field.steps = [.operation(.remainder, .number(Field.Decimal(mantissa: 1000, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 1)))]
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 5, mask: 0x7F)))
        field.unknownAbove = 100
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 7...255, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x02), .init(mask: 0xFF, value: 0x00)]
        form.tolerance = 1
        field = FormField(.temperature, .octets(OctetNumber(offset: 2, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.allowed = -4000...10000
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 4, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.allowed = .min...10000
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 6)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 7...255, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x03)]
        form.tolerance = 0
        field = FormField(.temperature, .octets(OctetNumber(offset: 3, octets: 3, kind: .signMagnitude, isBigEndian: true)))
        field.allowed = -400999...1000999
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 6, mask: 0x80)), values: [0])]
        field.steps = [.operation(.quotient, .number(Field.Decimal(mantissa: 1000, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 1)))]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 3, octets: 3, isBigEndian: true, mask: 0x7FFFFF)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 6, mask: 0x80)), values: [0])]
        field.steps = [.operation(.remainder, .number(Field.Decimal(mantissa: 1000, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 1)))]
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 6, mask: 0x7F)))
        field.unknownAbove = 100
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 9...255, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x04)]
        form.tolerance = 0
        field = FormField(nil, .octets(OctetNumber(offset: 3, octets: 3, kind: .signMagnitude, isBigEndian: true)))
        field.allowed = -400999...1000999
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 3, octets: 3, kind: .signMagnitude, isBigEndian: true)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 8)), values: [0])]
        field.steps = [.operation(.quotient, .number(Field.Decimal(mantissa: 1000, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 1)))]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 3, octets: 3, isBigEndian: true, mask: 0x7FFFFF)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 8)), values: [0])]
        field.steps = [.operation(.remainder, .number(Field.Decimal(mantissa: 1000, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 1)))]
        form.fields.append(field)
        field = FormField(.co2, .octets(OctetNumber(offset: 6, octets: 2, isBigEndian: true)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 8)), values: [0])]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 9...255, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x05), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0x41)]
        form.tolerance = 0
        field = FormField(.temperature, .octets(OctetNumber(offset: 3, octets: 3, kind: .signMagnitude, isBigEndian: true)))
        field.allowed = -400999...1000999
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 6, mask: 0x80)), values: [0])]
        field.steps = [.operation(.quotient, .number(Field.Decimal(mantissa: 1000, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 1)))]
        field.index = 1
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 3, octets: 3, isBigEndian: true, mask: 0x7FFFFF)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 6, mask: 0x80)), values: [0])]
        field.steps = [.operation(.remainder, .number(Field.Decimal(mantissa: 1000, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 1)))]
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 6, mask: 0x7F)))
        field.unknownAbove = 100
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 9...255, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x05), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0x82)]
        form.tolerance = 0
        field = FormField(.temperature, .octets(OctetNumber(offset: 3, octets: 3, kind: .signMagnitude, isBigEndian: true)))
        field.allowed = -400999...1000999
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 6, mask: 0x80)), values: [0])]
        field.steps = [.operation(.quotient, .number(Field.Decimal(mantissa: 1000, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 1)))]
        field.index = 2
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 6, mask: 0x7F)))
        field.unknownAbove = 100
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 8...255, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x06)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), range: .min...1)]
        form.tolerance = 0
        field = FormField(nil, .octets(OctetNumber(offset: 3)))
        field.add = Field.Decimal(mantissa: 1, places: 0)
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 4, octets: 3, kind: .signMagnitude, isBigEndian: true)))
        field.allowed = -400999...1000999
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 7, mask: 0x80)), values: [0])]
        field.steps = [.operation(.quotient, .number(Field.Decimal(mantissa: 1000, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 1)))]
        field.indexField = 0
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 4, octets: 3, isBigEndian: true, mask: 0x7FFFFF)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 7, mask: 0x80)), values: [0])]
        field.steps = [.operation(.remainder, .number(Field.Decimal(mantissa: 1000, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 1)))]
        field.indexField = 0
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 7, mask: 0x7F)))
        field.unknownAbove = 100
        field.indexField = 0
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 10...255, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x07), .init(mask: 0xFF, value: 0xEC), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x01), .init(mask: 0xFF, value: 0x01)]
        form.tolerance = 1
        field = FormField(.temperature, .octets(OctetNumber(offset: 5, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.allowed = -4000...10000
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 7, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.allowed = .min...10000
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 9)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 7...7, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x08)]
        form.tolerance = 0
        field = FormField(.temperature, .octets(OctetNumber(offset: 3, octets: 4, kind: .signMagnitude, isBigEndian: true)))
        field.allowed = -400999999...1000999999
        field.steps = [.operation(.quotient, .number(Field.Decimal(mantissa: 1000000, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 1)))]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 3, octets: 4, isBigEndian: true, mask: 0x7FFFFFFF)))
        field.steps = [.operation(.remainder, .number(Field.Decimal(mantissa: 1000000, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 1000, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 1)))]
        form.fields.append(field)
        field = FormField(.pm25, .octets(OctetNumber(offset: 3, octets: 4, isBigEndian: true, mask: 0x7FFFFFFF)))
        field.steps = [.operation(.remainder, .number(Field.Decimal(mantissa: 1000, places: 0)))]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 21...21, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x09)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 7)), values: [2])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 7), [2: "H5123"])
        field = FormField(.window, .octets(OctetNumber(offset: 10)))
        field.allowed = 1...2
        field.lookup = [1: .int(0), 2: .int(1)]
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 9)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 21...21, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x09)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 7)), values: [3])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 7), [3: "H5121"])
        field = FormField(.motion, .constant(.int(1)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 10)), values: [1])]
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 9)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 21...21, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x09)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 7)), values: [9])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 7), [9: "H5124"])
        field = FormField(.vibration, .constant(.int(1)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 10)), values: [1])]
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 9)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 21...21, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x09)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 7)), values: [13])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 7), [13: "H5130"])
        field = FormField(.button, .constant(.string("press")))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 10, mask: 0x10)), values: [1])]
        field.index = 1
        form.fields.append(field)
        field = FormField(.occupancy, .octets(OctetNumber(offset: 10, mask: 0x1)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 10)), values: [16], isNegated: true)]
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 9)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 21...21, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x09)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 7)), values: [8])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 7), [8: "H5122"])
        field = FormField(nil, .octets(OctetNumber(offset: 10)))
        field.add = Field.Decimal(mantissa: 1, places: 0)
        field.allowed = .min...0
        form.fields.append(field)
        field = FormField(.button, .constant(.string("press")))
        field.indexField = 0
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 9)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 21...21, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x09)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 7)), values: [10])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 7), [10: "H5125"])
        field = FormField(nil, .octets(OctetNumber(offset: 10)))
        field.add = Field.Decimal(mantissa: 1, places: 0)
        field.allowed = .min...5
        form.fields.append(field)
        field = FormField(.button, .constant(.string("press")))
        field.indexField = 0
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 9)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 21...21, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x09)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 7)), values: [11])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 7), [11: "H5126"])
        field = FormField(nil, .octets(OctetNumber(offset: 10)))
        field.add = Field.Decimal(mantissa: 1, places: 0)
        field.allowed = .min...1
        form.fields.append(field)
        field = FormField(.button, .constant(.string("press")))
        field.indexField = 0
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 9)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 7...7, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x0A), .init(mask: 0xFF, value: 0xEC), .init(mask: 0xFF, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0x01)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), values: [1, 2])]
        field = FormField(.occupancy, .octets(OctetNumber(offset: 5)))
        field.steps = [.operation(.exclusiveOr, .number(Field.Decimal(mantissa: 1, places: 0))), .not]
        form.fields.append(field)
        field = FormField(.motion, .octets(OctetNumber(offset: 6)))
        field.steps = [.operation(.exclusiveOr, .number(Field.Decimal(mantissa: 17, places: 0))), .not]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 16...16, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x0B), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x01), .init(mask: 0xFF, value: 0x01)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [81, 83]), OctetCondition(.number(OctetNumber(offset: 7, mask: 0x7F)), range: .min...100)]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 1), [81: "H5181", 83: "H5183"])
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknownAbove = 32767
        field.index = 1
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 19...19, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x0B), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x01), .init(mask: 0xFF, value: 0x01)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [82]), OctetCondition(.number(OctetNumber(offset: 7, mask: 0x7F)), range: .min...100)]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 1), [82: "H5182"])
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknownAbove = 32767
        field.index = 1
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 15, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknownAbove = 32767
        field.index = 2
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 22...22, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x0B), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x01), .init(mask: 0xFF, value: 0x01)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [85]), OctetCondition(.number(OctetNumber(offset: 7, mask: 0x7F)), range: .min...100)]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 1), [85: "H5185"])
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknownAbove = 32767
        field.index = 1
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 16, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknownAbove = 32767
        field.index = 2
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 22...22, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x0B), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x01), .init(mask: 0xFF, value: 0x01)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [91]), OctetCondition(.number(OctetNumber(offset: 7, mask: 0x7F)), range: .min...100)]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 1), [91: "H5191"])
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknownAbove = 32767
        field.index = 1
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 16, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [-1]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 19...19, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x0B), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x01), .init(mask: 0xFF, value: 0x01)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [84]), OctetCondition(.number(OctetNumber(offset: 7, mask: 0x7F)), range: .min...100)]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 1), [84: "H5184"])
        field = FormField(nil, .octets(OctetNumber(offset: 8, mask: 0x3)))
        field.allowed = 1...2
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 2, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 1, places: 0)))]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 8, mask: 0x3)))
        field.allowed = 1...2
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 2, places: 0)))]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknownAbove = 32767
        field.indexField = 0
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 15, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknownAbove = 32767
        field.indexField = 1
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 22...22, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x0B), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x01), .init(mask: 0xFF, value: 0x01)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [98]), OctetCondition(.number(OctetNumber(offset: 7, mask: 0x7F)), range: .min...100)]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 1), [98: "H5198"])
        field = FormField(nil, .octets(OctetNumber(offset: 8, mask: 0x3)))
        field.allowed = 1...2
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 2, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 1, places: 0)))]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 8, mask: 0x3)))
        field.allowed = 1...2
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 2, places: 0)))]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknownAbove = 32767
        field.indexField = 0
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 16, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknownAbove = 32767
        field.indexField = 1
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 22...22, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x0B), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x01), .init(mask: 0xFF, value: 0x01)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [55]), OctetCondition(.number(OctetNumber(offset: 7, mask: 0x7F)), range: .min...100)]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 1), [55: "H5055"])
        field = FormField(nil, .octets(OctetNumber(offset: 8, mask: 0xC0)))
        field.allowed = .min...2
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 2, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 1, places: 0)))]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 8, mask: 0xC0)))
        field.allowed = .min...2
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 2, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 2, places: 0)))]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknownAbove = 32767
        field.indexField = 0
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 16, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknownAbove = 32767
        field.indexField = 1
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 22...22, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x0B), .init(mask: 0xFF, value: 0x37), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0x00)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 5, mask: 0xC0)), range: .min...2), OctetCondition(.number(OctetNumber(offset: 6)), values: [6, 32, 34]), OctetCondition(.number(OctetNumber(offset: 20, octets: 2)), values: [0]), OctetCondition(.number(OctetNumber(offset: 4, octets: 3)), values: [65792], isNegated: true)]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 1), [55: "H5055"])
        field = FormField(.temperature, .octets(OctetNumber(offset: 7, octets: 2, kind: .signed)))
        field.unknown = [-1]
        field.allowed = -50...600
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 5, mask: 0xC0)), values: [0])]
        field.index = 1
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 14, octets: 2, kind: .signed)))
        field.unknown = [-1]
        field.allowed = -50...600
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 5, mask: 0xC0)), values: [0])]
        field.index = 2
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 7, octets: 2, kind: .signed)))
        field.unknown = [-1]
        field.allowed = -50...600
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 5, mask: 0xC0)), values: [1])]
        field.index = 3
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 14, octets: 2, kind: .signed)))
        field.unknown = [-1]
        field.allowed = -50...600
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 5, mask: 0xC0)), values: [1])]
        field.index = 4
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 7, octets: 2, kind: .signed)))
        field.unknown = [-1]
        field.allowed = -50...600
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 5, mask: 0xC0)), values: [2])]
        field.index = 5
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 14, octets: 2, kind: .signed)))
        field.unknown = [-1]
        field.allowed = -50...600
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 5, mask: 0xC0)), values: [2])]
        field.index = 6
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 4, mask: 0x7F)))
        field.unknownAbove = 100
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
