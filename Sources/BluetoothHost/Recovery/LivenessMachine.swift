// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// How long a scanner may hear nothing.
package struct LivenessLimits: Sendable {
    /// The shortest silence that is taken for a fault where something was heard before, …
    package var shortest: Duration = .seconds(60)
    /// …where nothing was ever heard, …
    package var first: Duration = .seconds(600)
    /// …and after everything was tried in vain: the place is quiet.
    package var longest: Duration = .seconds(21_600)
    /// What a step may take to show its effect, at least.
    package var proof: Duration = .seconds(20)

    package init() {}
}

/// Judges by its effect whether a scanner works: by what it hears. How long silence may last it learns from the place; only time in
/// which the controller scans counts. Without I/O and clocks.
package struct LivenessMachine: Sendable {
    /// Silences so many times as long as any before are none of this place.
    private static let factor = 8
    /// Longer gaps are not learned from.
    private static let longestGap: Duration = .seconds(1_800)

    private let limits: LivenessLimits
    /// Scanned since something was heard last, up to ``since``.
    private var scanned = Duration.zero
    /// Since when the controller scans; nil while it does not.
    private var since: MonotonicTime?
    private var gap = Duration.zero
    /// When something was heard last.
    package private(set) var lastHeard: MonotonicTime?
    private var hasData = false
    /// Something was heard since the newest link came up: before, it may have been the one that has a link now, and so is silent.
    private var hasHeardOthers = false
    private var links = 0
    /// When there was a sign of life last: an advertisement, or a packet on a link; of a start, when it was.
    private var lastSign: MonotonicTime?
    /// A step has to show its effect.
    private var isProving = false
    /// How often all was tried in vain.
    private var failures = 0

    package init(_ limits: LivenessLimits = LivenessLimits()) { self.limits = limits }

    package mutating func scans(_ isOn: Bool, at now: MonotonicTime) {
        if isOn {
            if since == nil { since = now }
        } else if let begin = since {
            scanned += now - begin
            since = nil
        }
    }

    /// The controller has told of an advertisement.
    package mutating func heard(at now: MonotonicTime) {
        let silence = silence(at: now)
        // A silence that had to be ended is no example.
        if lastHeard != nil, !isProving, failures == 0 { gap = min(max(gap, silence), Self.longestGap) }
        (lastHeard, lastSign) = (now, now)
        scanned = .zero
        if since != nil { since = now }
        (hasData, hasHeardOthers, isProving, failures) = (false, true, false, 0)
    }

    /// There are so many links.
    package mutating func bears(_ links: Int) {
        if links > self.links { hasHeardOthers = false }
        self.links = links
    }

    /// A packet on a link has come.
    package mutating func received(at now: MonotonicTime) { (hasData, lastSign) = (true, now) }

    /// When a scan is to be made for nothing but a sign of life, if something else than a scan wants the radio: a deaf
    /// controller waits for connections for ever, and nobody would notice.
    package mutating func probeDue(at now: MonotonicTime) -> MonotonicTime {
        if lastSign == nil { lastSign = now }
        return (lastSign ?? now) + limits.shortest
    }

    /// How long it has scanned and heard nothing.
    private func silence(at now: MonotonicTime) -> Duration { scanned + (since.map { now - $0 } ?? .zero) }

    private var limit: Duration {
        let learned = !hasHeardOthers ? limits.first : max(limits.shortest, gap * Self.factor)
        if isProving { return min(learned, max(limits.proof, gap * 2)) }
        return failures == 0 ? learned : min(max(learned, limits.first) * (1 << min(failures, 6)), limits.longest)
    }

    /// When ``trouble(at:)`` has to be asked.
    package var deadline: MonotonicTime? { since.map { $0 + max(.zero, limit - scanned) } }

    /// Nil while the silence is not longer than it may be.
    package func trouble(at now: MonotonicTime) -> RadioTrouble? {
        guard since != nil, silence(at: now) >= limit else { return nil }
        return .silence(silence(at: now), hasHeard: hasHeardOthers, isLinked: hasData || links > 0)
    }

    /// A step was taken: it has a while to show its effect.
    package mutating func prove(at now: MonotonicTime) {
        isProving = true
        begin(at: now)
    }

    /// All was tried: either there is nothing to be heard, or nothing helps.
    package mutating func giveUp(at now: MonotonicTime) {
        isProving = false
        failures += 1
        begin(at: now)
    }

    /// The silence counts anew.
    private mutating func begin(at now: MonotonicTime) {
        scanned = .zero
        hasData = false
        if since != nil { since = now }
    }
}
