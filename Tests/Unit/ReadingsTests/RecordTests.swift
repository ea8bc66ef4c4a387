// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import TestMaterials
import Testing

@testable import Readings

/// Families whose packets Swift finds, and whose records files describe.
struct RecordTests {
    private static let definitions = SensorFamilies.described.filter(\.isOfRecords)

    @Test func `each file of records is of one family, which finds its packets by itself`() {
        #expect(Self.definitions.count >= 12)
        let families = SensorFamilies.all.map { $0.family }
        #expect(Set(families).count == families.count)
        for definition in Self.definitions {
            #expect(families.contains(definition.key))
            #expect(definition.forms.allSatisfy { $0.source == .record }, "\(definition.key)")
            #expect(definition.recognise(Advertisement(manufacturerData: [1, 2, 3])) == nil)
        }
    }

    /// Records of all forms, damaged and whole: the table finds the form that a search finds.
    @Test(arguments: definitions.map(\.key))
    func `the first octet finds the forms of a record`(_ key: String) throws {
        let definition = try #require(Self.definitions.first { $0.key == key })
        let table = RecordTable(definition)
        let known = DescribedVector.all.filter { $0.family == key }.compactMap { [UInt8](hexadecimal: $0.octets) }
        var generator = SeededGenerator(seed: 0xF0)
        var found = 0
        for round in 0..<4_000 {
            var record = known[round % known.count]
            for _ in 0..<(round % 4) where !record.isEmpty {
                let place = Int(generator.next() >> 32) % record.count
                record[place] = UInt8(truncatingIfNeeded: generator.next() >> 24)
            }
            let form = definition.forms.first { $0.fits(record) }
            #expect(table.form(of: record) == form)
            if form != nil { found += 1 }
        }
        #expect(found > 500)
        #expect(table.form(of: []) == nil)
    }

    @Test func `numbers name models, and make texts of other numbers`() throws {
        var state = FormField(.chargerError, .octets(OctetNumber(offset: 1)))
        (state.lookup, state.otherwise) = ([0: .string("none")], "error_#")
        var form = SensorForm(.record, length: 2...2, fields: [state])
        (form.model, form.models) = ("Other", SensorForm.NumberedModels(OctetNumber(offset: 0), [7: "Seven"]))
        let table = RecordTable(SensorDefinition(key: "x", name: "X", forms: [form]))
        #expect(table.model(of: [7, 0]) == "Seven")
        #expect(table.model(of: [8, 0]) == "Other")
        #expect(table.model(of: [8]) == nil)
        #expect(try table.fields(of: [7, 0]) == [.text(.chargerError, "none")])
        #expect(try table.fields(of: [7, 34]) == [.text(.chargerError, "error_34")])
        #expect(throws: DecodeError.self) { try table.fields(of: [7]) }
        #expect(table.hasForm(beginning: 1, count: 2) && !table.hasForm(beginning: 1, count: 3))
    }

    @Test func `fields with numbers of their own stay in their places`() throws {
        var second = FormField(.temperature, offset: 0, octets: 1)
        second.index = 2
        let fields = [FormField(.humidity, offset: 1, octets: 1), second, FormField(.battery, offset: 2, octets: 1)]
        let form = SensorForm(.record, length: 3...3, fields: fields)
        let keys = try SensorDefinition(key: "x", name: "X", forms: [form]).decode([1, 2, 3]).map(\.key)
        #expect(keys == ["humidity", "temperature_2", "battery"])
    }
}
