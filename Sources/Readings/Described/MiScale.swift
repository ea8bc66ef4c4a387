// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/mi-scale.toml.

import BluetoothCore

extension SensorDefinition {
    static let miScale: SensorDefinition = {
        var definition = SensorDefinition(key: "mi-scale", name: "Xiaomi Mi Scale", forms: [])
        definition.products = "Mi Smart Scale (XMTZC01HM, XMTZC04HM), Mi Body Composition Scale"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.serviceData(0x181D), length: 10...10, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0, mask: 0xA0)), values: [1]), OctetCondition(.number(OctetNumber(offset: 3, octets: 2)), range: 1970...2099), OctetCondition(.number(OctetNumber(offset: 5)), range: 1...12), OctetCondition(.number(OctetNumber(offset: 6)), range: 1...31), OctetCondition(.number(OctetNumber(offset: 5, octets: 2)), values: [7682, 7938, 7940, 7942, 7945, 7947], isNegated: true), OctetCondition(.number(OctetNumber(offset: 7)), range: .min...23), OctetCondition(.number(OctetNumber(offset: 8)), range: .min...59), OctetCondition(.number(OctetNumber(offset: 9)), range: .min...59)]
        form.tolerance = 0
        form.isEvent = true
        form.isUnique = true
        field = FormField(.weight, .octets(OctetNumber(offset: 1, octets: 2)))
        field.factor = Field.Decimal(mantissa: 45359237, places: 10)
        field.allowed = 1 ... .max
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 0, mask: 0x11)), values: [1])]
        form.fields.append(field)
        field = FormField(.weight, .octets(OctetNumber(offset: 1, octets: 2)))
        field.factor = Field.Decimal(mantissa: 5, places: 3)
        field.allowed = 1 ... .max
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 0, mask: 0x11)), values: [1], isNegated: true)]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.serviceData(0x181B), length: 13...13, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0xA0)), values: [1]), OctetCondition(.number(OctetNumber(offset: 2, octets: 2)), range: 1970...2099), OctetCondition(.number(OctetNumber(offset: 4)), range: 1...12), OctetCondition(.number(OctetNumber(offset: 5)), range: 1...31), OctetCondition(.number(OctetNumber(offset: 4, octets: 2)), values: [7682, 7938, 7940, 7942, 7945, 7947], isNegated: true), OctetCondition(.number(OctetNumber(offset: 6)), range: .min...23), OctetCondition(.number(OctetNumber(offset: 7)), range: .min...59), OctetCondition(.number(OctetNumber(offset: 8)), range: .min...59)]
        form.tolerance = 0
        form.isEvent = true
        form.isUnique = true
        field = FormField(.weight, .octets(OctetNumber(offset: 11, octets: 2)))
        field.factor = Field.Decimal(mantissa: 45359237, places: 10)
        field.allowed = 1 ... .max
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 0, mask: 0x1)), values: [1]), OctetCondition(.number(OctetNumber(offset: 1, mask: 0x40)), values: [0])]
        form.fields.append(field)
        field = FormField(.weight, .octets(OctetNumber(offset: 11, octets: 2)))
        field.factor = Field.Decimal(mantissa: 5, places: 3)
        field.allowed = 1 ... .max
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 0, mask: 0x1)), values: [0])]
        form.fields.append(field)
        field = FormField(.weight, .octets(OctetNumber(offset: 11, octets: 2)))
        field.factor = Field.Decimal(mantissa: 5, places: 3)
        field.allowed = 1 ... .max
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 0, mask: 0x1)), values: [1]), OctetCondition(.number(OctetNumber(offset: 1, mask: 0x40)), values: [1])]
        form.fields.append(field)
        field = FormField(.impedance, .octets(OctetNumber(offset: 9, octets: 2)))
        field.unknown = [0]
        field.unknownAbove = 2999
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0x2)), values: [1])]
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
