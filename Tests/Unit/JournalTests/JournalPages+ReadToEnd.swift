// SPDX-License-Identifier: Apache-2.0

import Journal

extension JournalPages {
    /// - Returns: How many rows there were.
    @discardableResult
    func readToEnd() throws(JournalError) -> Int {
        var (count, pages) = (0, self)
        while let page = try pages.next() { count += page.rows.count }
        return count
    }
}
