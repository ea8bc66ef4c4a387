// SPDX-License-Identifier: Apache-2.0

import GRDB
import Readings

/// The proof of a journal's ledger, from its file alone: received = delivered + buffered + dropped, for each sensor and
/// in total. The audit reads one state of the file, even beside a gateway that writes.
package struct Audit: Codable, Equatable, Sendable {
    package struct Account: Codable, Equatable, Sendable {
        /// The sensor's name in topics; nil for the account of unknown sensors.
        package var device: String?
        package var received: Int
        package var delivered: Int
        /// Rows in the file.
        package var buffered: Int
        package var dropped: [String: Int]
        /// Values that were never received, by the sensor's own sequence. They are not among the received readings.
        package var missing: Int

        /// Received readings that are in none of the other columns; negative when the other columns have too many.
        package var unaccounted: Int { received &- delivered &- buffered &- droppedTotal }
        package var droppedTotal: Int { dropped.values.reduce(0, &+) }

        init(_ device: String?, _ entry: LedgerEntry, buffered: Int) {
            self.device = device
            received = entry.received
            delivered = entry.delivered
            self.buffered = buffered
            dropped = entry.dropped
            missing = entry.missing
        }
    }

    package var path: String
    package var total: Account
    /// By name; the account of unknown sensors comes last.
    package var sensors: [Account]
    /// The faults, in sentences; empty when the ledger balances.
    package var complaints: [String] = []
    /// The result of SQLite's integrity check; nil without a check.
    package var integrity: String?

    /// No fault was found.
    package var balances = true

    /// Reads the journal at `path` and nothing else; with `full` every page in use.
    package init(path: String, full: Bool) throws(JournalError) {
        do {
            let reader = try JournalReader(path: path)
            self = try reader.read { db, names in try Audit(db, names: names, path: path) }
            if full {
                let lines = try reader.integrity()
                integrity = lines.joined(separator: "; ")
                if lines != ["ok"] { complaints.append("the file is damaged: \(integrity ?? "")") }
            }
            balances = complaints.isEmpty
        } catch {
            throw JournalFile.explain(error, path: path)
        }
    }

    private init(_ db: Database, names: JournalNames, path: String) throws {
        let page = try LedgerPage(db)
        let rows = try JournalStore.countRows(in: db)
        self.path = path
        total = Account(
            nil, page.entries.values.reduce(into: LedgerEntry()) { $0 += $1 },
            buffered: rows.values.reduce(0, +))
        var unnamed = Account(nil, LedgerEntry(), buffered: 0)
        sensors = []
        for device in Set(page.entries.keys).union(rows.keys).sorted() {
            let account = Account(
                names.deviceNames[device], page.entries[device] ?? LedgerEntry(), buffered: rows[device] ?? 0)
            if account.device == nil { unnamed.add(account) } else { sensors.append(account) }
            guard account.unaccounted != 0 else { continue }
            complaints.append(account.complaint)
        }
        sensors.sort { ($0.device ?? "") < ($1.device ?? "") }
        if unnamed != Account(nil, LedgerEntry(), buffered: 0) { sensors.append(unnamed) }
        complaints += Set(page.damage).sorted().map { "no count: \($0)" }
        let last = try Row.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'reading'")?.integer(0)
        let greatest = try Row.fetchOne(db, sql: "SELECT MAX(n) FROM reading")?.integer(0)
        if let greatest, greatest > last ?? 0 {
            complaints.append("row \(greatest) has a number that was not given: the last one was \(last ?? 0)")
        }
    }
}

extension Audit.Account {
    fileprivate mutating func add(_ other: Self) {
        received &+= other.received
        delivered &+= other.delivered
        buffered &+= other.buffered
        missing &+= other.missing
        dropped.merge(other.dropped) { $0 &+ $1 }
    }

    fileprivate var complaint: String {
        let name = device.map { "sensor \($0)" } ?? "readings without a sensor"
        return unaccounted > 0
            ? "\(name): \(unaccounted) received readings are nowhere"
            : "\(name): \(-unaccounted) more readings than were received"
    }
}
