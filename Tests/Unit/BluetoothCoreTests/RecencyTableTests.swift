// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing
import TestSupport

struct RecencyTableTests {
    @Test func `the oldest is what was used longest ago`() {
        var table = RecencyTable<Int, String>()
        #expect(table.oldest == nil)
        for number in 1...4 { table.insert("\(number)", for: number) }
        #expect(table.use(1) == "1" && table.use(9) == nil)
        #expect(table[2] == "2", "reading is no use")
        #expect(table.elementsByAge.map(\.key) == [2, 3, 4, 1])
        table.insert("two", for: 2)
        #expect(table.count == 4 && table.elementsByAge.map(\.value) == ["3", "4", "1", "two"])
        #expect(table.removeValue(for: 4) == "4" && table.removeValue(for: 4) == nil)
        #expect(table.oldest?.key == 3 && table.elementsByAge.map(\.key) == [3, 1, 2])
        table.removeAll()
        #expect(table.isEmpty && table.oldest == nil)
    }

    /// Compared with a linear search of a list.
    @Test func `any order of calls does what a plain list does`() {
        var generator = SeededGenerator(seed: 7)
        var table = RecencyTable<Int, Int>()
        var list: [(key: Int, value: Int)] = []
        for round in 0..<20_000 {
            let key = Int.random(in: 0..<40, using: &generator)
            let place = list.firstIndex { $0.key == key }
            switch Int.random(in: 0..<4, using: &generator) {
            case 0, 1:
                if let place { list.remove(at: place) }
                list.append((key, round))
                table.insert(round, for: key)
            case 2:
                let expected = place.map { list[$0].value }
                if let place { list.append(list.remove(at: place)) }
                #expect(table.use(key) == expected)
            default:
                let expected = place.map { list.remove(at: $0).value }
                #expect(table.removeValue(for: key) == expected)
            }
            guard table.count == list.count, table.oldest?.key == list.first?.key else {
                Issue.record("round \(round): \(table.count) elements, not \(list.count), or another oldest")
                return
            }
        }
        #expect(table.elementsByAge.map(\.value) == list.map(\.value))
    }
}
