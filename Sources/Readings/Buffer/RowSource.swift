// SPDX-License-Identifier: Apache-2.0

/// A source of rows: the journal, or a test's table.
package protocol RowSource {
    /// At most `limit` open rows above `n`, in order.
    func rows(after n: Int64, limit: Int) throws -> [JournalRow]
    /// The first row from which on all rows of `boot` have an uptime of `milliseconds` or more; nil if there is none.
    func firstRow(ofBoot boot: String, sinceUptime milliseconds: Int64) throws -> Int64?
    /// The greatest number that any row has had, settled rows included.
    var greatestNumber: Int64 { get }
}
