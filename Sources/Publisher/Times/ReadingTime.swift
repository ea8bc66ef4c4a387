// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Platform
import Readings

/// The published time of a reading.
package struct ReadingTime: Equatable, Sendable {
    /// Milliseconds since 1970 UTC; nil if unknown.
    package var unixMilliseconds: Int64?
    package var quality: ClockQuality

    package init(unixMilliseconds: Int64?, quality: ClockQuality) {
        self.unixMilliseconds = unixMilliseconds
        self.quality = quality
    }

    static let unknown = ReadingTime(unixMilliseconds: nil, quality: .unsynced)
}

/// The publisher's facts about the clocks of all boots, for the times of readings.
struct TimeLine: Sendable {
    private var boots: [Int64: JournalBoot] = [:]
    /// The boot with the greatest id, which most rows belong to.
    private var newest: JournalBoot?
    /// The newest boot with a right clock at some time.
    private var newestRight = Int64.min
    let current: String
    let publishUnsynced: Bool
    /// The relation of wall time and uptime in this boot, once known: the journal may not have it so far.
    private(set) var anchor: ClockAnchor?
    /// The last sample of the clock with a known wall time.
    private var now: ClockSample?

    init(current: String, publishUnsynced: Bool) {
        self.current = current
        self.publishUnsynced = publishUnsynced
    }

    mutating func replaceBoots(_ boots: [JournalBoot]) {
        self.boots = Dictionary(boots.map { ($0.id, $0) }) { _, newer in newer }
        newest = boots.max { $0.id < $1.id }.flatMap { self.boots[$0.id] }
        newestRight = boots.filter { $0.offset != nil }.map(\.id).max() ?? .min
    }

    func boot(_ id: Int64) -> JournalBoot? { newest?.id == id ? newest : boots[id] }

    /// Takes the clock's newest facts. True if the journal should keep the anchor's offset for this boot.
    mutating func learn(_ stamp: TimeStamp, _ anchor: ClockAnchor?) -> Bool {
        now = stamp.unixMilliseconds.map { ClockSample(uptime: stamp.uptimeMilliseconds, unix: $0) }
        guard let anchor, anchor != self.anchor else { return false }
        self.anchor = anchor
        return true
    }

    /// The time to publish a reading with; nil while the reading is held back.
    ///
    /// A reading without a wall time is held until its boot's clock is right and its time follows from its uptime. If
    /// the clock becomes right only in a later boot, the reading will never have a time, and goes without. So when a
    /// reading is held, no later reading has a wall time either. A held reading in its place keeps the order, and
    /// blocks no reading that could go.
    func time(of row: JournalRow) -> ReadingTime? {
        let isCurrent = boot(row.boot)?.name == current
        if let unix = row.unixMilliseconds {
            guard let corrected = isCurrent ? corrected(unix, of: row) : possible(unix, of: row) else {
                return ReadingTime(unixMilliseconds: unix, quality: row.quality)
            }
            return corrected
        }
        if isCurrent, let anchor { return estimate(row, offset: anchor.offset) }
        if let offset = boots[row.boot]?.offset { return estimate(row, offset: offset) }
        if publishUnsynced || newestRight > row.boot || (anchor != nil && !isCurrent) { return .unknown }
        return nil
    }

    /// A better time for a reading of this boot: a later setting of the clock has proved the time wrong. The possible
    /// error of a free-running clock is no reason: a reading keeps its first time.
    private func corrected(_ unix: Int64, of row: JournalRow) -> ReadingTime? {
        guard let anchor, let now else { return nil }
        let (ahead, age) = (
            unix.subtractingSaturated(row.uptimeMilliseconds).subtractingSaturated(now.offset),
            now.uptime.subtractingSaturated(row.uptimeMilliseconds)
        )
        // The clock does not go back for small steps, so a reading may keep a time that is a small step ahead.
        if ahead > ClockMachine.smallStep, ahead > age { return estimate(row, offset: now.offset) }
        let byAnchor = row.uptimeMilliseconds.addingSaturated(anchor.offset)
        guard unix.distanceSaturated(to: byAnchor) > anchor.tolerance(at: row.uptimeMilliseconds) else { return nil }
        return estimate(row, offset: anchor.offset)
    }

    /// A better time for a reading of an earlier boot with a time in the future: the earlier boot's clock was wrong.
    private func possible(_ unix: Int64, of row: JournalRow) -> ReadingTime? {
        guard let now, unix > now.unix else { return nil }
        return boots[row.boot]?.offset.map { estimate(row, offset: $0) } ?? .unknown
    }

    /// The time that follows from the uptime; unknown if this time is in the future.
    private func estimate(_ row: JournalRow, offset: Int64) -> ReadingTime {
        let unix = row.uptimeMilliseconds.addingSaturated(offset)
        guard let now, unix > now.unix else { return ReadingTime(unixMilliseconds: unix, quality: .estimated) }
        // For this boot: the anchor and the present offset differ by the drift of a clock.
        guard boots[row.boot]?.name == current, row.uptimeMilliseconds <= now.uptime else { return .unknown }
        return ReadingTime(unixMilliseconds: now.unix, quality: .estimated)
    }

    /// Whether a reading still counts as the present; readings of earlier boots never do.
    func isLive(_ row: JournalRow, at uptimeMilliseconds: Int64, window: Int64) -> Bool {
        boot(row.boot)?.name == current
            && uptimeMilliseconds.subtractingSaturated(row.uptimeMilliseconds) <= window
    }
}
