// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GRDB
import GRDBSQLite

/// Ends endless work of SQLite: in a damaged file, pages can lead back to pages, and a scan need not come to an end.
///
/// The limit is in steps of SQLite's virtual machine. A sound file of a given size takes a certain number of steps at
/// most: no clock ends slow work on a sound file.
final class StepLimit {
    /// SQLite calls the handler after this number of steps.
    private static let portion = 20_000
    /// Reading or checking a row takes some hundred steps, and the shortest rows take some 20 octets.
    private static let stepsAnOctet = 100

    private let portions: Int
    /// SQLite has one progress handler: this one takes the other's place, and counts for it.
    private let progress: JournalProgress?
    private var done = 0

    /// - Parameter progress: Also counts the connection's steps, and continues afterwards.
    init(octets: Int, progress: JournalProgress? = nil) {
        self.progress = progress
        portions = 100 + octets.multipliedSaturated(by: Self.stepsAnOctet) / Self.portion
    }

    /// For one look at all of a file and its log.
    convenience init(forFile path: String, progress: JournalProgress? = nil) {
        self.init(
            octets: JournalFile.size(of: path).addingSaturated(JournalFile.size(of: path + "-wal")), progress: progress)
    }

    /// Runs `body`, and throws when it takes longer than a sound file can take.
    func hold<Value>(_ db: Database, _ body: () throws -> Value) throws -> Value {
        done = 0
        let handler: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { context in
            guard let context else { return 0 }
            let limit = Unmanaged<StepLimit>.fromOpaque(context).takeUnretainedValue()
            limit.done += 1
            limit.progress?.step()
            return limit.done > limit.portions ? 1 : 0
        }
        sqlite3_progress_handler(
            db.sqliteConnection, Int32(Self.portion), handler, Unmanaged.passUnretained(self).toOpaque())
        defer {
            sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil)
            progress?.watch(db)
        }
        do {
            return try body()
        } catch DatabaseError.SQLITE_INTERRUPT {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "reading does not come to an end")
        }
    }
}

extension Int {
    fileprivate func multipliedSaturated(by factor: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }
}
