// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Platform
import Readings

/// The times of rows, from the journal's facts about boots; a value. Asks the journal for its boots at most once a
/// turn.
struct RowTimes {
    private var line: TimeLine
    /// The journal has already given its boots in this turn.
    private var bootsAreFresh = false

    init(boot: String, publishUnsynced: Bool) {
        line = TimeLine(current: boot, publishUnsynced: publishUnsynced)
    }

    /// Takes the clock's newest facts.
    ///
    /// - Returns: The anchor whose offset the journal should keep for this boot, if this is news.
    mutating func beginTurn(_ stamp: TimeStamp, _ anchor: ClockAnchor?) -> ClockAnchor? {
        bootsAreFresh = false
        return line.learn(stamp, anchor) ? line.anchor : nil
    }

    /// The time to publish with; asks the journal about boots if the known boots do not suffice.
    mutating func time(of row: JournalRow, from rows: any DeliveryRows) -> ReadingTime? {
        if line.boot(row.boot) != nil, let time = line.time(of: row) { return time }
        guard !bootsAreFresh || line.boot(row.boot) == nil else { return nil }
        bootsAreFresh = true
        if let boots = try? rows.boots() { line.replaceBoots(boots) }
        return line.time(of: row)
    }

    func isLive(_ row: JournalRow, at uptime: Int64, window: Int64) -> Bool {
        line.isLive(row, at: uptime, window: window)
    }

    /// The present boot.
    var boot: String { line.current }

    /// The boot of a row; empty if unknown.
    func boot(of row: JournalRow) -> String { line.boot(row.boot)?.name ?? "" }

    /// Milliseconds since 1970 UTC; nil if unknown.
    func wall(_ stamp: TimeStamp) -> Int64? {
        stamp.unixMilliseconds ?? line.anchor.map { stamp.uptimeMilliseconds.addingSaturated($0.offset) }
    }
}
