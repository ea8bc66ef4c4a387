// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// How one limit of a sensor stands; a value.
struct LimitState: Equatable, Sendable {
    enum Phase: String, Codable, Sendable {
        /// The values are inside.
        case inside = "i"
        /// A value is beyond the limit, and the delay is not over.
        case waiting = "w"
        case crossed = "c"
    }

    /// In the quantity's unit; seconds for silence.
    var limit: Double
    /// Milliseconds.
    var delay: Int64
    var hysteresis: Double
    var phase = Phase.inside
    /// The first value beyond the limit; nil inside.
    var since: LimitTime?
    /// The value that began the crossing.
    var value: Double?
    /// A value of this run has come since the start: what a former run has kept crosses nothing by itself.
    var isConfirmed = false

    init(limit: Double, delay: Int64 = 0, hysteresis: Double = 0) {
        (self.limit, self.delay, self.hysteresis) = (limit, delay, hysteresis)
    }

    /// The same settings.
    func isLike(_ other: LimitState) -> Bool {
        limit == other.limit && delay == other.delay && hysteresis == other.hysteresis
    }

    /// The new settings, and the former course.
    func goingOn(_ former: LimitState) -> LimitState {
        var state = self
        (state.phase, state.since, state.value) = (former.phase, former.since, former.value)
        state.isConfirmed = former.isConfirmed
        return state
    }

    /// Takes a value.
    ///
    /// - Returns: The event's outcome; nil without an event.
    mutating func took(_ number: Double, _ side: LimitSide, at time: LimitTime) -> LimitEvent.Outcome? {
        let excess = side == .above ? number - limit : limit - number
        isConfirmed = true
        switch phase {
        case .inside, .waiting:
            guard excess > 0 else {
                end()
                return nil
            }
            if since == nil { since = time }
            (phase, value) = (.waiting, number)
            return due(at: time)
        case .crossed:
            // A value on the limit itself is inside.
            guard excess <= -hysteresis else { return nil }
            end()
            return .over
        }
    }

    /// Crosses the limit when the delay is over.
    mutating func due(at time: LimitTime) -> LimitEvent.Outcome? {
        guard phase == .waiting, isConfirmed, let since else { return nil }
        let began = since.uptime(on: time)
        // A delay that began before a boot without a clock begins again.
        if began == nil { self.since = time }
        guard time.upMs.subtractingSaturated(began ?? time.upMs) >= delay else { return nil }
        phase = .crossed
        return .crossed
    }

    /// The delay begins again with the next value.
    mutating func startAgain() {
        if phase == .waiting { end() }
    }

    mutating func end() { (phase, since, value) = (.inside, nil, nil) }
}
