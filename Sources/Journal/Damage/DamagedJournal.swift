// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GRDB
import Glibc
import Readings

/// A damaged journal in quarantine. It is read as far as possible; places that SQLite cannot read are skipped.
final class DamagedJournal {
    /// Longer only when much is unreadable: good rows between two damaged places must be found.
    private static let longestStep: Int64 = 1024

    let path: String
    private let queue: DatabaseQueue
    private let limit: StepLimit
    private let isUnwanted: @Sendable () -> Bool
    private let tables: Set<String>

    /// Nil when the file does not exist, or when nothing in it can be read. Throws passing errors.
    ///
    /// - Parameters:
    ///   - progress: Counts SQLite's steps on the file.
    ///   - isUnwanted: Asked before each search for rows: a card may take seconds to report an unreadable place.
    init?(
        _ path: String, isReadOnly: Bool = false, progress: JournalProgress? = nil,
        isUnwanted: @escaping @Sendable () -> Bool = { false }
    ) throws {
        guard access(path, F_OK) == 0 else {
            let code = errno
            if code == ENOENT || code == ENOTDIR { return nil }
            throw JournalError.unwritable(path: path, reason: String(cString: strerror(code)))
        }
        var configuration = Configuration()
        configuration.readonly = isReadOnly
        configuration.prepareDatabase(JournalFile.distrust)
        guard let queue = try Self.readable({ try DatabaseQueue(path: path, configuration: configuration) }) else {
            return nil
        }
        self.path = path
        self.queue = queue
        self.isUnwanted = isUnwanted
        limit = StepLimit(forFile: path, progress: progress)
        // Only true tables are read: a view in place of a table may be anything.
        let names = try Self.readable {
            try queue.read { db in
                try Row.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0")
                    .compactMap { $0.text(0) }
            }
        }
        tables = Set(names ?? [])
    }

    /// Nil for damage. A passing error says nothing about the file, and is thrown: no room for SQLite's index of the
    /// log, no descriptor left, another reader's lock. A place that the disk cannot read is damage.
    static func readable<Value>(_ body: () throws -> Value) throws -> Value? {
        do {
            return try body()
        } catch let error as DatabaseError {
            switch error.extendedResultCode {
            case .SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ: return nil
            default: break
            }
            switch error.resultCode {
            case .SQLITE_IOERR, .SQLITE_FULL, .SQLITE_CANTOPEN, .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_READONLY,
                .SQLITE_PERM:
                throw error
            default: return nil
            }
        }
    }

    /// The greatest row number that can still be read.
    func greatestNumber() throws -> Int64 {
        let last = try read("sqlite_sequence", "SELECT seq FROM sqlite_sequence WHERE name = 'reading'") {
            $0.integer(0)
        }
        let numbers = try last + read("reading", "SELECT MAX(n) FROM reading") { $0.integer(0) }
        return numbers.filter { $0 <= JournalStatistics.largestCount }.max() ?? 0
    }

    /// The ledger; nil when it cannot be read.
    func ledger() throws -> LedgerPage? {
        guard tables.isSuperset(of: ["ledger", "loss"]) else { return nil }
        return try Self.readable { try held { try LedgerPage($0) } }
    }

    private func held<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try queue.read { db in try limit.hold(db) { try body(db) } }
    }

    func identifiers() throws -> [String: String] {
        let pairs = try read("identifier", "SELECT key, value FROM identifier") { row in
            row.text(0).flatMap { key in
                row.text(1).map { (key, $0) }
            }
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// The name of the file from which this journal was being filled when it was damaged.
    var source: String? { get throws { try identifiers()[Quarantine.sourceKey] } }

    /// Names with their numbers. The index on names has both as well, on other pages; if they differ, the table
    /// decides.
    func names() throws -> JournalNames {
        var names = JournalNames()
        for (id, name) in try pairs("device") where names.deviceNames[id] == nil && names.devices[name] == nil {
            names.add(device: name, id: id)
        }
        for (id, name) in try pairs("characteristic")
        where names.characteristicNames[id] == nil && names.characteristics[name] == nil {
            names.add(characteristic: name, id: id)
        }
        for text in ["SELECT id, name, offset FROM boot", "SELECT id, name FROM boot ORDER BY name"] {
            for boot in try read("boot", text, { $0.count == 3 ? JournalBoot($0) : JournalBoot(nameOnly: $0) }) {
                names.add(boot)
            }
        }
        return names
    }

    private func pairs(_ table: String) throws -> [(Int64, String)] {
        try ["SELECT id, name FROM \(table)", "SELECT id, name FROM \(table) ORDER BY name"].flatMap { text in
            try read(table, text) { row in row.integer(0).flatMap { id in row.text(1).map { (id, $0) } } }
        }
    }

    /// All rows of a query before the first unreadable row.
    private func read<Value>(_ table: String, _ text: String, _ transform: (Row) -> Value?) throws -> [Value] {
        guard tables.contains(table) else { return [] }
        var values: [Value] = []
        _ = try Self.readable {
            try held { db in
                let cursor = try Row.fetchCursor(db, sql: text)
                while let row = try cursor.next() {
                    if let value = transform(row) { values.append(value) }
                }
            }
        }
        return values
    }

    // MARK: - Rows

    /// The next readable rows after `n`, up to `limit`; nil when there are none.
    func rows(after n: Int64, limit: Int, below greatest: Int64) throws -> [JournalRow]? {
        guard tables.contains("reading") else { return nil }
        var cursor = n
        while true {
            // Half the page may be good: fewer rows at a time, down to a single row.
            var size = limit
            while size > 0 {
                if let rows = try attempt(after: cursor, limit: size) { return rows.isEmpty ? nil : rows }
                size /= 10
            }
            guard let next = try nextReadable(after: cursor, below: greatest) else { return nil }
            cursor = next - 1
        }
    }

    /// Nil when SQLite cannot read at this place.
    private func attempt(after n: Int64, limit: Int) throws -> [JournalRow]? {
        guard !isUnwanted() else { throw JournalError.failed(path: path, reason: "the gateway stops") }
        return try Self.readable { try held { try JournalStore.rows(after: n, limit: limit, in: $0) } }
    }

    /// The first row after the unreadable place behind `n`. Damage is by pages of about a hundred rows: doubling steps
    /// find a row beyond the damage, and halving finds the exact place.
    private func nextReadable(after n: Int64, below greatest: Int64) throws -> Int64? {
        var bad = n
        var step: Int64 = 1
        while bad < greatest {
            let probe = min(bad.addingSaturated(step), greatest)
            guard try attempt(after: probe, limit: 1) != nil else {
                bad = probe
                step = min(step * 2, max(Self.longestStep, bad.subtractingSaturated(n) / 16))
                continue
            }
            var good = probe
            while good - bad > 1 {
                let middle = bad + (good - bad) / 2
                if try attempt(after: middle, limit: 1) != nil { good = middle } else { bad = middle }
            }
            return try attempt(after: good, limit: 1)?.first?.n
        }
        return nil
    }
}

extension JournalBoot {
    /// The columns id and name.
    fileprivate init?(nameOnly row: Row) {
        guard let id = row.integer(0), let name = row.text(1) else { return nil }
        self.init(id: id, name: name, offset: nil)
    }
}
