// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Readings

struct QuantityTableTests {
    @Test func `each quantity has one row, and is found by its key`() {
        let rows = QuantityTable.rows
        #expect(rows.map(\.quantity.rawValue).sorted() == Quantity.allCases.map(\.rawValue))
        #expect(Set(rows.map(\.key)).count == rows.count)
        for row in rows {
            #expect(row.quantity.details.key == row.key && row.quantity.key == row.key)
            #expect(Quantity(key: row.key) == row.quantity)
            #expect(row.key.wholeMatch(of: /[a-z][a-z0-9_]*/) != nil, "\(row.key)")
        }
        #expect(Quantity(key: "no_quantity") == nil)
    }

    @Test func `a transmit power has a range, and beacons with other numbers mean something else`() throws {
        let range = try #require(Quantity.txPower.details.physicalRange)
        #expect([-127, 0, 20].allSatisfy { range.contains($0) })
        #expect(![-128, 20.5, 100].contains { range.contains($0) })
    }
}
