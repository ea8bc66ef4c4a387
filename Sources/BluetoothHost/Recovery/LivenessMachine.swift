// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// How long a scanner may hear nothing.
package struct LivenessLimits: Sendable {
    /// The shortest silence that counts as a fault, if the scanner has heard anything before, …
    package var shortest: Duration = .seconds(60)
    /// …if it has never heard anything, …
    package var first: Duration = .seconds(600)
    /// …and after every step has failed: the place is quiet.
    package var longest: Duration = .seconds(21_600)
    /// The least time in which a step may show its effect.
    package var proof: Duration = .seconds(20)

    package init() {}
}

/// Judges a scanner by its effect: by the advertisements that it hears. The permitted silence is learned from the
/// place. Only time in which the controller scans counts. Without I/O and clocks.
package struct LivenessMachine: Sendable {
    /// A silence this many times as long as any before is not normal for the place.
    private static let factor = 8
    /// Longer gaps are not learned from.
    private static let longestGap: Duration = .seconds(1_800)

    private let limits: LivenessLimits
    /// Time scanned since the last advertisement, up to ``since``.
    private var scanned = Duration.zero
    /// Since when the controller scans; nil while it does not scan.
    private var since: MonotonicTime?
    private var gap = Duration.zero
    /// When the scanner last heard an advertisement.
    package private(set) var lastHeard: MonotonicTime?
    /// When the last packet on a link came.
    package private(set) var lastReceived: MonotonicTime?
    private var hasData = false
    /// An advertisement was heard since the newest link came up. Earlier advertisements may be from the peer of this
    /// link, which is silent now.
    private var hasHeardOthers = false
    private var links = 0
    /// When the last sign of life came: an advertisement, or a packet on a link. Before the first sign, the time of the
    /// start.
    private var lastSign: MonotonicTime?
    /// A step has to show its effect.
    private var isProving = false
    /// How often every step has failed.
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

    /// The controller has reported an advertisement.
    package mutating func heard(at now: MonotonicTime) {
        let silence = silence(at: now)
        // A silence that a step had to end is no example.
        if lastHeard != nil, !isProving, failures == 0 { gap = min(max(gap, silence), Self.longestGap) }
        (lastHeard, lastSign) = (now, now)
        scanned = .zero
        if since != nil { since = now }
        (hasData, hasHeardOthers, isProving, failures) = (false, true, false, 0)
    }

    /// There are this many links.
    package mutating func bears(_ links: Int) {
        if links > self.links { hasHeardOthers = false }
        self.links = links
    }

    /// A packet on a link has come.
    package mutating func received(at now: MonotonicTime) { (hasData, lastSign, lastReceived) = (true, now, now) }

    /// When a scan for a sign of life is due, if another use wants the radio. Without this scan, a deaf controller
    /// would wait for connections for ever, unnoticed.
    package mutating func probeDue(at now: MonotonicTime) -> MonotonicTime {
        if lastSign == nil { lastSign = now }
        return (lastSign ?? now) + limits.shortest
    }

    /// The scanned time without an advertisement.
    private func silence(at now: MonotonicTime) -> Duration { scanned + (since.map { now - $0 } ?? .zero) }

    private var limit: Duration {
        let learned = !hasHeardOthers ? limits.first : max(limits.shortest, gap * Self.factor)
        if isProving { return min(learned, max(limits.proof, gap * 2)) }
        return failures == 0 ? learned : min(max(learned, limits.first) * (1 << min(failures, 6)), limits.longest)
    }

    /// When ``trouble(at:)`` has to be asked.
    package var deadline: MonotonicTime? { since.map { $0 + max(.zero, limit - scanned) } }

    /// Nil while the silence is within the limit.
    package func trouble(at now: MonotonicTime) -> RadioTrouble? {
        guard since != nil, silence(at: now) >= limit else { return nil }
        return .silence(silence(at: now), hasHeard: hasHeardOthers, isLinked: hasData || links > 0)
    }

    /// A step was taken, and has a while to show its effect.
    package mutating func prove(at now: MonotonicTime) {
        isProving = true
        begin(at: now)
    }

    /// Every step was tried. Either there is nothing to hear, or nothing helps.
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
