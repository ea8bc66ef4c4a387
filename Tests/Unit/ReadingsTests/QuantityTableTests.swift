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
}
