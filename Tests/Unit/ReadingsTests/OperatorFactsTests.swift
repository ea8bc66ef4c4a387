// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Readings

@Suite("An operator's facts about a sensor")
struct OperatorFactsTests {
    private static func offset(_ quantity: Quantity, _ mantissa: Int64, _ places: Int = 4) -> OperatorFacts {
        OperatorFacts(offsets: [quantity: Field.Decimal(mantissa: mantissa, places: places)])
    }

    @Test(arguments: [
        (Field.decimal(.temperature, 2_430, places: 2), -5_000, 23.8), (.int(.temperature, 21), 5_000, 21.5),
        (.decimal(.temperature, -1, places: 1), 1_000, 0),
    ])
    func `an offset is added exactly`(_ field: Field, _ mantissa: Int64, _ sum: Double) {
        let corrected = Self.offset(.temperature, mantissa).corrected([field])
        #expect(corrected.map(\.value.number) == [sum] && corrected[0].quantity == field.quantity)
    }

    @Test func `other quantities, texts and states stay, and lists are corrected number by number`() {
        let facts = Self.offset(.temperature, 10_000)
        let fields: [Field] = [.int(.battery, 50), .text(.text, "x"), .binary(.door, true)]
        #expect(facts.corrected(fields) == fields)
        let list = facts.corrected([Field(.temperature, .array([.int(1), .decimal(.init(mantissa: 25, places: 1))]))])
        guard case .array(let values) = list[0].value else { return #expect(Bool(false)) }
        #expect(values.map(\.number) == [2, 3.5])
    }

    @Test func `a percentage stays a percentage, and no sum overflows`() {
        #expect(Self.offset(.humidity, 30_000).corrected([.int(.humidity, 99)])[0].value == .int(100))
        #expect(Self.offset(.humidity, -30_000).corrected([.int(.humidity, 2)])[0].value == .int(0))
        let large = Field.int(.temperature, .max)
        #expect(Self.offset(.temperature, 1).corrected([large])[0].value.number == Double(Int64.max))
        let fine = Field.decimal(.temperature, .min, places: 18)
        #expect(Self.offset(.temperature, -1).corrected([fine])[0].value.number != nil)
    }

    @Test(arguments: [
        ("fridge", "RuuviTag 884F", nil, "fridge"), ("cbb8334c884f", "RuuviTag 884F", nil, "RuuviTag 884F"),
        ("cbb8334c884f", nil, nil, "cbb8334c884f"), ("fridge", "RuuviTag 884F", "Kitchen fridge", "Kitchen fridge"),
    ])
    func `the label wins over the chosen id, and the id over the advertised name`(
        _ id: String, _ name: String?, _ label: String?, _ title: String
    ) { #expect(OperatorFacts(label: label).title(id: id, name: name) == title) }

    @Test func `the table of sensors corrects what it shows, and not what rows are made of`() {
        let table = SensorTable(decoder: { _ in { [.decimal(.temperature, Int64($0[0]), places: 0)] } })
        let entry = table.entry(of: "fridge")
        entry.record(
            Reading(
                device: "fridge", characteristic: "2a6e", source: .notify, value: [20], rssi: nil,
                stamp: TimeStamp(boot: "b", uptimeMilliseconds: 1, unixMilliseconds: nil, quality: .unsynced)))
        #expect(entry.values.first?.fields?.first?.value.number == 20 && entry.values.first?.isCorrected == false)
        table.describe("fridge", SensorDescription(facts: Self.offset(.temperature, -5_000)))
        #expect(entry.values.first?.fields?.first?.value.number == 19.5 && entry.values.first?.isCorrected == true)
        #expect(entry.decoding(of: [20], "2a6e") == .done([.decimal(.temperature, 20, places: 0)]))
        #expect(table.facts(of: "fridge").offsets.count == 1 && table.facts(of: "cellar") == OperatorFacts())
        table.expect(["cellar": OperatorFacts(label: "Cellar")])
        #expect(table.facts(of: "cellar").label == "Cellar")
    }
}
