// SPDX-License-Identifier: Apache-2.0

import GRDB
import Readings

extension Retention {
    /// Gives rows up until so many pages of the file are free: on a disk that is short of room it may not grow. Rows that
    /// are gone leave room in the file, never on the disk, so that no more go than what is new needs.
    ///
    /// - Parameter isCounted: `count` is what there is. What the books say may be too much or too little: until the rows are
    ///     counted, they go by few at a time.
    mutating func makeRoom(
        of pages: Int, count: Int, isCounted: Bool, budget: Int, names: JournalNames, changes: inout LedgerChanges,
        in db: Database
    ) throws -> Int {
        var deleted = 0
        while deleted < (isCounted ? min(count, budget) : budget) {
            let free = try Self.pragma("freelist_count", in: db)
            guard free < pages else { break }
            let used = max(try Self.pragma("page_count", in: db) - free, 1)
            let left = isCounted ? count - deleted : Self.leastRows
            // By the mean of the file, which is a little too few: other tables are in it as well.
            let excess = min(max(left / used * (pages - free), Self.leastRows), left)
            let outcome = try drop(
                excess, of: left, .journalSize, budget: budget - deleted, isTolerant: false, names: names,
                changes: &changes, in: db)
            guard outcome.deleted > 0 else { break }
            deleted += outcome.deleted
        }
        return deleted
    }

    /// About half a page of them where a page has 4096 octets, two where it has 1024.
    private static let leastRows = 40
}
