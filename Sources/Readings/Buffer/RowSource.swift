// SPDX-License-Identifier: Apache-2.0

/// Where rows are read: the journal, or a test's table.
package protocol RowSource {
    /// At most `limit` rows above `n` that nobody has settled, in order.
    func rows(after n: Int64, limit: Int) throws -> [JournalRow]
    /// The row from which on all rows of `boot` are at least so young: their uptime is `milliseconds` or more. Nil when
    /// there is none.
    func firstRow(ofBoot boot: String, sinceUptime milliseconds: Int64) throws -> Int64?
    /// The greatest number that any row has had, settled rows included.
    var greatestNumber: Int64 { get }
}
