// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Readings

struct RowOwnersTests {
    @Test func `rows stay those of the gateway that took them, also when a name comes back`() {
        var owners = RowOwners()
        // gw-a a second time is no news, and gw-b takes no row.
        let taken: [(String, Int64)] = [("gw-a", 0), ("gw-a", 10), ("gw-b", 10), ("gw-c", 10), ("gw-a", 25)]
        let news = taken.map { owners.claim($0, after: $1) }
        #expect(news == [true, false, true, true, true])
        let read = RowOwners { owners.facts[$0] }
        #expect(read == owners && owners.current == "gw-a")
        let names = [1, 10, 11, 25, 26].map { n in owners.former(of: n).map { owners.formers[$0].name } }
        #expect(names == ["gw-a", "gw-a", "gw-c", "gw-c", nil])
    }

    @Test func `a journal from before gateways were noted has no former, and what is damaged is left out`() {
        var owners = RowOwners { _ in nil }
        let isNews = owners.claim("gw-a", after: 1_000)
        #expect(isNews && owners.former(of: 1) == nil)
        let damaged = RowOwners { $0 == RowOwners.formersKey ? "gw-a,gw-b x, gw-c 7,gw-d 5,gw-e -1,gw-f 9 9" : "" }
        #expect(damaged.formers == [RowOwners.Former(name: "gw-c", last: 7)] && damaged.current == nil)
    }

    @Test func `a bounded number of formers is kept`() {
        var owners = RowOwners()
        for number in 0..<1_000 as Range<Int64> { _ = owners.claim("gw-\(number)", after: number * 10) }
        #expect(owners.formers.count == 16 && owners.former(of: 9_990).map { owners.formers[$0].name } == "gw-998")
        #expect(RowOwners { owners.facts[$0] } == owners)
    }
}
