// SPDX-License-Identifier: Apache-2.0

/// Decides when to feed the watchdog: once a round, after every part has shown life. Time begins a round, but time
/// alone never feeds the watchdog.
struct WatchdogMachine {
    enum Part: String, CaseIterable, Sendable {
        case radio, journal
    }

    enum Effect: Equatable {
        /// The part has to call ``answered(_:)`` from its place of work.
        case ask(Part)
        case feed
        /// The stop takes long, but makes progress.
        case extendStop
        /// The part has not answered for a whole round; reported once, until the part answers.
        case silent(Part)
    }

    /// Parts with an open question. A part gets no second question before its answer, so questions cannot pile up in a
    /// part that hangs.
    private var asked: Set<Part> = []
    private var alive: Set<Part> = []
    private var reported: Set<Part> = []
    private var progress: UInt64?
    private var isStopping = false

    /// Begins a round.
    ///
    /// - Parameter progress: The journal's progress in long work, in steps. The repair of a file may block the
    ///   journal's queue for minutes; progress then counts as life.
    mutating func beginRound(progress: UInt64) -> [Effect] {
        let hasProgress = self.progress.map { $0 != progress } ?? false
        self.progress = progress
        if isStopping { return hasProgress ? [.extendStop, .feed] : [] }
        var effects: [Effect] = []
        alive = []
        for part in Part.allCases {
            if !asked.contains(part) {
                asked.insert(part)
                effects.append(.ask(part))
            } else if part == .journal, hasProgress {
                effects += record(part)
            } else if reported.insert(part).inserted {
                effects.append(.silent(part))
            }
        }
        return effects
    }

    mutating func answered(_ part: Part) -> [Effect] {
        asked.remove(part)
        reported.remove(part)
        return isStopping ? [] : record(part)
    }

    /// From now on the parts end one by one: only the journal's progress counts.
    mutating func stop() { isStopping = true }

    private mutating func record(_ part: Part) -> [Effect] {
        alive.insert(part).inserted && alive.count == Part.allCases.count ? [.feed] : []
    }
}
