// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/switchbot.toml.

import BluetoothCore

extension SensorDefinition {
    static let switchbot: SensorDefinition = {
        var definition = SensorDefinition(key: "switchbot", name: "SwitchBot", forms: [])
        definition.products = "Meter, Meter Plus, Outdoor Meter, Meter Pro, Meter Pro CO2, Hub 2, Hub 3, Hub Mini Matter, Climate Panel, Contact Sensor, Motion Sensor, Leak Detector, Plug Mini, Relay Switch 1, 1PM and 2PM, Curtain, Blind Tilt, Roller Shade, Bot, Lock, Lock Lite, Lock Pro, Lock Pro WiFi, Lock Ultra, Lock Vision, Lock Vision Pro, Garage Door Opener, Remote, Presence Sensor, Weather Station, Smart Radiator Thermostat"
        definition.hint = "`position` of a Curtain or a Roller Shade is 0 % where the maker's app says open. A Blind Tilt is open at 50 %, and closed at 0 % and 100 %."
        var form: SensorForm
        var field: FormField
        form = SensorForm(.record, length: 7...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [84, 116, 20, 105, 73, 119, 87, 52, 95])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [20: "Meter Pro", 52: "Meter Pro", 73: "Meter Plus", 84: "Meter", 87: "Outdoor Meter", 95: "Weather Station", 105: "Meter Plus", 116: "Meter", 119: "Outdoor Meter"])
        field = FormField(nil, .octets(OctetNumber(offset: 4, mask: 0xF)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.allowed = .min...9
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true)]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 5, mask: 0x7F)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true), OctetCondition(.number(OctetNumber(offset: 5, mask: 0x80)), values: [1])]
        field.steps = [.operation(.add, .field(0))]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 5, mask: 0x7F)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true), OctetCondition(.number(OctetNumber(offset: 5, mask: 0x80)), values: [0])]
        field.steps = [.operation(.add, .field(0)), .negate]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 6, mask: 0x7F)))
        field.allowed = .min...100
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true)]
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 1)))
        field.unknown = [255]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 11...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [53, 21])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [21: "Meter Pro CO2", 53: "Meter Pro CO2"])
        field = FormField(nil, .octets(OctetNumber(offset: 4, mask: 0xF)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.allowed = .min...9
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true)]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 5, mask: 0x7F)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true), OctetCondition(.number(OctetNumber(offset: 5, mask: 0x80)), values: [1])]
        field.steps = [.operation(.add, .field(0))]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 5, mask: 0x7F)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true), OctetCondition(.number(OctetNumber(offset: 5, mask: 0x80)), values: [0])]
        field.steps = [.operation(.add, .field(0)), .negate]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 6, mask: 0x7F)))
        field.allowed = .min...100
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true)]
        form.fields.append(field)
        field = FormField(.co2, .octets(OctetNumber(offset: 9, octets: 2, isBigEndian: true)))
        field.unknownAbove = 9999
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 1)))
        field.unknown = [255]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 12...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [118, 86, 37, 5])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [5: "Hub Mini Matter", 37: "Hub Mini Matter", 86: "Hub 2", 118: "Hub 2"])
        field = FormField(nil, .octets(OctetNumber(offset: 9, mask: 0xF)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.allowed = .min...9
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 9, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true)]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, mask: 0x7F)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 9, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true), OctetCondition(.number(OctetNumber(offset: 10, mask: 0x80)), values: [1])]
        field.steps = [.operation(.add, .field(0))]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, mask: 0x7F)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 9, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true), OctetCondition(.number(OctetNumber(offset: 10, mask: 0x80)), values: [0])]
        field.steps = [.operation(.add, .field(0)), .negate]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 11, mask: 0x7F)))
        field.allowed = .min...100
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 9, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true)]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 13...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [96])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [96: "Hub 3"])
        field = FormField(nil, .octets(OctetNumber(offset: 9, mask: 0xF)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.allowed = .min...9
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 9, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true)]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, mask: 0x7F)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 9, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true), OctetCondition(.number(OctetNumber(offset: 10, mask: 0x80)), values: [1])]
        field.steps = [.operation(.add, .field(0))]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, mask: 0x7F)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 9, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true), OctetCondition(.number(OctetNumber(offset: 10, mask: 0x80)), values: [0])]
        field.steps = [.operation(.add, .field(0)), .negate]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 11, mask: 0x7F)))
        field.allowed = .min...100
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 9, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true)]
        form.fields.append(field)
        field = FormField(.motion, .octets(OctetNumber(offset: 12, mask: 0x80)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 12...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [64])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [64: "Climate Panel"])
        field = FormField(nil, .octets(OctetNumber(offset: 4, mask: 0xF)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.allowed = .min...9
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true)]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 5, mask: 0x7F)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true), OctetCondition(.number(OctetNumber(offset: 5, mask: 0x80)), values: [1])]
        field.steps = [.operation(.add, .field(0))]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 5, mask: 0x7F)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true), OctetCondition(.number(OctetNumber(offset: 5, mask: 0x80)), values: [0])]
        field.steps = [.operation(.add, .field(0)), .negate]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 6, mask: 0x7F)))
        field.allowed = .min...100
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true)]
        form.fields.append(field)
        field = FormField(.motion, .octets(OctetNumber(offset: 11, mask: 0x80)))
        form.fields.append(field)
        field = FormField(.light, .octets(OctetNumber(offset: 11, mask: 0x6)))
        field.lookup = [0: .int(0), 1: .int(0), 2: .int(1), 3: .int(0)]
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 3, mask: 0x7F)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 4...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [100, 68])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [68: "Contact Sensor", 100: "Contact Sensor"])
        field = FormField(.opening, .octets(OctetNumber(offset: 3, mask: 0x30)))
        form.fields.append(field)
        field = FormField(.leftOpen, .octets(OctetNumber(offset: 3, mask: 0x20)))
        form.fields.append(field)
        field = FormField(.motion, .octets(OctetNumber(offset: 3, mask: 0x80)))
        form.fields.append(field)
        field = FormField(.light, .octets(OctetNumber(offset: 3, mask: 0x40)))
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 1)))
        field.unknown = [255]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 4...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [115, 83])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [83: "Motion Sensor", 115: "Motion Sensor"])
        field = FormField(.motion, .octets(OctetNumber(offset: 3, mask: 0x40)))
        form.fields.append(field)
        field = FormField(.light, .octets(OctetNumber(offset: 3, mask: 0x20)))
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 1)))
        field.unknown = [255]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [38, 6])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [6: "Leak Detector", 38: "Leak Detector"])
        field = FormField(.moistureDetected, .octets(OctetNumber(offset: 4, mask: 0x1)))
        form.fields.append(field)
        field = FormField(.tamper, .octets(OctetNumber(offset: 4, mask: 0x2)))
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 3, mask: 0x7F)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 8...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [103, 71, 106, 74])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [71: "Plug Mini", 74: "Plug Mini", 103: "Plug Mini", 106: "Plug Mini"])
        field = FormField(.powerOn, .octets(OctetNumber(offset: 3)))
        field.steps = [.operation(.exclusiveOr, .number(Field.Decimal(mantissa: 128, places: 0))), .not]
        form.fields.append(field)
        field = FormField(.power, .octets(OctetNumber(offset: 6, octets: 2, isBigEndian: true, mask: 0x7FFF)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 4...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [59, 27])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [27: "Relay Switch 1", 59: "Relay Switch 1"])
        field = FormField(.powerOn, .octets(OctetNumber(offset: 3, mask: 0x80)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 8...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [60, 28, 63, 31])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [28: "Relay Switch 1PM", 31: "Plug Mini (EU)", 60: "Relay Switch 1PM", 63: "Plug Mini (EU)"])
        field = FormField(.powerOn, .octets(OctetNumber(offset: 3, mask: 0x80)))
        form.fields.append(field)
        field = FormField(.power, .octets(OctetNumber(offset: 6, octets: 2, isBigEndian: true)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 10...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [61, 29])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [29: "Relay Switch 2PM", 61: "Relay Switch 2PM"])
        field = FormField(.powerOn, .octets(OctetNumber(offset: 3, mask: 0x80)))
        field.index = 1
        form.fields.append(field)
        field = FormField(.power, .octets(OctetNumber(offset: 6, octets: 2, isBigEndian: true)))
        field.index = 1
        form.fields.append(field)
        field = FormField(.powerOn, .octets(OctetNumber(offset: 3, mask: 0x40)))
        field.index = 2
        form.fields.append(field)
        field = FormField(.power, .octets(OctetNumber(offset: 8, octets: 2, isBigEndian: true)))
        field.index = 2
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 7...8, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [99, 67, 123, 91])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [67: "Curtain", 91: "Curtain 3", 99: "Curtain", 123: "Curtain 3"])
        field = FormField(.position, .octets(OctetNumber(offset: 4, mask: 0x7F)))
        form.fields.append(field)
        field = FormField(.moving, .octets(OctetNumber(offset: 4, mask: 0x80)))
        form.fields.append(field)
        field = FormField(.lightLevel, .octets(OctetNumber(offset: 5, mask: 0xF0)))
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 1)))
        field.unknown = [255]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 9...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [99, 67, 123, 91])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [67: "Curtain", 91: "Curtain 3", 99: "Curtain", 123: "Curtain 3"])
        field = FormField(.position, .octets(OctetNumber(offset: 4, mask: 0x7F)))
        form.fields.append(field)
        field = FormField(.moving, .octets(OctetNumber(offset: 4, mask: 0x80)))
        form.fields.append(field)
        field = FormField(.lightLevel, .octets(OctetNumber(offset: 5, mask: 0xF0)))
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 8, mask: 0x7F)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 6...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [120, 88])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [88: "Blind Tilt", 120: "Blind Tilt"])
        field = FormField(.position, .octets(OctetNumber(offset: 4, mask: 0x7F)))
        form.fields.append(field)
        field = FormField(.moving, .octets(OctetNumber(offset: 4, mask: 0x80)))
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 1)))
        field.unknown = [255]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [111, 79, 45, 13, 1])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [1: "Lock Vision", 13: "Lock Lite", 45: "Lock Lite", 79: "Lock", 111: "Lock"])
        field = FormField(.lock, .octets(OctetNumber(offset: 3, mask: 0x70)))
        form.fields.append(field)
        field = FormField(.lockState, .octets(OctetNumber(offset: 3, mask: 0x70)))
        field.lookup = [0: .string("locked"), 1: .string("unlocked"), 2: .string("locking"), 3: .string("unlocking"), 4: .string("locking_stopped"), 5: .string("unlocking_stopped"), 6: .string("not_fully_locked"), 7: .string("half_locked")]
        form.fields.append(field)
        field = FormField(.door, .octets(OctetNumber(offset: 3, mask: 0x4)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [111, 79])]
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 1)))
        field.unknown = [255]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 6...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [36, 4, 94, 2, 3])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [2: "Lock Vision Pro", 3: "Lock Pro WiFi", 4: "Lock Pro", 36: "Lock Pro", 94: "Lock Ultra"])
        field = FormField(.lock, .octets(OctetNumber(offset: 3, mask: 0x78)))
        field.allowed = .min...7
        form.fields.append(field)
        field = FormField(.lockState, .octets(OctetNumber(offset: 3, mask: 0x78)))
        field.lookup = [0: .string("locked"), 1: .string("unlocked"), 2: .string("locking"), 3: .string("unlocking"), 4: .string("locking_stopped"), 5: .string("unlocking_stopped"), 6: .string("not_fully_locked"), 7: .string("half_locked")]
        form.fields.append(field)
        field = FormField(.door, .octets(OctetNumber(offset: 4, mask: 0x10)))
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 5, mask: 0x7F)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 8...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [126])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [126: "Presence Sensor"])
        field = FormField(.motion, .octets(OctetNumber(offset: 3, mask: 0x40)))
        form.fields.append(field)
        field = FormField(.lightLevel, .octets(OctetNumber(offset: 7, mask: 0x1F)))
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 1)))
        field.unknown = [255]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 9...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [124])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [124: "Smart Radiator Thermostat"])
        field = FormField(nil, .octets(OctetNumber(offset: 4, mask: 0xF)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.allowed = .min...9
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 4, mask: 0xF0)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.allowed = .min...9
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 5, mask: 0x7F)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 5, mask: 0x80)), values: [1])]
        field.steps = [.operation(.add, .field(0))]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 5, mask: 0x7F)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 5, mask: 0x80)), values: [0])]
        field.steps = [.operation(.add, .field(0)), .negate]
        form.fields.append(field)
        field = FormField(.targetTemperature, .octets(OctetNumber(offset: 6, mask: 0x7F)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 6, mask: 0x80)), values: [1])]
        field.steps = [.operation(.add, .field(1))]
        form.fields.append(field)
        field = FormField(.targetTemperature, .octets(OctetNumber(offset: 6, mask: 0x7F)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 6, mask: 0x80)), values: [0])]
        field.steps = [.operation(.add, .field(1)), .negate]
        form.fields.append(field)
        field = FormField(.window, .octets(OctetNumber(offset: 8, mask: 0x1)))
        form.fields.append(field)
        field = FormField(.problem, .octets(OctetNumber(offset: 8, mask: 0xE)))
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 3, mask: 0x7F)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 3...3, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [212, 244, 148, 233, 201, 247, 215, 180, 223])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [148: "Meter Pro", 180: "Meter Pro", 201: "Meter Plus", 212: "Meter", 215: "Outdoor Meter", 223: "Weather Station", 233: "Meter Plus", 244: "Meter", 247: "Outdoor Meter"])
        field = FormField(.battery, .octets(OctetNumber(offset: 2, mask: 0x7F)))
        field.allowed = .min...100
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 6...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [212, 244, 148, 233, 201, 247, 215, 180, 223, 181, 149])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [148: "Meter Pro", 149: "Meter Pro CO2", 180: "Meter Pro", 181: "Meter Pro CO2", 201: "Meter Plus", 212: "Meter", 215: "Outdoor Meter", 223: "Weather Station", 233: "Meter Plus", 244: "Meter", 247: "Outdoor Meter"])
        field = FormField(nil, .octets(OctetNumber(offset: 2, mask: 0x7F)))
        field.allowed = .min...100
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 3, mask: 0xF)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.allowed = .min...9
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 3, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true)]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 4, mask: 0x7F)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 3, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true), OctetCondition(.number(OctetNumber(offset: 4, mask: 0x80)), values: [1])]
        field.steps = [.operation(.add, .field(1))]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 4, mask: 0x7F)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 3, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true), OctetCondition(.number(OctetNumber(offset: 4, mask: 0x80)), values: [0])]
        field.steps = [.operation(.add, .field(1)), .negate]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 5, mask: 0x7F)))
        field.allowed = .min...100
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 3, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true)]
        form.fields.append(field)
        field = FormField(.battery, .field(0))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 3, octets: 3, mask: 0x7F7F0F)), values: [0], isNegated: true)]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 9...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [228, 196])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [196: "Contact Sensor", 228: "Contact Sensor"])
        field = FormField(.opening, .octets(OctetNumber(offset: 3, mask: 0x6)))
        form.fields.append(field)
        field = FormField(.leftOpen, .octets(OctetNumber(offset: 3, mask: 0x4)))
        form.fields.append(field)
        field = FormField(.motion, .octets(OctetNumber(offset: 1, mask: 0x40)))
        form.fields.append(field)
        field = FormField(.light, .octets(OctetNumber(offset: 3, mask: 0x1)))
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 2, mask: 0x7F)))
        field.allowed = .min...100
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 6...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [243, 211])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [211: "Motion Sensor", 243: "Motion Sensor"])
        field = FormField(.motion, .octets(OctetNumber(offset: 1, mask: 0x40)))
        form.fields.append(field)
        field = FormField(.light, .octets(OctetNumber(offset: 5, mask: 0x2)))
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 2, mask: 0x7F)))
        field.allowed = .min...100
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [227, 195, 251, 219])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [195: "Curtain", 219: "Curtain 3", 227: "Curtain", 251: "Curtain 3"])
        field = FormField(.position, .octets(OctetNumber(offset: 3, mask: 0x7F)))
        form.fields.append(field)
        field = FormField(.moving, .octets(OctetNumber(offset: 3, mask: 0x80)))
        form.fields.append(field)
        field = FormField(.lightLevel, .octets(OctetNumber(offset: 4, mask: 0xF0)))
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 2, mask: 0x7F)))
        field.allowed = .min...100
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 3...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [200])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [200: "Bot"])
        field = FormField(.powerOn, .octets(OctetNumber(offset: 1, mask: 0x40)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0x80)), values: [1])]
        field.steps = [.not]
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 2, mask: 0x7F)))
        field.allowed = .min...100
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 6...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [44, 12])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [12: "Roller Shade", 44: "Roller Shade"])
        field = FormField(.position, .octets(OctetNumber(offset: 4, mask: 0x7F)))
        form.fields.append(field)
        field = FormField(.moving, .octets(OctetNumber(offset: 3, mask: 0x6)))
        form.fields.append(field)
        field = FormField(.lightLevel, .octets(OctetNumber(offset: 5, mask: 0xF0)))
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 1)))
        field.unknown = [255]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 4...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [62, 30])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [30: "Garage Door Opener", 62: "Garage Door Opener"])
        field = FormField(.garageDoor, .octets(OctetNumber(offset: 3, mask: 0x20)))
        field.steps = [.not]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 3...255, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [226, 194])]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 0), [194: "Remote", 226: "Remote"])
        field = FormField(.battery, .octets(OctetNumber(offset: 2, mask: 0x7F)))
        field.allowed = .min...100
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
