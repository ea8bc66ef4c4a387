// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GRDB
import Readings

/// Thins a journal from its oldest rows on, as far as windows are over. A value, so that a failed transaction leaves
/// the old state.
///
/// The thinning goes by sections of whole windows and reads each section twice, the second time for the rows nearest to
/// the means. However many rows a window has, a transaction does a part of the work, and the next transaction
/// continues.
struct Thinning {
    /// The progress of one transaction.
    struct Progress {
        var deleted = 0
        /// More rows have to be thinned.
        var isBusy = false
    }

    private enum Phase { case measuring, choosing, deleting }

    /// Rows of a section, at least, so that not each commit begins a section.
    static let sectionRows = 4096
    /// Windows of sensors in a section, at most, for they take memory. A section may have to end within a window.
    private static let sectionGroups = 65_536
    private static let pageRows = 512

    /// All rows up to here have been thinned.
    private(set) var done: Int64
    private let window: Int64
    private var thinner: Thinner
    private var phase = Phase.measuring
    /// Rows of the section up to here have been read, or deleted, in this phase.
    private var cursor: Int64
    /// The last row of the section, once it is known.
    private var end: Int64 = 0
    private var rows = 0
    /// Boot and number of the last row's window.
    private var place: (boot: Int64, index: Int64)?
    private var kept: [Int64] = []

    init(after done: Int64, window: Int64) {
        self.done = done
        self.window = window
        cursor = done
        thinner = Thinner(window: window)
    }

    /// Continues until enough rows are deleted, all rows are thinned, or `budget` rows have been read or deleted.
    mutating func goOn(
        deleting excess: Int, budget: Int, names: JournalNames, in db: Database,
        _ delete: (ClosedRange<Int64>) throws -> Int
    ) throws -> Progress {
        var progress = Progress()
        var left = budget
        while progress.deleted < excess || phase == .deleting {
            guard left > 0 else {
                progress.isBusy = true
                return progress
            }
            switch phase {
            case .measuring:
                let page = try JournalStore.rows(after: cursor, limit: Self.pageRows, in: db)
                left -= page.count
                guard measure(page, names: names) || page.count == Self.pageRows else { return progress }
            case .choosing:
                let page = try JournalStore.rows(after: cursor, limit: Self.pageRows, in: db)
                left -= max(page.count, 1)
                choose(page, names: names)
            case .deleting: progress.deleted += try deleteNext(&left, in: db, delete)
            }
        }
        return progress
    }

    /// Whether the section ends in this page.
    private mutating func measure(_ page: [JournalRow], names: JournalNames) -> Bool {
        for row in page {
            let index = thinner.index(of: row)
            // A row that comes a little late belongs to the window before.
            let isLater = place.map { row.boot != $0.boot || index > $0.index } ?? true
            if isLater, rows >= Self.sectionRows || thinner.count >= Self.sectionGroups {
                return endSection()
            }
            if isLater { place = (row.boot, index) }
            thinner.measure(row, names: names)
            rows += 1
            cursor = row.n
            if thinner.count >= 2 * Self.sectionGroups { return endSection() }
        }
        return false
    }

    private mutating func endSection() -> Bool {
        end = cursor
        cursor = done
        phase = .choosing
        return true
    }

    private mutating func choose(_ page: [JournalRow], names: JournalNames) {
        for row in page.prefix(while: { $0.n <= end }) { thinner.choose(row, names: names) }
        cursor = page.last?.n ?? end
        guard cursor >= end || page.count < Self.pageRows else { return }
        kept = thinner.kept.reversed()
        cursor = done
        phase = .deleting
    }

    /// Deletes the rows between two rows that stay.
    private mutating func deleteNext(
        _ left: inout Int, in db: Database, _ delete: (ClosedRange<Int64>) throws -> Int
    ) throws -> Int {
        left -= 1
        while let next = kept.last, next <= cursor.addingSaturated(1) {
            cursor = max(cursor, next)
            kept.removeLast()
        }
        let bound = min(kept.last?.subtractingSaturated(1) ?? end, end)
        guard cursor < bound else {
            if cursor >= end { self = Thinning(after: end, window: window) }
            return 0
        }
        var run = cursor.addingSaturated(1)...bound
        if let last = try JournalStore.number(ofRow: max(left, 1), in: run, db) { run = run.lowerBound...last }
        let deleted = try delete(run)
        left -= deleted
        cursor = run.upperBound
        return deleted
    }
}
