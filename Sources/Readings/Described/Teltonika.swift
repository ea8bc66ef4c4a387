// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/teltonika.toml.

import BluetoothCore

extension SensorDefinition {
    static let teltonika: SensorDefinition = {
        var definition = SensorDefinition(key: "teltonika", name: "Teltonika", forms: [])
        definition.products = "EYE sensor, Blue Puck T and RHT with the name PUCK_T…"
        definition.hint = "EYE: in its app, the protocol has to be Sensors, or iBeacon and Sensors."
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0x089A), length: 3...12, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x01)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 2, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0x1)), values: [1])]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 4)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0x3)), values: [3])]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 2)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0x3)), values: [2])]
        form.fields.append(field)
        field = FormField(.reedSwitch, .octets(OctetNumber(offset: 1, mask: 0x8)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0x4)), values: [1])]
        form.fields.append(field)
        field = FormField(.moving, .octets(OctetNumber(offset: 5, mask: 0x80)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0x13)), values: [19])]
        form.fields.append(field)
        field = FormField(.movementCounter, .octets(OctetNumber(offset: 5, octets: 2, isBigEndian: true, mask: 0x7FFF)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0x13)), values: [19])]
        form.fields.append(field)
        field = FormField(.moving, .octets(OctetNumber(offset: 4, mask: 0x80)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0x13)), values: [17])]
        form.fields.append(field)
        field = FormField(.movementCounter, .octets(OctetNumber(offset: 4, octets: 2, isBigEndian: true, mask: 0x7FFF)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0x13)), values: [17])]
        form.fields.append(field)
        field = FormField(.batteryLow, .octets(OctetNumber(offset: 1, mask: 0x40)))
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 2, places: 0)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0xB3)), values: [128])]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 4)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 2, places: 0)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0xB3)), values: [129])]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 3)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 2, places: 0)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0xB3)), values: [130])]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 5)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 2, places: 0)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0xB3)), values: [131])]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 4)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 2, places: 0)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0xB3)), values: [144])]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 6)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 2, places: 0)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0xB3)), values: [145])]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 5)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 2, places: 0)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0xB3)), values: [146])]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 7)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 2, places: 0)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0xB3)), values: [147])]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 5)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 2, places: 0)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0xB3)), values: [160])]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 7)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 2, places: 0)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0xB3)), values: [161])]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 6)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 2, places: 0)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0xB3)), values: [162])]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 8)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 2, places: 0)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0xB3)), values: [163])]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 7)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 2, places: 0)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0xB3)), values: [176])]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 9)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 2, places: 0)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0xB3)), values: [177])]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 8)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 2, places: 0)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0xB3)), values: [178])]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 10)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 2, places: 0)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0xB3)), values: [179])]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.serviceData(0x2A6E), length: 3...3, fields: [])
        form.companion = .serviceData(0x2A6F)
        form.localName = "PUCK_T*"
        field = FormField(.temperature, .octets(OctetNumber(offset: 0, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.allowed = -5500...12500
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 2)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.serviceData(0x2A6E), length: 2...2, fields: [])
        form.localName = "PUCK_T*"
        field = FormField(.temperature, .octets(OctetNumber(offset: 0, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.allowed = -5500...12500
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
