// SPDX-License-Identifier: Apache-2.0

import GRDB
import Readings

extension Retention {
    /// Gives rows up until `pages` pages of the file are free: on a disk that is short of room the file may not grow.
    /// Deleted rows leave room in the file, never on the disk, so that only as many go as new rows need.
    ///
    /// - Parameter isCounted: `count` is exact. The ledger's figure may be too high or too low: until the rows are
    ///   counted, only few rows go at a time.
    mutating func makeRoom(
        of pages: Int, count: Int, isCounted: Bool, budget: Int, changes: inout LedgerChanges, in db: Database
    ) throws -> Int {
        var deleted = 0
        while deleted < (isCounted ? min(count, budget) : budget) {
            let free = try Self.pragma("freelist_count", in: db)
            guard free < pages else { break }
            let used = max(try Self.pragma("page_count", in: db) - free, 1)
            let left = isCounted ? count - deleted : Self.leastRows
            // By the mean of the file, which gives a little too few: the file has other tables as well.
            let excess = min(max(left / used * (pages - free), Self.leastRows), left)
            let outcome = try drop(
                excess, .journalSize, budget: budget - deleted, takesAny: true, changes: &changes, in: db)
            guard outcome.deleted > 0 else { break }
            deleted += outcome.deleted
        }
        return deleted
    }

    /// About half a page of rows if a page has 4096 octets, two pages if a page has 1024.
    private static let leastRows = 40
}
