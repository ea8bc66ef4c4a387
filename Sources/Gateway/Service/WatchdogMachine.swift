// SPDX-License-Identifier: Apache-2.0

/// Decides when the watchdog is fed: once a round, when every part has shown that it is alive. Rounds begin by time, but
/// no passing of time feeds it.
struct WatchdogMachine {
    enum Part: String, CaseIterable, Sendable {
        case radio, journal
    }

    enum Effect: Equatable {
        /// Have the part call ``answered(_:)`` from where it does its work.
        case ask(Part)
        case feed
        /// Stopping takes long, but goes on.
        case extendStop
        /// The part has not answered for a whole round; said once, until it answers.
        case silent(Part)
    }

    /// Asked, and not answered yet: nobody is asked twice, so that nothing piles up with a part that hangs.
    private var asked: Set<Part> = []
    private var alive: Set<Part> = []
    private var reported: Set<Part> = []
    private var progress: UInt64?
    private var isStopping = false

    /// Begins a round.
    ///
    /// - Parameter progress: how far long work of the journal has come, in steps. A file that is salvaged for minutes
    ///   keeps its queue from answering; as long as it gets on, that is life, too.
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
                effects += note(part)
            } else if reported.insert(part).inserted {
                effects.append(.silent(part))
            }
        }
        return effects
    }

    mutating func answered(_ part: Part) -> [Effect] {
        asked.remove(part)
        reported.remove(part)
        return isStopping ? [] : note(part)
    }

    /// The parts end one by one from now on: only the journal's work is looked at.
    mutating func stop() { isStopping = true }

    private mutating func note(_ part: Part) -> [Effect] {
        alive.insert(part).inserted && alive.count == Part.allCases.count ? [.feed] : []
    }
}
