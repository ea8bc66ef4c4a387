// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/victron.toml.

import BluetoothCore

extension SensorDefinition {
    static let victron: SensorDefinition = {
        var definition = SensorDefinition(key: "victron", name: "Victron", forms: [])
        definition.products = "SmartSolar and BlueSolar MPPT, SmartShunt, BMV-712, Smart Battery Sense, Phoenix inverters and chargers, Orion Smart and XS, Smart BatteryProtect, Smart Lithium, Lynx Smart BMS, Multi RS, VE.Bus Smart dongle"
        definition.hint = "VictronConnect: product info, switch on “Instant readout via Bluetooth”, then “Show” has the key."
        var form: SensorForm
        var field: FormField
        form = SensorForm(.record, length: 15...19, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x01)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 244, 245, 246, 247, 248, 249, 252, 255])]
        form.tolerance = 0
        field = FormField(.chargerState, .octets(OctetNumber(offset: 3)))
        field.lookup = [0: .string("off"), 1: .string("low_power"), 2: .string("fault"), 3: .string("bulk"), 4: .string("absorption"), 5: .string("float"), 6: .string("storage"), 7: .string("equalize"), 8: .string("pass_through"), 9: .string("inverting"), 10: .string("assisting"), 11: .string("power_supply"), 244: .string("sustain"), 245: .string("starting_up"), 246: .string("repeated_absorption"), 247: .string("recondition"), 248: .string("battery_safe"), 249: .string("active"), 252: .string("external_control")]
        form.fields.append(field)
        field = FormField(.chargerError, .octets(OctetNumber(offset: 4)))
        field.unknown = [255]
        field.lookup = [0: .string("none")]
        field.otherwise = "error_#"
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 5, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [32767]
        field.allowed = -100...15000
        form.fields.append(field)
        field = FormField(.current, .octets(OctetNumber(offset: 7, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [32767]
        field.allowed = -5000...5000
        form.fields.append(field)
        field = FormField(.yieldToday, .octets(OctetNumber(offset: 9, octets: 2)))
        field.factor = Field.Decimal(mantissa: 10, places: 0)
        field.unknown = [65535]
        form.fields.append(field)
        field = FormField(.power, .octets(OctetNumber(offset: 11, octets: 2)))
        field.unknown = [65535]
        form.fields.append(field)
        field = FormField(.loadCurrent, .octets(OctetNumber(offset: 13, octets: 2, mask: 0x1FF)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [511]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 18...19, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x02)]
        form.tolerance = 0
        field = FormField(.remainingTime, .octets(OctetNumber(offset: 3, octets: 2)))
        field.factor = Field.Decimal(mantissa: 60, places: 0)
        field.unknown = [65535]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 5, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [32767]
        field.allowed = -100...15000
        form.fields.append(field)
        field = FormField(.alarmCode, .octets(OctetNumber(offset: 7, octets: 2)))
        form.fields.append(field)
        field = FormField(.starterVoltage, .octets(OctetNumber(offset: 9, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [32767]
        field.allowed = -100...15000
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 11, mask: 0x3)), values: [0])]
        form.fields.append(field)
        field = FormField(.midpointVoltage, .octets(OctetNumber(offset: 9, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [65535]
        field.allowed = -100...15000
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 11, mask: 0x3)), values: [1])]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 9, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: -27315, places: 2)
        field.unknown = [65535]
        field.allowed = 21315...42315
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 11, mask: 0x3)), values: [2])]
        form.fields.append(field)
        field = FormField(.current, .octets(OctetNumber(offset: 11, octets: 3, kind: .signed, mask: 0xFFFFFC)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        field.unknown = [2097151, -1]
        form.fields.append(field)
        field = FormField(.consumedCharge, .octets(OctetNumber(offset: 14, octets: 3, mask: 0xFFFFF)))
        field.factor = Field.Decimal(mantissa: -1, places: 1)
        field.unknown = [1048575]
        form.fields.append(field)
        field = FormField(.stateOfCharge, .octets(OctetNumber(offset: 16, octets: 2, mask: 0x3FF0)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [1023]
        field.allowed = .min...1000
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 18...19, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x82)]
        form.tolerance = 0
        field = FormField(.voltage, .octets(OctetNumber(offset: 5, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [32767]
        field.allowed = -100...15000
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 9, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [32767]
        field.allowed = -100...15000
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 11, mask: 0x3)), values: [0])]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 9, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [65535]
        field.allowed = -100...15000
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 11, mask: 0x3)), values: [1])]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 9, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: -27315, places: 2)
        field.unknown = [65535]
        field.allowed = 21315...42315
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 11, mask: 0x3)), values: [2])]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 16, octets: 2, mask: 0x3FF0)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [1023]
        field.allowed = .min...1000
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 14...19, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x03)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 244, 245, 246, 247, 248, 249, 252, 255])]
        form.tolerance = 0
        field = FormField(.chargerState, .octets(OctetNumber(offset: 3)))
        field.lookup = [0: .string("off"), 1: .string("low_power"), 2: .string("fault"), 3: .string("bulk"), 4: .string("absorption"), 5: .string("float"), 6: .string("storage"), 7: .string("equalize"), 8: .string("pass_through"), 9: .string("inverting"), 10: .string("assisting"), 11: .string("power_supply"), 244: .string("sustain"), 245: .string("starting_up"), 246: .string("repeated_absorption"), 247: .string("recondition"), 248: .string("battery_safe"), 249: .string("active"), 252: .string("external_control")]
        form.fields.append(field)
        field = FormField(.alarmCode, .octets(OctetNumber(offset: 4, octets: 2)))
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 6, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [32767]
        field.allowed = -100...15000
        form.fields.append(field)
        field = FormField(.apparentPower, .octets(OctetNumber(offset: 8, octets: 2)))
        field.unknown = [65535]
        form.fields.append(field)
        field = FormField(.acVoltage, .octets(OctetNumber(offset: 10, octets: 2, mask: 0x7FFF)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [32767]
        form.fields.append(field)
        field = FormField(.acCurrent, .octets(OctetNumber(offset: 11, octets: 3, mask: 0x3FF80)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [2047]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 13...19, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x04)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 244, 245, 246, 247, 248, 249, 252, 255])]
        form.tolerance = 0
        field = FormField(.chargerState, .octets(OctetNumber(offset: 3)))
        field.lookup = [0: .string("off"), 1: .string("low_power"), 2: .string("fault"), 3: .string("bulk"), 4: .string("absorption"), 5: .string("float"), 6: .string("storage"), 7: .string("equalize"), 8: .string("pass_through"), 9: .string("inverting"), 10: .string("assisting"), 11: .string("power_supply"), 244: .string("sustain"), 245: .string("starting_up"), 246: .string("repeated_absorption"), 247: .string("recondition"), 248: .string("battery_safe"), 249: .string("active"), 252: .string("external_control")]
        form.fields.append(field)
        field = FormField(.chargerError, .octets(OctetNumber(offset: 4)))
        field.unknown = [255]
        field.lookup = [0: .string("none")]
        field.otherwise = "error_#"
        form.fields.append(field)
        field = FormField(.inputVoltage, .octets(OctetNumber(offset: 5, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [65535]
        field.allowed = -100...15000
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 7, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [32767]
        field.allowed = -100...15000
        form.fields.append(field)
        field = FormField(.offReason, .octets(OctetNumber(offset: 9, octets: 4)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 19...19, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x05)]
        form.tolerance = 0
        field = FormField(.alarmCode, .octets(OctetNumber(offset: 3, octets: 4)))
        form.fields.append(field)
        field = FormField(.errorCode, .octets(OctetNumber(offset: 7, octets: 2)))
        form.fields.append(field)
        field = FormField(.cellVoltage, .octets(OctetNumber(offset: 9, mask: 0x7F)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 26, places: 1)
        field.unknown = [0, 126, 127]
        field.index = 1
        form.fields.append(field)
        field = FormField(.cellVoltage, .octets(OctetNumber(offset: 9, octets: 2, mask: 0x3F80)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 26, places: 1)
        field.unknown = [0, 126, 127]
        field.index = 2
        form.fields.append(field)
        field = FormField(.cellVoltage, .octets(OctetNumber(offset: 10, octets: 2, mask: 0x1FC0)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 26, places: 1)
        field.unknown = [0, 126, 127]
        field.index = 3
        form.fields.append(field)
        field = FormField(.cellVoltage, .octets(OctetNumber(offset: 11, octets: 2, mask: 0xFE0)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 26, places: 1)
        field.unknown = [0, 126, 127]
        field.index = 4
        form.fields.append(field)
        field = FormField(.cellVoltage, .octets(OctetNumber(offset: 12, octets: 2, mask: 0x7F0)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 26, places: 1)
        field.unknown = [0, 126, 127]
        field.index = 5
        form.fields.append(field)
        field = FormField(.cellVoltage, .octets(OctetNumber(offset: 13, octets: 2, mask: 0x3F8)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 26, places: 1)
        field.unknown = [0, 126, 127]
        field.index = 6
        form.fields.append(field)
        field = FormField(.cellVoltage, .octets(OctetNumber(offset: 14, octets: 2, mask: 0x1FC)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 26, places: 1)
        field.unknown = [0, 126, 127]
        field.index = 7
        form.fields.append(field)
        field = FormField(.cellVoltage, .octets(OctetNumber(offset: 15, mask: 0xFE)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 26, places: 1)
        field.unknown = [0, 126, 127]
        field.index = 8
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 16, octets: 2, mask: 0xFFF)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [4095]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 18, mask: 0x7F)))
        field.add = Field.Decimal(mantissa: -40, places: 0)
        field.unknown = [127]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 16...19, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x08)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 244, 245, 246, 247, 248, 249, 252, 255])]
        form.tolerance = 0
        field = FormField(.chargerState, .octets(OctetNumber(offset: 3)))
        field.lookup = [0: .string("off"), 1: .string("low_power"), 2: .string("fault"), 3: .string("bulk"), 4: .string("absorption"), 5: .string("float"), 6: .string("storage"), 7: .string("equalize"), 8: .string("pass_through"), 9: .string("inverting"), 10: .string("assisting"), 11: .string("power_supply"), 244: .string("sustain"), 245: .string("starting_up"), 246: .string("repeated_absorption"), 247: .string("recondition"), 248: .string("battery_safe"), 249: .string("active"), 252: .string("external_control")]
        form.fields.append(field)
        field = FormField(.chargerError, .octets(OctetNumber(offset: 4)))
        field.unknown = [255]
        field.lookup = [0: .string("none")]
        field.otherwise = "error_#"
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 5, octets: 2, mask: 0x1FFF)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [8191]
        field.index = 1
        form.fields.append(field)
        field = FormField(.current, .octets(OctetNumber(offset: 6, octets: 2, mask: 0xFFE0)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [2047]
        field.index = 1
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 8, octets: 2, mask: 0x1FFF)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [8191]
        field.index = 2
        form.fields.append(field)
        field = FormField(.current, .octets(OctetNumber(offset: 9, octets: 2, mask: 0xFFE0)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [2047]
        field.index = 2
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 11, octets: 2, mask: 0x1FFF)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [8191]
        field.index = 3
        form.fields.append(field)
        field = FormField(.current, .octets(OctetNumber(offset: 12, octets: 2, mask: 0xFFE0)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [2047]
        field.index = 3
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 14, mask: 0x7F)))
        field.add = Field.Decimal(mantissa: -40, places: 0)
        field.unknown = [127]
        form.fields.append(field)
        field = FormField(.acCurrent, .octets(OctetNumber(offset: 14, octets: 2, mask: 0xFF80)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [511]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 18...19, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x09)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 244, 245, 246, 247, 248, 249, 252, 255]), OctetCondition(.number(OctetNumber(offset: 4)), values: [0, 1, 4, 255])]
        form.tolerance = 0
        field = FormField(.chargerState, .octets(OctetNumber(offset: 3)))
        field.lookup = [0: .string("off"), 1: .string("low_power"), 2: .string("fault"), 3: .string("bulk"), 4: .string("absorption"), 5: .string("float"), 6: .string("storage"), 7: .string("equalize"), 8: .string("pass_through"), 9: .string("inverting"), 10: .string("assisting"), 11: .string("power_supply"), 244: .string("sustain"), 245: .string("starting_up"), 246: .string("repeated_absorption"), 247: .string("recondition"), 248: .string("battery_safe"), 249: .string("active"), 252: .string("external_control")]
        form.fields.append(field)
        field = FormField(.powerOn, .octets(OctetNumber(offset: 4)))
        field.lookup = [0: .int(0), 1: .int(1), 4: .int(0)]
        form.fields.append(field)
        field = FormField(.chargerError, .octets(OctetNumber(offset: 5)))
        field.unknown = [255]
        field.lookup = [0: .string("none")]
        field.otherwise = "error_#"
        form.fields.append(field)
        field = FormField(.alarmCode, .octets(OctetNumber(offset: 6, octets: 2)))
        form.fields.append(field)
        field = FormField(.warningCode, .octets(OctetNumber(offset: 8, octets: 2)))
        form.fields.append(field)
        field = FormField(.inputVoltage, .octets(OctetNumber(offset: 10, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [32767]
        field.allowed = -100...15000
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 12, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [65535]
        field.allowed = -100...15000
        form.fields.append(field)
        field = FormField(.offReason, .octets(OctetNumber(offset: 14, octets: 4)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 19...19, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x0A)]
        form.tolerance = 0
        field = FormField(.errorCode, .octets(OctetNumber(offset: 3)))
        form.fields.append(field)
        field = FormField(.remainingTime, .octets(OctetNumber(offset: 4, octets: 2)))
        field.factor = Field.Decimal(mantissa: 60, places: 0)
        field.unknown = [65535]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 6, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [32767]
        field.allowed = -100...15000
        form.fields.append(field)
        field = FormField(.current, .octets(OctetNumber(offset: 8, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [32767]
        field.allowed = -20000...20000
        form.fields.append(field)
        field = FormField(.alarmCode, .octets(OctetNumber(offset: 12, octets: 3, mask: 0x3FFFF)))
        form.fields.append(field)
        field = FormField(.stateOfCharge, .octets(OctetNumber(offset: 14, octets: 2, mask: 0xFFC)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [1023]
        field.allowed = .min...1000
        form.fields.append(field)
        field = FormField(.consumedCharge, .octets(OctetNumber(offset: 15, octets: 3, mask: 0xFFFFF0)))
        field.factor = Field.Decimal(mantissa: -1, places: 1)
        field.unknown = [1048575]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 18, mask: 0x7F)))
        field.add = Field.Decimal(mantissa: -40, places: 0)
        field.unknown = [127]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 17...19, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x0B)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 244, 245, 246, 247, 248, 249, 252, 255])]
        form.tolerance = 0
        field = FormField(.chargerState, .octets(OctetNumber(offset: 3)))
        field.lookup = [0: .string("off"), 1: .string("low_power"), 2: .string("fault"), 3: .string("bulk"), 4: .string("absorption"), 5: .string("float"), 6: .string("storage"), 7: .string("equalize"), 8: .string("pass_through"), 9: .string("inverting"), 10: .string("assisting"), 11: .string("power_supply"), 244: .string("sustain"), 245: .string("starting_up"), 246: .string("repeated_absorption"), 247: .string("recondition"), 248: .string("battery_safe"), 249: .string("active"), 252: .string("external_control")]
        form.fields.append(field)
        field = FormField(.chargerError, .octets(OctetNumber(offset: 4)))
        field.unknown = [255]
        field.lookup = [0: .string("none")]
        field.otherwise = "error_#"
        form.fields.append(field)
        field = FormField(.current, .octets(OctetNumber(offset: 5, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [32767]
        field.allowed = -5000...5000
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 7, octets: 2, mask: 0x3FFF)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [16383]
        field.allowed = -100...15000
        form.fields.append(field)
        field = FormField(.acInput, .octets(OctetNumber(offset: 8, mask: 0xC0)))
        field.lookup = [0: .string("ac_in_1"), 1: .string("ac_in_2"), 2: .string("not_connected")]
        form.fields.append(field)
        field = FormField(.acInputPower, .octets(OctetNumber(offset: 9, octets: 2, kind: .signed)))
        field.unknown = [32767]
        form.fields.append(field)
        field = FormField(.acPower, .octets(OctetNumber(offset: 11, octets: 2, kind: .signed)))
        field.unknown = [32767]
        form.fields.append(field)
        field = FormField(.power, .octets(OctetNumber(offset: 13, octets: 2)))
        field.unknown = [65535]
        form.fields.append(field)
        field = FormField(.yieldToday, .octets(OctetNumber(offset: 15, octets: 2)))
        field.factor = Field.Decimal(mantissa: 10, places: 0)
        field.unknown = [65535]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 16...19, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x0C)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 244, 245, 246, 247, 248, 249, 252, 255])]
        form.tolerance = 0
        field = FormField(.chargerState, .octets(OctetNumber(offset: 3)))
        field.lookup = [0: .string("off"), 1: .string("low_power"), 2: .string("fault"), 3: .string("bulk"), 4: .string("absorption"), 5: .string("float"), 6: .string("storage"), 7: .string("equalize"), 8: .string("pass_through"), 9: .string("inverting"), 10: .string("assisting"), 11: .string("power_supply"), 244: .string("sustain"), 245: .string("starting_up"), 246: .string("repeated_absorption"), 247: .string("recondition"), 248: .string("battery_safe"), 249: .string("active"), 252: .string("external_control")]
        form.fields.append(field)
        field = FormField(.errorCode, .octets(OctetNumber(offset: 4)))
        field.unknown = [255]
        form.fields.append(field)
        field = FormField(.current, .octets(OctetNumber(offset: 5, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [32767]
        field.allowed = -20000...20000
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 7, octets: 2, mask: 0x3FFF)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [16383]
        field.allowed = -100...15000
        form.fields.append(field)
        field = FormField(.acInput, .octets(OctetNumber(offset: 8, mask: 0xC0)))
        field.lookup = [0: .string("ac_in_1"), 1: .string("ac_in_2"), 2: .string("not_connected")]
        form.fields.append(field)
        field = FormField(.acInputPower, .octets(OctetNumber(offset: 9, octets: 3, kind: .signed, mask: 0x7FFFF)))
        field.unknown = [262143]
        form.fields.append(field)
        field = FormField(.acPower, .octets(OctetNumber(offset: 11, octets: 3, kind: .signed, mask: 0x3FFFF8)))
        field.unknown = [262143]
        form.fields.append(field)
        field = FormField(.alarmCode, .octets(OctetNumber(offset: 13, mask: 0xC0)))
        field.unknown = [3]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 14, mask: 0x7F)))
        field.add = Field.Decimal(mantissa: -40, places: 0)
        field.unknown = [127]
        form.fields.append(field)
        field = FormField(.stateOfCharge, .octets(OctetNumber(offset: 14, octets: 2, mask: 0x3F80)))
        field.unknown = [127]
        field.allowed = .min...100
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 14...19, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x0D)]
        form.tolerance = 0
        field = FormField(.deviceType, .octets(OctetNumber(offset: 3, octets: 2, kind: .signed)))
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 5, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [32767]
        field.allowed = -100...15000
        form.fields.append(field)
        field = FormField(.alarmCode, .octets(OctetNumber(offset: 7, octets: 2)))
        form.fields.append(field)
        field = FormField(.starterVoltage, .octets(OctetNumber(offset: 9, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [32767]
        field.allowed = -100...15000
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 11, mask: 0x3)), values: [0])]
        form.fields.append(field)
        field = FormField(.midpointVoltage, .octets(OctetNumber(offset: 9, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [65535]
        field.allowed = -100...15000
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 11, mask: 0x3)), values: [1])]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 9, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: -27315, places: 2)
        field.unknown = [65535]
        field.allowed = 21315...42315
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 11, mask: 0x3)), values: [2])]
        form.fields.append(field)
        field = FormField(.current, .octets(OctetNumber(offset: 11, octets: 3, kind: .signed, mask: 0xFFFFFC)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        field.unknown = [2097151, -1]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 17...19, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x0F)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 244, 245, 246, 247, 248, 249, 252, 255])]
        form.tolerance = 0
        field = FormField(.chargerState, .octets(OctetNumber(offset: 3)))
        field.lookup = [0: .string("off"), 1: .string("low_power"), 2: .string("fault"), 3: .string("bulk"), 4: .string("absorption"), 5: .string("float"), 6: .string("storage"), 7: .string("equalize"), 8: .string("pass_through"), 9: .string("inverting"), 10: .string("assisting"), 11: .string("power_supply"), 244: .string("sustain"), 245: .string("starting_up"), 246: .string("repeated_absorption"), 247: .string("recondition"), 248: .string("battery_safe"), 249: .string("active"), 252: .string("external_control")]
        form.fields.append(field)
        field = FormField(.chargerError, .octets(OctetNumber(offset: 4)))
        field.unknown = [255]
        field.lookup = [0: .string("none")]
        field.otherwise = "error_#"
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 5, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [65535]
        field.allowed = -100...15000
        form.fields.append(field)
        field = FormField(.current, .octets(OctetNumber(offset: 7, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [65535]
        field.allowed = -5000...5000
        form.fields.append(field)
        field = FormField(.inputVoltage, .octets(OctetNumber(offset: 9, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [65535]
        field.allowed = -100...15000
        form.fields.append(field)
        field = FormField(.inputCurrent, .octets(OctetNumber(offset: 11, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [65535]
        field.allowed = -5000...5000
        form.fields.append(field)
        field = FormField(.offReason, .octets(OctetNumber(offset: 13, octets: 4)))
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
