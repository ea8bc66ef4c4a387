// SPDX-License-Identifier: Apache-2.0

import GRDB
import GRDBSQLite
import Synchronization

/// Counts the steps of the journal's work, so that the watchdog can see progress: salvaging millions of rows keeps the
/// queue busy for longer than a watchdog waits.
final class JournalProgress: Sendable {
    /// Instructions of SQLite's virtual machine in a step: well below a second on a slow board.
    private static let instructions: Int32 = 20_000

    private let count = Atomic<UInt64>(0)

    var steps: UInt64 { count.load(ordering: .relaxed) }

    func step() { count.add(1, ordering: .relaxed) }

    /// Counts the connection's steps. The connection must not outlive this object.
    func watch(_ db: Database) {
        sqlite3_progress_handler(
            db.sqliteConnection, Self.instructions,
            { context in
                if let context { Unmanaged<JournalProgress>.fromOpaque(context).takeUnretainedValue().step() }
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
