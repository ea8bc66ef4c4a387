// SPDX-License-Identifier: Apache-2.0

import GRDB
import Platform
import Readings

// Values as they lie in a file that something else may have written to. GRDB's own conversions end the process when a
// value has another type than was asked for.

extension Row {
    /// An integer; nil for NULL and for everything that is none.
    func integer(_ column: Int) -> Int64? {
        if case .int64(let number) = (self[column] as DatabaseValue).storage { number } else { nil }
    }

    /// Text; nil for NULL and for everything that is none.
    func text(_ column: Int) -> String? {
        if case .string(let text) = (self[column] as DatabaseValue).storage { text } else { nil }
    }

    /// A count of readings; nil for what cannot be one.
    func count(_ column: Int) -> Int? {
        integer(column).flatMap { (0...JournalStatistics.largestCount).contains($0) ? Int($0) : nil }
    }

    func isNull(_ column: Int) -> Bool { (self[column] as DatabaseValue).isNull }
}

extension JournalBoot {
    /// The columns id, name and offset; nil when the boot has no name. An offset that nobody can have vouched for is not
    /// known: it is the time at which the boot began.
    init?(_ row: Row) {
        guard let id = row.integer(0), let name = row.text(1) else { return nil }
        self.init(id: id, name: name, offset: row.integer(2).flatMap { Self.offsets.contains($0) ? $0 : nil })
    }

    /// A year of uptime before the earliest time is enough: the clock was right later.
    private static let offsets = (ClockMachine.earliest - 366 * 86_400_000)..<ClockMachine.latest
}
