// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What one sensor wants of the controller's links, and what it has. All times in milliseconds since boot.
struct SlotClaim: Equatable, Sendable {
    enum Phase: Equatable, Sendable {
        /// It has no link and none is asked for.
        case waiting
        /// The controller waits for it.
        case asked(since: Int64)
        /// It has a link. `isServed`: it has brought what one turn is for; `isBusy`: it must not be cut off.
        case linked(since: Int64, isServed: Bool, isBusy: Bool)
        /// Its link is being ended, or ends by itself.
        case ending
    }

    var key: UUID
    var phase: Phase
    /// When it should have a link again.
    var due: Int64
    /// One turn in so many milliseconds is enough; nil: it wants to keep its link.
    var interval: Int64?
    /// It did not come when it was asked for last: it may be away.
    var isMissed = false
    /// Others were faster when it was asked for last.
    var isOvertaken = false
    /// Nothing but an advertisement speaks for it.
    var isCandidate = false
    /// It has a link, and has answered nothing on it.
    var isMute = false
    /// Candidates in the order in which they came.
    var order: UInt64 = 0
}

/// How long turns are, in milliseconds.
package struct SlotLimits: Equatable, Sendable {
    /// A sensor that wants to keep its link has it for so long at least.
    package var shortestTurn: Int64 = 10_000
    /// A turn in which not everything came ends after so long.
    package var longestTurn: Int64 = 30_000
    /// A candidate that answers nothing has its first link for so long, while other candidates wait.
    package var muteTurn: Int64 = 5_000
    /// A sensor that does not come within this time has missed its turn.
    package var patience: Int64 = 15_000
    /// So many more than there are free links are asked for, since some may be away; unless one of those was overtaken before, by
    /// sensors that advertise more often and would be faster each time.
    package var spare = 2

    package init() {}
}

/// Shares the links that a controller bears among sensors that want more of them. Whoever has waited longest past the time at
/// which it is due comes first, so that nobody starves; a link ends only for one that waits, and those that are content with a
/// turn now and then give theirs up before those that want to keep it. Without I/O and clocks.
struct SlotSchedule: Equatable, Sendable {
    private let limits: SlotLimits
    /// To be asked for, the most urgent first.
    private(set) var ask: [UUID] = []
    /// Asked for in vain: others are to be asked for now.
    private(set) var pass: [UUID] = []
    /// Whose turn is over.
    private(set) var end: [UUID] = []
    /// When to decide again though nothing happened.
    private(set) var next: Int64?
    /// There are more sensors than links.
    private(set) var isShort = false

    /// The links that sensors may share: all but those of others, such as phones. A sensor that is asked for may be among `used`
    /// already, its link told of in a moment; where it is not, the controller refuses what is asked for too much.
    static func links(ofLimit limit: Int, used: Int, claims: [SlotClaim]) -> Int {
        let others = max(0, used - claims.count { $0.phase != .waiting })
        return max(0, limit - others)
    }

