// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The properties of a definition as fields of `decoders.d`.
struct TheengsFields {
    private let properties: [TheengsDefinition.Property]
    private let source: TheengsTest.Source
    private let form: [TheengsTest]
    private let table: String

    /// - Parameter form: The tests that each packet of the form passes.
    init(
        _ properties: [TheengsDefinition.Property], _ source: TheengsTest.Source, _ form: [TheengsTest], _ table: String
    ) {
        (self.properties, self.source, self.form, self.table) = (properties, source, form, table)
    }

    /// The fields' lines, the end of the fields without a condition, in octets, and notes on properties without a
    /// conversion.
    func lines() -> (lines: [String], end: Int, notes: [String]) {
        var (lines, notes, end) = ([String](), [String](), 0)
        // The number of calculations, and that of the latest one if it was converted.
        var (calculations, known) = (0, 0)
        for (index, property) in properties.enumerated() {
            // The address is in the condition, degrees Fahrenheit follow from Celsius, and a device's name is no value.
            if property.name == "mac" || property.name == "device" { continue }
            if property.name.hasPrefix("tempf"), properties.contains(where: { $0.name.hasPrefix("tempc") }) { continue }
            let isCalculation = property.name.hasPrefix(".")
            // A calculation replaces the one before it.
            if isCalculation { calculations += 1 }
            let before = known
            if isCalculation { known = 0 }
            do throws(TheengsError) {
                guard let condition = try condition(of: index) else { continue }
                guard !isCalculation || condition == .always else {
                    throw TheengsError("a calculation with a condition, which decoders.d cannot say")
                }
                for alternative in condition.alternatives {
                    let field = TheengsField(property, source, table, calculation: calculations, before: before)
                    for field in try field.fields(alternative) {
                        lines += field.lines
                        if field.hasNoCondition { end = max(end, field.end) }
                    }
                }
                if isCalculation { known = calculations }
            } catch {
                notes.append("\(property.key), \(error)")
            }
        }
        return (lines, end, notes)
    }

    /// When the property gives the value: its own condition, and none of a later property of this name. Nil for never.
    private func condition(of index: Int) throws(TheengsError) -> TheengsCondition? {
        let property = properties[index]
        var condition = try own(property)
        guard !property.name.hasPrefix(".") else { return condition }
        for later in properties[(index + 1)...] where later.name == property.name {
            condition = try condition.without(try own(later))
        }
        condition = try condition.apart()
        return condition.alternatives.isEmpty ? nil : condition
    }

    /// The property's condition, without the form's own tests, and without alternatives against the form.
    private func own(_ property: TheengsDefinition.Property) throws(TheengsError) -> TheengsCondition {
        guard let list = property.entries["condition"]?.list else { return .always }
        return try TheengsCondition(ofProperty: list).inside(form)
    }
}
