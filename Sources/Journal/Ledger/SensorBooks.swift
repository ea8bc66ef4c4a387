// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GRDB
import Platform
import Readings
import Synchronization

extension LedgerPage {
    /// The entries of the sensors whose names are known.
    func byName(_ names: JournalNames) -> [String: LedgerEntry] {
        var books: [String: LedgerEntry] = [:]
        for (device, entry) in entries {
            if let name = names.deviceNames[device] { books[name] = entry }
        }
        return books
    }
}

extension Journal {
    /// The entries of each sensor on disk, with the drops and gaps since. Readings that still wait for a transaction
    /// are in none of them.
    package var sensorBooks: [String: LedgerEntry] {
        var books =
            (try? read([:]) { try $0.pool.read { db in try LedgerPage(db).byName(JournalNames(db)) } }) ?? [:]
        let batches = state.withLock { [$0.batches.waiting, $0.batches.writing] }
        for batch in batches {
            for (reason, devices) in batch.losses {
                for (device, count) in devices {
                    books[device, default: LedgerEntry()].received &+= count
                    books[device, default: LedgerEntry()].dropped[reason.rawValue, default: 0] &+= count
                }
            }
            for (device, count) in batch.gaps { books[device, default: LedgerEntry()].missing &+= count }
        }
        return books
    }
}

extension JournalStatistics {
    /// The statistics of a journal from its file alone, which stays unchanged, without figures that only a running
    /// gateway knows.
    package init(readingFrom path: String, clock: BootClock) throws(JournalError) {
        do {
            self = try JournalReader(path: path).read { db, names in
                let page = try LedgerPage(db)
                var opening = JournalStore.Opening()
                opening.total = page.entries.values.reduce(into: LedgerEntry()) { $0 += $1 }
                opening.buffered = try JournalStore.countRows(in: db).values.reduce(0, +)
                var books = JournalStatistics(opening, path: path)
                books.sensors = page.byName(names)
                if let row = try JournalStore.rows(after: 0, limit: 1, in: db).first {
                    let boot = names.boots.values.first { $0.id == row.boot }
                    books.oldestAgeSeconds = Self.ageSeconds(of: row, boot: boot?.name, clock)
                }
                return books
            }
        } catch {
            throw JournalFile.explain(error, path: path)
        }
        source = .file
        bytes = JournalStore.bytes(at: path)
    }

    /// How long ago a row was received; nil when its time is unknown.
    static func ageSeconds(of row: JournalRow, boot: String?, _ clock: BootClock) -> Double? {
        let milliseconds: Int64
        if boot == clock.boot {
            milliseconds = clock.uptimeMilliseconds().subtractingSaturated(row.uptimeMilliseconds)
        } else if let unix = row.unixMilliseconds {
            milliseconds = clock.unixMilliseconds().subtractingSaturated(unix)
        } else {
            return nil
        }
        return Double(max(milliseconds, 0)) / 1_000
    }
}
