// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/atc.toml.

import BluetoothCore

extension SensorDefinition {
    static let atc: SensorDefinition = {
        var definition = SensorDefinition(key: "atc", name: "ATC1441 and PVVX", forms: [])
        definition.products = "Xiaomi LYWSD03MMC, MHO-C401, CGG1, CGDK2, MJWSD05MMC, Tuya and others with custom firmware"
        definition.hint = "The key is set or read in the firmware's web page. BTHome is the better format of the two: its packets are numbered with 32 bits."
        var form: SensorForm
        var field: FormField
        form = SensorForm(.record, length: 8...8, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x0D)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 1, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 3)))
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 4)))
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 5, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 10...10, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x0F)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 1, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 3, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 5, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 7)))
        form.fields.append(field)
        field = FormField(.reedSwitch, .octets(OctetNumber(offset: 9, mask: 0x1)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 4...4, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x03)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 1)))
        field.factor = Field.Decimal(mantissa: 5, places: 1)
        field.add = Field.Decimal(mantissa: -40, places: 0)
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 2)))
        field.factor = Field.Decimal(mantissa: 5, places: 1)
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 3, mask: 0x7F)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 7...7, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x06)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 1, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 3, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 5)))
        form.fields.append(field)
        field = FormField(.reedSwitch, .octets(OctetNumber(offset: 6, mask: 0x1)))
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
