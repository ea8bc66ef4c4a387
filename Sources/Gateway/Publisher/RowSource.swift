// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Where the lanes read rows: the journal, or a test's table.
protocol RowSource {
    /// At most `limit` rows above `n` that nobody has settled, in order.
    func rows(after n: Int64, limit: Int) throws -> [JournalRow]
    /// The row from which on all rows of `boot` are at least so young; nil when there is none.
    func firstRow(ofBoot boot: String, sinceUptime milliseconds: Int64) throws -> Int64?
    /// The greatest number that any row has had, settled rows included.
    var greatestNumber: Int64 { get }
}

extension Journal: RowSource {
    var greatestNumber: Int64 { state.withLock { $0.store }?.greatest.withLock { $0 } ?? 0 }
}

extension Journal {
    /// What ``LiveLane/superseded(in:boot:youngSince:)`` finds; nil while there is no database. It has to be there to the
    /// end: without it there would seem to be no rows.
    func superseded(boot: String, youngSince: Int64) throws -> [LiveLane.Stream: Int64]? {
        guard let store = state.withLock({ $0.store }) else { return nil }
        let found = try LiveLane.superseded(in: self, boot: boot, youngSince: youngSince)
        return state.withLock { $0.store === store } ? found : nil
    }
}