    /// `links`: those that the controller bears, without those that others than these sensors have.
    init(_ claims: [SlotClaim], links: Int, limits: SlotLimits = .init(), at now: Int64) {
        self.limits = limits
        isShort = claims.count > links
        guard isShort else {
            ask = claims.filter { $0.phase == .waiting }.sorted { $0.due < $1.due }.map(\.key)
            return
        }
        let holders = claims.count { if case .linked = $0.phase { true } else { false } }
        let ending = claims.count { $0.phase == .ending }
        var asked = 0
        for case (let claim, .asked(let since)) in claims.map({ ($0, $0.phase) }) {
            if now - since >= limits.patience {
                pass.append(claim.key)
            } else {
                asked += 1
                wake(since + limits.patience)
            }
        }
        var due = Self.inTurn(claims.filter { $0.phase == .waiting && $0.due <= now })
        // A crowd that bears a sensor's name gets some of the links, not all.
        var room = max(1, links / 2) - claims.count { $0.isCandidate && $0.phase != .waiting }
        var crowd = 0
        due = due.filter { claim in
            guard claim.isCandidate else { return true }
            room -= 1
            if room < 0 { crowd += 1 }
            return room >= 0
        }
        let leaving = claims.count { $0.isCandidate && $0.phase == .ending }
        endCandidates(of: claims, for: crowd - leaving, at: now)
        let free = links - holders - ending
        // One that came the last time is not to race for its turn with those that it has just taken a link from.
        let isSure = { (claim: SlotClaim) in claim.isOvertaken || claim.interval != nil && !claim.isMissed }
        let spare = due.prefix(max(0, free)).contains(where: isSure) ? 0 : limits.spare
        if free > 0 { ask = due.prefix(max(0, free + spare - asked)).map(\.key) }
        let unserved = due.dropFirst(ask.count)
        // For several that may be away, one link is tried.
        let wanting = unserved.count { !$0.isMissed } + (unserved.contains(where: \.isMissed) ? 1 : 0)
        if free <= 0 {
            // Who wants to keep a link waits for one of those that are content with a turn and have one: otherwise each turn of one of
            // them would go round all that want to keep theirs.
            let patient = unserved.count { !$0.isMissed && $0.interval == nil }
            let soonFree = claims.count { $0.interval != nil && $0.phase != .waiting && $0.phase != .ending }
            let keepers = wanting - ending - min(patient, soonFree)
            endTurns(
                of: claims, for: wanting - ending, keepers: keepers, isForPeriodic: due.first?.interval != nil, at: now)
        }
        for claim in claims where claim.phase == .waiting && claim.due > now { wake(claim.due) }
    }

    /// - Parameter keepers: So many at most of those that want to keep their links.
    private mutating func endTurns(
        of claims: [SlotClaim], for count: Int, keepers: Int, isForPeriodic: Bool, at now: Int64
    ) {
        guard count > 0 else { return }
        var done: [SlotClaim] = []
        var pausing = 0
        for case (let claim, .linked(let since, let isServed, let isBusy)) in claims.map({ ($0, $0.phase) }) {
            if claim.interval != nil { pausing += 1 }
            guard !isBusy else { continue }
            let limit = isServed ? (claim.interval == nil ? limits.shortestTurn : 0) : limits.longestTurn
            if now - since >= limit { done.append(claim) } else { wake(since + limit) }
        }
        // Those that want to keep theirs give it to one with turns only where no other has one to give.
        if isForPeriodic, pausing > 0 { done.removeAll { $0.interval == nil } }
        let order = done.sorted { Self.began($0) < Self.began($1) }
        let periodic = order.filter { $0.interval != nil }.prefix(count)
        let others = order.filter { $0.interval == nil }.prefix(max(0, min(keepers, count - periodic.count)))
        end += (periodic + others).map(\.key).filter { !end.contains($0) }
    }

    /// The most urgent first. Of candidates that have not had a turn the newest and the oldest alternate: neither those that were
    /// there before nor those that never end keep one out.
    private static func inTurn(_ claims: [SlotClaim]) -> [SlotClaim] {
        let sorted = claims.sorted { $0.due < $1.due }
        var fresh = sorted.filter { $0.isCandidate && $0.due == 0 }.sorted { $0.order < $1.order }[...]
        guard fresh.count > 1 else { return sorted }
        var alternating: [SlotClaim] = []
        while let claim = alternating.count.isMultiple(of: 2) ? fresh.popLast() : fresh.popFirst() {
            alternating.append(claim)
        }
        var next = alternating.makeIterator()
        return sorted.map { $0.isCandidate && $0.due == 0 ? next.next() ?? $0 : $0 }
    }

    /// Candidates have some of the links; those that wait get them from those that had one for long enough.
    private mutating func endCandidates(of claims: [SlotClaim], for count: Int, at now: Int64) {
        guard count > 0 else { return }
        var done: [SlotClaim] = []
        for case (let claim, .linked(let since, _, let isBusy)) in claims.map({ ($0, $0.phase) }) {
            guard claim.isCandidate, !isBusy else { continue }
            let limit = claim.isMute ? limits.muteTurn : limits.longestTurn
            if now - since >= limit { done.append(claim) } else { wake(since + limit) }
        }
        end = done.sorted { Self.began($0) < Self.began($1) }.prefix(count).map(\.key)
    }

    private static func began(_ claim: SlotClaim) -> Int64 {
        if case .linked(let since, _, _) = claim.phase { since } else { 0 }
    }

    private mutating func wake(_ time: Int64) { next = min(next ?? time, time) }
}
