// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/feasycom.toml.

import BluetoothCore

extension SensorDefinition {
    static let feasycom: SensorDefinition = {
        var definition = SensorDefinition(key: "feasycom", name: "Feasycom", forms: [])
        definition.products = "Feasycom beacons (BP101 to BP120)"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.serviceData(0xFFF0), length: 11...11, fields: [])
        form.addressOffset = 4
        field = FormField(.battery, .octets(OctetNumber(offset: 10, mask: 0x7F)))
        field.unknown = [101]
        form.fields.append(field)
        field = FormField(.plug, .octets(OctetNumber(offset: 10)))
        field.lookup = [100: .int(0), 101: .int(1)]
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
