// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// The tables of ``ChartFile``, and what is done with them in a transaction.
enum ChartStatements {
    static func make(in db: Database) throws {
        // The time comes first in the key: new blocks are written side by side, and the oldest are removed so.
        try db.execute(
            sql: """
                CREATE TABLE series (
                    id INTEGER PRIMARY KEY, sensor TEXT NOT NULL, quantity TEXT NOT NULL, unit TEXT,
                    UNIQUE (sensor, quantity)
                );
                CREATE TABLE points (
                    tier INTEGER NOT NULL, block INTEGER NOT NULL, series INTEGER NOT NULL, value BLOB NOT NULL,
                    PRIMARY KEY (tier, block, series)
                ) WITHOUT ROWID;
                """)
    }

    /// - Parameter now: Milliseconds since 1970.
    static func write(_ blocks: [ChartBlock], at now: Int64, in db: Database) throws {
        try removeOld(at: now, in: db)
        for block in blocks where isKept(block.tier, block.block, at: now) && !block.points.isEmpty {
            guard let id = try series(of: block, in: db) else { continue }
            try put(block, id, in: db)
        }
        try joinDays(at: now, in: db)
    }

    static func blocks(_ tier: ChartTier, _ range: ClosedRange<Int64>, _ sensor: String?, in db: Database) throws
        -> [ChartBlock]
    {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT points.block, series.sensor, series.quantity, series.unit, points.value
                FROM points JOIN series ON series.id = points.series
                WHERE points.tier = ? AND points.block BETWEEN ? AND ? AND (? IS NULL OR series.sensor = ?)
                ORDER BY points.block, points.series
                """, arguments: [tier.rawValue, range.lowerBound, range.upperBound, sensor, sensor])
        return rows.compactMap { row in
            guard let number = row.integer(0), number >= 0, number < 1 << 40, let sensor = row.text(1),
                let quantity = row.text(2), case .blob(let value) = (row[4] as DatabaseValue).storage
            else { return nil }
            var block = ChartBlock(
                tier: tier, block: number, sensor: sensor, quantity: quantity, unit: row.text(3), points: [])
            block.points = ChartCoding.points(in: Array(value), first: block.first, length: tier.blockLength)
            return block.points.isEmpty ? nil : block
        }
    }

    private static func isKept(_ tier: ChartTier, _ block: Int64, at now: Int64) -> Bool {
        let newest = tier.block(at: now)
        return block <= newest && block > newest - tier.keptBlocks
    }

    /// Blocks of the future are from a wrong clock.
    private static func removeOld(at now: Int64, in db: Database) throws {
        for tier in ChartTier.allCases {
            let newest = tier.block(at: now)
            try db.execute(
                sql: "DELETE FROM points WHERE tier = ? AND (block <= ? OR block > ?)",
                arguments: [tier.rawValue, newest - tier.keptBlocks, newest])
        }
    }

    private static func put(_ block: ChartBlock, _ series: Int64, in db: Database) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO points (tier, block, series, value) VALUES (?, ?, ?, ?)",
            arguments: [block.tier.rawValue, block.block, series, Data(block.octets)])
    }

    /// The number of a series; nil if there are too many. Series without points make room.
    private static func series(of block: ChartBlock, in db: Database) throws -> Int64? {
        let known = try number(
            "SELECT id FROM series WHERE sensor = ? AND quantity = ?", [block.sensor, block.quantity], in: db)
        if let known { return known }
        let counting = "SELECT COUNT(*) FROM series"
        if try number(counting, [], in: db) ?? 0 >= ChartFile.maximumSeries {
            try db.execute(sql: "DELETE FROM series WHERE id NOT IN (SELECT DISTINCT series FROM points)")
            guard try number(counting, [], in: db) ?? 0 < ChartFile.maximumSeries else { return nil }
        }
        try db.execute(
            sql: "INSERT INTO series (sensor, quantity, unit) VALUES (?, ?, ?)",
            arguments: [block.sensor, block.quantity, block.unit])
        return db.lastInsertedRowID
    }

    private static func number(_ sql: String, _ arguments: StatementArguments, in db: Database) throws -> Int64? {
        try Row.fetchOne(db, sql: sql, arguments: arguments)?.integer(0)
    }

    /// Makes the hours of each day that is over, once.
    private static func joinDays(at now: Int64, in db: Database) throws {
        let today = ChartTier.hours.block(at: now)
        let hours = ChartTier.hours.blockLength
        let days = ChartTier.fiveMinutes.keptBlocks / hours
        for day in max(0, today - days)..<max(0, today) {
            let made = "SELECT 1 FROM points WHERE tier = ? AND block = ? LIMIT 1"
            if try number(made, [ChartTier.hours.rawValue, day], in: db) != nil { continue }
            let found = try blocks(.fiveMinutes, day * hours...day * hours + hours - 1, nil, in: db)
            for (_, blocks) in Dictionary(grouping: found, by: { [$0.sensor, $0.quantity] }) {
                guard var joined = blocks.first, let id = try series(of: joined, in: db) else { continue }
                let factor = ChartTier.hours.step / ChartTier.fiveMinutes.step
                (joined.tier, joined.block) = (.hours, day)
                joined.points = ChartPoint.joined(blocks.flatMap(\.points), by: factor)
                try put(joined, id, in: db)
            }
        }
    }
}
