// SPDX-License-Identifier: Apache-2.0

import GRDB
import GRDBSQLite
import Readings

/// The additions of one transaction to the ledger, by device number; they are written in the same transaction.
///
/// The table has one short row for each device, so that a commit touches one page of the table with some 200 sensors.
/// Drops are rare and have a table of their own.
struct LedgerChanges {
    var entries: [Int64: LedgerEntry] = [:]
    /// A ``RowCount`` has passed the rows with numbers below this number.
    private let countedBelow: Int64
    /// Deleted rows among the passed rows, by device.
    private(set) var uncounted: [Int64: Int] = [:]

    init(countedBelow: Int64 = .min) { self.countedBelow = countedBelow }

    mutating func received(_ device: Int64) { entries[device, default: LedgerEntry()].received &+= 1 }

    /// The row `n` is gone: the broker has it.
    mutating func delivered(_ device: Int64, _ n: Int64) {
        entries[device, default: LedgerEntry()].delivered &+= 1
        uncount(device, n)
    }

    /// The row `n` is gone, for this reason.
    mutating func dropped(_ device: Int64, _ n: Int64, _ reason: DropReason) {
        dropped(1, of: device, reason)
        uncount(device, n)
    }

    private mutating func uncount(_ device: Int64, _ n: Int64) {
        if n < countedBelow { uncounted[device, default: 0] += 1 }
    }

    mutating func dropped(_ count: Int, of device: Int64, _ reason: DropReason) {
        entries[device, default: LedgerEntry()].dropped[reason.rawValue, default: 0] &+= count
    }

    /// The sum of all entries.
    var total: LedgerEntry { entries.values.reduce(into: LedgerEntry()) { $0 += $1 } }

    func write(in db: Database) throws {
        guard !entries.isEmpty else { return }
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO ledger (device, received, delivered, missing) VALUES (?, ?, ?, ?)
                ON CONFLICT (device) DO UPDATE SET received = received + excluded.received,
                    delivered = delivered + excluded.delivered, missing = missing + excluded.missing
                """)
        let handle = statement.sqliteStatement
        // In the order of the table's pages.
        for (device, entry) in entries.sorted(by: { $0.key < $1.key }) {
            sqlite3_bind_int64(handle, 1, device)
            sqlite3_bind_int64(handle, 2, Int64(entry.received))
            sqlite3_bind_int64(handle, 3, Int64(entry.delivered))
            sqlite3_bind_int64(handle, 4, Int64(entry.missing))
            let code = sqlite3_step(handle)
            sqlite3_reset(handle)
            guard code == SQLITE_DONE else { throw JournalStore.error(code, in: db) }
            for (reason, count) in entry.dropped where count != 0 {
                // Runs once for each sensor and commit in a full journal: cached, so that SQLite does not parse it each
                // time.
                let statement = try db.cachedStatement(
                    sql: """
                        INSERT INTO loss (device, reason, count) VALUES (?, ?, ?)
                        ON CONFLICT (device, reason) DO UPDATE SET count = count + excluded.count
                        """)
                try statement.execute(arguments: [device, reason, count])
            }
        }
    }
}

/// The ledger entries of all sensors on disk.
struct LedgerPage {
    var entries: [Int64: LedgerEntry] = [:]
    /// Values that are no counts, by column; they were taken for 0.
    var damage: [String] = []
    /// Devices with such a value.
    var damagedDevices: Set<Int64> = []

    /// The sum of all entries.
    var total: LedgerEntry { entries.values.reduce(into: LedgerEntry()) { $0 += $1 } }

    init(_ db: Database) throws {
        for row in try Row.fetchAll(db.cachedStatement(sql: "SELECT device, received, delivered, missing FROM ledger"))
        {
            guard let device = row.integer(0) else { continue }
            var entry = LedgerEntry()
            entry.received = count(row, 1, "received", of: device)
            entry.delivered = count(row, 2, "delivered", of: device)
            entry.missing = count(row, 3, "missing", of: device)
            entries[device] = entry
        }
        for row in try Row.fetchAll(db.cachedStatement(sql: "SELECT device, reason, count FROM loss")) {
            guard let device = row.integer(0), let reason = row.text(1) else {
                damage.append("loss.reason")
                damagedDevices.insert(row.integer(0) ?? LedgerEntry.unattributed)
                continue
            }
            let count = count(row, 2, reason, of: device)
            if count > 0 { entries[device, default: LedgerEntry()].dropped[reason] = count }
        }
    }

    private mutating func count(_ row: Row, _ column: Int, _ name: String, of device: Int64) -> Int {
        if let value = row.count(column) { return value }
        // Readings received before the migration are fewer than zero if the ledger did not balance then.
        if device == LedgerEntry.unattributed, column == 1, let value = row.integer(column),
            (-Int64(JournalStatistics.largestCount)..<0).contains(value)
        {
            return Int(value)
        }
        damage.append("\(name) of device \(device)")
        damagedDevices.insert(device)
        return 0
    }
}
