// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Synchronization
import Testing

@testable import Readings

/// The table of sensors: its observers, and how often it decodes a value.
struct SensorTableTests {
    private final class Count: Sendable {
        private let number = Atomic(0)
        var value: Int { number.load(ordering: .relaxed) }
        func add() { number.add(1, ordering: .relaxed) }
    }

    /// A table that counts each decoding.
    private static func table(_ count: Count) -> SensorTable {
        SensorTable(decoder: { name in Decoders.decoder(for: name).map { counted($0, count) } })
    }

    private static func counted(_ decode: @escaping Decoders.Decode, _ count: Count) -> Decoders.Decode {
        { value throws(DecodeError) in
            count.add()
            return try decode(value)
        }
    }

    private static func reading(_ value: [UInt8], _ characteristic: String = "2a6e", at up: Int64 = 1) -> Reading {
        Reading(
            device: "a", characteristic: characteristic, source: .notify, value: value, rssi: nil,
            stamp: TimeStamp(boot: "b", uptimeMilliseconds: up, unixMilliseconds: nil, quality: .unsynced))
    }

    @Test func `a value is decoded once, however many ask, and none that nobody asks about`() {
        let count = Count()
        let entry = Self.table(count).entry(of: "a")
        for low in UInt8(0)..<100 { entry.record(Self.reading([low, 0])) }
        #expect(count.value == 0)
        for _ in 0..<3 {
            #expect(entry.decoding(of: [99, 0], "2a6e") == .done([.decimal(.temperature, 99, places: 2)]))
            #expect(entry.values.map(\.fields) == [[.decimal(.temperature, 99, places: 2)]])
        }
        #expect(count.value == 1)
        // Later values have replaced it in the table, so its holder decodes it.
        #expect(entry.decoding(of: [98, 0], "2a6e") == .pending && count.value == 1)
    }

    @Test func `a packet comes with its fields, and is not decoded again`() throws {
        let count = Count()
        let entry = Self.table(count).entry(of: "a")
        let fields = try #require(Decoders.decode(characteristic: "bthome", value: [0x40, 0x02, 0xCA, 0x09]))
        entry.record(Self.reading([0x40, 0x02, 0xCA, 0x09], "bthome"), about: fields, isSealed: true)
        #expect(entry.values.map(\.fields) == [fields])
        #expect(entry.decoding(of: [0x40, 0x02, 0xCA, 0x09], "bthome") == .done(fields))
        #expect(count.value == 0)
        entry.record(Self.reading([0x40, 0x02, 0xCB, 0x09], "bthome"), about: nil, isSealed: true)
        #expect(count.value == 1 && entry.values.count == 1)
    }

    @Test func `the packet of a family carries what showed that it can be`() throws {
        let vector = try #require(FamilyVector.bthome.first { $0.name == "encrypted" })
        let packet = try #require(vector.result()?.packet)
        #expect(packet.fields == vector.fields)
        var other = packet
        other.value.append(0)
        #expect(other.fields == nil, "another value is not decoded yet")
    }

    @Test func `what no decoder knows is asked about once, too`() {
        let count = Count()
        let table = SensorTable(decoder: { _ in
            count.add()
            return nil
        })
        let entry = table.entry(of: "a")
        entry.record(Self.reading([1], "ffff"))
        for _ in 0..<3 { #expect(entry.decoding(of: [1], "ffff") == .done(nil)) }
        #expect(count.value == 1)
    }

    @Test func `other decoders decode anew`() {
        let count = Count()
        let table = Self.table(count)
        table.entry(of: "a").record(Self.reading([1, 0]))
        _ = table["a"]?.values
        table.forgetDecoded()
        _ = table["a"]?.values
        #expect(count.value == 2)
    }

    @Test func `each characteristic has one value, and those that are collected no more go`() {
        let entry = SensorTable().entry(of: "a")
        for (place, name) in ["2a6e", "2a6f", "2a6e"].enumerated() {
            entry.record(Self.reading([UInt8(place), 0], name, at: Int64(place)))
        }
        #expect(entry.values.map(\.reading.characteristic) == ["2a6e", "2a6f"])
        #expect(entry.values.first?.reading.value == [2, 0] && entry.newestAt == 2)
        entry.keep(["2a6f"])
        #expect(entry.values.map(\.reading.characteristic) == ["2a6f"])
        for number in 0..<1_000 { entry.record(Self.reading([0], "\(number)")) }
        #expect(entry.values.count == 256)
        entry.removeValues()
        #expect(entry.values.isEmpty && entry.newestAt == nil)
    }

    @Test func `news about a sensor is told once`() {
        let told = Mutex<[String]>([])
        let table = SensorTable { device, description in
            told.withLock { $0.append("\(device) \(description.model ?? "-")") }
        }
        for model in ["X", "X", "Y"] { table.describe("a", SensorDescription(model: model)) }
        table.forget("a")
        #expect(table["a"] == nil)
        table.describe("a", SensorDescription(model: "Y"))
        #expect(told.withLock { $0 } == ["a X", "a Y", "a Y"])
        #expect(table.contains { $0.model == "Y" } && !table.contains { $0.model == "X" })
    }

    @Test func `a sensor that is called otherwise takes its values with it`() {
        let table = SensorTable()
        table.entry(of: "a").record(Self.reading([1, 0], at: 7))
        table.entry(of: "a").moveValues(to: table.entry(of: "b"))
        #expect(table["a"]?.values.isEmpty == true && table["b"]?.newestAt == 7)
    }

    @Test func `sensors that come and go do not fill the table, and those that are collected from stay`() {
        let table = SensorTable()
        let held = (0..<10).map { table.entry(of: "held-\($0)") }
        for number in 0..<5_000 { _ = table.entry(of: "\(number)") }
        #expect((0..<5_000).count { table["\($0)"] != nil } == 2_048 - held.count)
        for (number, entry) in held.enumerated() { #expect(table["held-\(number)"] === entry) }
    }
}
