// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A sensor's demand for the controller's links, and its present link. All times in milliseconds since boot.
struct SlotClaim: Equatable, Sendable {
    enum Phase: Equatable, Sendable {
        /// The sensor has no link, and the controller does not wait for the sensor.
        case waiting
        /// The controller waits for the sensor.
        case asked(since: Int64)
        /// The sensor has a link. `isServed`: the purpose of the turn is fulfilled; `isBusy`: the link must not be cut
        /// off.
        case linked(since: Int64, isServed: Bool, isBusy: Bool)
        /// Its link is being ended, or ends by itself.
        case ending
    }

    var key: UUID
    var phase: Phase
    /// When the sensor should have its next link.
    var due: Int64
    /// The wanted milliseconds between turns; nil: the sensor wants to keep its link.
    var interval: Int64?
    /// The sensor missed its last turn, so it may be away.
    var isMissed = false
    /// Other sensors were faster in the sensor's last turn.
    var isOvertaken = false
    /// Only an advertisement speaks for the sensor.
    var isCandidate = false
    /// The sensor has a link, and has not answered on it.
    var isMute = false
    /// Candidates in the order in which they came.
    var order: UInt64 = 0
}

/// The lengths of turns, in milliseconds.
package struct SlotLimits: Equatable, Sendable {
    /// A sensor that wants to keep its link has at least this time.
    package var shortestTurn: Int64 = 10_000
    /// A turn without all its values ends after this time.
    package var longestTurn: Int64 = 30_000
    /// The time of a silent candidate's first link, while other candidates wait.
    package var muteTurn: Int64 = 5_000
    /// A sensor that does not come within this time has missed its turn.
    package var patience: Int64 = 15_000
    /// After this idle time a stranger's link ends for a waiting sensor.
    package var idleTime: Int64 = 30_000
    /// The pause between two looks at the links of other devices, while a sensor waits for a link.
    package var foreignPace: Int64 = 5_000
    /// Additional requests beyond the free links, because some sensors may be away. No additional requests are made if
    /// a requested sensor was overtaken before: sensors that advertise more often would be faster each time.
    package var spare = 2

    package init() {}
}

/// Shares the links of a controller among sensors that want more links. The sensor that is overdue for the longest time
/// comes first, so every sensor gets a turn. A link ends only for a waiting sensor. Sensors that need only turns give
/// up their links before sensors that want to keep their links. Without I/O and clocks.
struct SlotSchedule: Equatable, Sendable {
    private let limits: SlotLimits
    /// Sensors to request, the most urgent first.
    private(set) var ask: [UUID] = []
    /// Sensors requested in vain: other sensors come next.
    private(set) var pass: [UUID] = []
    /// Sensors whose turn is over.
    private(set) var end: [UUID] = []
    /// The time of the next decision without an event.
    private(set) var next: Int64?
    /// There are more sensors than links.
    private(set) var isShort = false
    /// A sensor is due, and no link is free.
    private(set) var isWaiting = false

    /// The links that sensors may share: all links except the links of other devices, for example phones. `used` may
    /// already include a requested sensor whose link is reported in a moment. If it does not, the controller refuses
    /// requests beyond its limit.
    static func links(ofLimit limit: Int, used: Int, claims: [SlotClaim]) -> Int {
        let others = max(0, used - claims.count { $0.phase != .waiting })
        return max(0, limit - others)
    }

    /// `links`: the controller's links, without the links of devices outside `claims`.
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
        // A crowd of devices with a sensor's name gets some of the links, not all.
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
        isWaiting = free <= 0 && !due.isEmpty
        // A sensor that came the last time must not race for its turn with the sensors whose links have just ended for
        // it.
        let isSure = { (claim: SlotClaim) in claim.isOvertaken || claim.interval != nil && !claim.isMissed }
        let spare = due.prefix(max(0, free)).contains(where: isSure) ? 0 : limits.spare
        if free > 0 { ask = due.prefix(max(0, free + spare - asked)).map(\.key) }
        let unserved = due.dropFirst(ask.count)
        // For several sensors that may be away, a single link is tried.
        let wanting = unserved.count { !$0.isMissed } + (unserved.contains(where: \.isMissed) ? 1 : 0)
        if free <= 0 {
            // A sensor that wants to keep a link waits for the link of a sensor that only needs a turn. Otherwise each
            // turn would go round all sensors that want to keep their links.
            let patient = unserved.count { !$0.isMissed && $0.interval == nil }
            let soonFree = claims.count { $0.interval != nil && $0.phase != .waiting && $0.phase != .ending }
            let keepers = wanting - ending - min(patient, soonFree)
            endTurns(
                of: claims, for: wanting - ending, keepers: keepers, isForPeriodic: due.first?.interval != nil, at: now)
        }
        for claim in claims where claim.phase == .waiting && claim.due > now { wake(claim.due) }
    }

    /// - Parameter keepers: Limit of ends for sensors that want to keep their links.
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
        // A sensor that wants to keep its link gives way to a sensor with turns only if no sensor with turns has a
        // link.
        if isForPeriodic, pausing > 0 { done.removeAll { $0.interval == nil } }
        let order = done.sorted { Self.began($0) < Self.began($1) }
        let periodic = order.filter { $0.interval != nil }.prefix(count)
        let others = order.filter { $0.interval == nil }.prefix(max(0, min(keepers, count - periodic.count)))
        end += (periodic + others).map(\.key).filter { !end.contains($0) }
    }

    /// The most urgent first. The newest and the oldest candidate without a turn so far alternate. So neither
    /// earlier candidates nor an endless stream of candidates keeps a candidate out.
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

    /// Candidates have some of the links. Waiting candidates get these links from candidates that have had a link for
    /// long enough.
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
