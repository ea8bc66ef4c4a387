// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GRDB
import Readings

/// The eviction from a full journal: the sensors with the most rows give their oldest rows. A sensor that sends much,
/// or a stranger at its address, does not drive out the readings of other sensors.
///
/// A value, so that a failed transaction leaves the old state. Each transaction reads a bounded number of rows. The
/// value remembers the place of each sensor's oldest row, so that the rows of other sensors before it are not read each
/// time.
struct FairShare: Equatable {
    /// Rows that a transaction may read at least, however few it deletes.
    private static let leastRows = 4_096
    private static let page = 512
    /// Sensors whose places are remembered.
    private static let maximum = 1_024

    /// A sensor has no row with a number below its number here.
    private var first: [Int64: Int64] = [:]

    /// The number of rows that each sensor gives. Their sum is `surplus` or somewhat more. All sensors that give rows
    /// keep equally many.
    static func quotas(_ counts: [Int64: Int], surplus: Int) -> [Int64: Int] {
        // The greatest level above which there are enough rows.
        var (low, high) = (0, counts.values.max() ?? 0)
        func above(_ level: Int) -> Int { counts.values.reduce(0) { $0.addingSaturated(max(0, $1 - level)) } }
        while low < high {
            let middle = low + (high - low + 1) / 2
            if above(middle) >= surplus { low = middle } else { high = middle - 1 }
        }
        return counts.compactMapValues { $0 > low ? $0 - low : nil }
    }

    /// Rows in the journal by sensor: the ledger, and the changes of this transaction.
    static func counts(_ changes: LedgerChanges, in db: Database) throws -> [Int64: Int] {
        var entries = try LedgerPage(db).entries
        for (device, entry) in changes.entries { entries[device, default: LedgerEntry()] += entry }
        return entries.compactMapValues { $0.open > 0 ? $0.open : nil }
    }

    /// Deletes `surplus` rows, or as many as it finds within its bounds.
    ///
    /// - Parameter reach: Rows that may be read.
    mutating func drop(
        _ surplus: Int, reach: Int, _ reason: DropReason, changes: inout LedgerChanges, in db: Database
    ) throws -> Int {
        var quotas = Self.quotas(try Self.counts(changes, in: db), surplus: surplus)
        guard let start = quotas.keys.map({ first[$0] ?? .min }).min() else { return 0 }
        let wanted = Array(quotas.keys)
        var (cursor, left, unread) = (start, surplus, max(reach, Self.leastRows))
        /// The place that the search for a sensor's rows has reached.
        var places: [Int64: Int64] = [:]
        var run: ClosedRange<Int64>?
        var deleted = 0
        while left > 0, unread > 0 {
            var doomed: [ClosedRange<Int64>] = []
            var last: Int64?
            let limit = min(Self.page, unread)
            let count = try JournalStore.devices(of: cursor ... .max, limit: limit, in: db) { device, n in
                last = n
                guard left > 0, let quota = quotas[device], quota > 0 else {
                    if let done = run { doomed.append(done) }
                    run = nil
                    return
                }
                quotas[device] = quota - 1
                places[device] = n.addingSaturated(1)
                left -= 1
                run = (run?.lowerBound ?? n)...n
            }
            if let done = run { doomed.append(done) }
            run = nil
            for run in doomed { deleted += try JournalStore.delete(run, in: db) { changes.dropped($0, $1, reason) } }
            unread -= count
            guard let last, count == limit, last < .max else { break }
            cursor = last + 1
        }
        if first.count > Self.maximum { first.removeAll() }
        for device in wanted {
            // The search has read all rows before here of a sensor that could have given more, unless the search ended
            // with enough.
            let isOpen = (quotas[device] ?? 0) > 0 && left > 0
            let place = isOpen ? cursor : places[device]
            if let place, place > first[device] ?? .min { first[device] = place }
        }
        return deleted
    }
}
