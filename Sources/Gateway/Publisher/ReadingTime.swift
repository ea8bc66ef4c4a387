// SPDX-License-Identifier: Apache-2.0

/// The time that a reading is published with.
struct ReadingTime: Equatable, Sendable {
    var unixMilliseconds: Int64?
    var quality: ClockQuality

    static let unknown = ReadingTime(unixMilliseconds: nil, quality: .unsynced)
}

/// What the publisher knows of the clocks of all boots, to tell when a reading was received.
struct TimeLine: Sendable {
    private var boots: [Int64: JournalBoot] = [:]
    /// The newest boot whose clock was right at some time.
    private var newestRight = Int64.min
    let current: String
    let publishUnsynced: Bool
    /// Unix time minus uptime of this boot once its clock is right: the journal may not have heard of it yet.
    var currentOffset: Int64?

    init(current: String, publishUnsynced: Bool) {
        self.current = current
        self.publishUnsynced = publishUnsynced
    }

    mutating func replaceBoots(_ boots: [JournalBoot]) {
        self.boots = Dictionary(boots.map { ($0.id, $0) }) { _, newer in newer }
        newestRight = boots.filter { $0.offset != nil }.map(\.id).max() ?? .min
    }

    func boot(_ id: Int64) -> JournalBoot? { boots[id] }

    /// The time to publish a reading with; nil while it is to be held back.
    ///
    /// A reading without a wall time is held until its boot's clock is right and its time follows from its uptime,
    /// or until the clock is right in a later boot: then it will never have one, and goes without. So whenever a
    /// reading is held, no later one has a wall time either, and holding it in its place keeps the order and blocks
    /// nothing that could go.
    func time(of row: JournalRow) -> ReadingTime? {
        if let unix = row.unixMilliseconds { return ReadingTime(unixMilliseconds: unix, quality: row.quality) }
        let isCurrent = boots[row.boot]?.name == current
        if let offset = boots[row.boot]?.offset ?? (isCurrent ? currentOffset : nil) {
            return ReadingTime(unixMilliseconds: row.uptimeMilliseconds.addingSaturated(offset), quality: .estimated)
        }
        if publishUnsynced || newestRight > row.boot || (currentOffset != nil && !isCurrent) { return .unknown }
        return nil
    }

    /// Whether a reading still counts as the present; readings of earlier boots never do.
    func isLive(_ row: JournalRow, at uptimeMilliseconds: Int64, window: Int64) -> Bool {
        boots[row.boot]?.name == current
            && uptimeMilliseconds.subtractingSaturated(row.uptimeMilliseconds) <= window
    }
}
