// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/oral-b.toml.

import BluetoothCore

extension SensorDefinition {
    static let oralB: SensorDefinition = {
        var definition = SensorDefinition(key: "oral-b", name: "Oral-B", forms: [])
        definition.products = "Oral-B Smart, Genius, iO"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0x00DC), length: 9...253, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), range: .min...8), OctetCondition(.number(OctetNumber(offset: 3)), values: [1, 2, 3, 4, 5, 6, 8, 9, 10, 113, 114, 115, 116])]
        field = FormField(.brushState, .octets(OctetNumber(offset: 3)))
        field.lookup = [1: .string("starting"), 2: .string("idle"), 3: .string("running"), 4: .string("charging"), 5: .string("set_up"), 6: .string("menu"), 8: .string("selection_menu"), 9: .string("off"), 10: .string("statistics"), 113: .string("final_test"), 114: .string("board_test"), 115: .string("sleeping"), 116: .string("transport")]
        form.fields.append(field)
        field = FormField(.running, .octets(OctetNumber(offset: 3)))
        field.steps = [.operation(.exclusiveOr, .number(Field.Decimal(mantissa: 3, places: 0))), .not]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 6)))
        field.allowed = .min...59
        form.fields.append(field)
        field = FormField(.brushingTime, .octets(OctetNumber(offset: 5)))
        field.allowed = .min...59
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 60, places: 0))), .operation(.add, .field(2))]
        form.fields.append(field)
        field = FormField(.brushPressure, .octets(OctetNumber(offset: 4, mask: 0x80)))
        field.lookup = [0: .string("normal"), 1: .string("high")]
        form.fields.append(field)
        field = FormField(.brushSector, .octets(OctetNumber(offset: 8, mask: 0x7)))
        field.unknown = [0]
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), values: [3]), OctetCondition(.number(OctetNumber(offset: 8, mask: 0x7)), values: [7], isNegated: true)]
        form.fields.append(field)
        field = FormField(.brushSector, .octets(OctetNumber(offset: 10, mask: 0x7)))
        field.unknown = [0]
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), values: [3]), OctetCondition(.number(OctetNumber(offset: 8, mask: 0x7)), values: [7]), OctetCondition(.length, range: 11...253)]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.manufacturer(0x00DC), length: 9...253, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), range: .min...8), OctetCondition(.number(OctetNumber(offset: 5)), range: .min...59), OctetCondition(.number(OctetNumber(offset: 6)), range: .min...59)]
        field = FormField(.brushState, .octets(OctetNumber(offset: 3)))
        field.lookup = [1: .string("starting"), 2: .string("idle"), 3: .string("running"), 4: .string("charging"), 5: .string("set_up"), 6: .string("menu"), 8: .string("selection_menu"), 9: .string("off"), 10: .string("statistics"), 113: .string("final_test"), 114: .string("board_test"), 115: .string("sleeping"), 116: .string("transport")]
        form.fields.append(field)
        field = FormField(.running, .octets(OctetNumber(offset: 3)))
        field.steps = [.operation(.exclusiveOr, .number(Field.Decimal(mantissa: 3, places: 0))), .not]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 6)))
        field.allowed = .min...59
        form.fields.append(field)
        field = FormField(.brushingTime, .octets(OctetNumber(offset: 5)))
        field.allowed = .min...59
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 60, places: 0))), .operation(.add, .field(2))]
        form.fields.append(field)
        field = FormField(.brushPressure, .octets(OctetNumber(offset: 4, mask: 0x80)))
        field.lookup = [0: .string("normal"), 1: .string("high")]
        form.fields.append(field)
        field = FormField(.brushSector, .octets(OctetNumber(offset: 8, mask: 0x7)))
        field.unknown = [0]
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), values: [3]), OctetCondition(.number(OctetNumber(offset: 8, mask: 0x7)), values: [7], isNegated: true)]
        form.fields.append(field)
        field = FormField(.brushSector, .octets(OctetNumber(offset: 10, mask: 0x7)))
        field.unknown = [0]
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), values: [3]), OctetCondition(.number(OctetNumber(offset: 8, mask: 0x7)), values: [7]), OctetCondition(.length, range: 11...253)]
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
