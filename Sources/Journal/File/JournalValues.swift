// SPDX-License-Identifier: Apache-2.0

import GRDB
import Platform
import Readings

// Values in a file that another program may have written to. GRDB's own conversions end the process when a value has an
// unexpected type.

extension Row {
    /// An integer; nil for NULL and for all other types.
    func integer(_ column: Int) -> Int64? {
        if case .int64(let number) = (self[column] as DatabaseValue).storage { number } else { nil }
    }

    /// Text; nil for NULL and for all other types.
    func text(_ column: Int) -> String? {
        if case .string(let text) = (self[column] as DatabaseValue).storage { text } else { nil }
    }

    /// A count of readings; nil for a value that cannot be a count.
    func count(_ column: Int) -> Int? {
        integer(column).flatMap { (0...JournalStatistics.largestCount).contains($0) ? Int($0) : nil }
    }

    func isNull(_ column: Int) -> Bool { (self[column] as DatabaseValue).isNull }
}

extension JournalBoot {
    /// The columns id, name and offset; nil when the boot has no name. The offset is the time at which the boot began;
    /// an impossible offset counts as unknown.
    init?(_ row: Row) {
        guard let id = row.integer(0), let name = row.text(1) else { return nil }
        self.init(id: id, name: name, offset: row.integer(2).flatMap { Self.offsets.contains($0) ? $0 : nil })
    }

    /// A year of uptime before the earliest time is enough: the clock became right later.
    private static let offsets = (ClockMachine.earliest - 366 * 86_400_000)..<ClockMachine.latest
}
