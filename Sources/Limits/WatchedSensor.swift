// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The limits of one sensor, and how they stand; a value.
struct WatchedSensor: Equatable, Sendable {
    private(set) var states: [LimitName: LimitState] = [:]
    /// Since when no value has come, in milliseconds since boot; nil before the first look.
    private var quietSince: LimitTime?

    /// The kept form: only limits that have something to tell.
    private struct Kept: Codable {
        var limit: Double
        /// Milliseconds.
        var delay: Int64
        var hysteresis: Double
        var phase: LimitState.Phase
        var since: LimitTime?
        var value: Double?
    }

    init() {}

    init(_ limits: SensorLimits) { states = Self.states(of: limits) }

    private static func states(of limits: SensorLimits) -> [LimitName: LimitState] {
        var states: [LimitName: LimitState] = [:]
        for (key, bounds) in limits.bounds {
            let delay = bounds.delay.wholeMilliseconds
            if let above = bounds.above {
                states[LimitName(key, .above)] = LimitState(
                    limit: above, delay: delay, hysteresis: bounds.hysteresis)
            }
            if let below = bounds.below {
                states[LimitName(key, .below)] = LimitState(
                    limit: below, delay: delay, hysteresis: bounds.hysteresis)
            }
        }
        if let silence = limits.silence {
            states[.silence] = LimitState(limit: Double(silence.wholeMilliseconds) / 1_000)
        }
        return states
    }

    // MARK: - Settings

    /// Takes new limits.
    ///
    /// - Returns: The crossed limits that are gone.
    mutating func apply(_ limits: SensorLimits) -> [(LimitName, LimitState)] {
        let new = Self.states(of: limits)
        let gone = states.filter { $0.value.phase == .crossed && new[$0.key] == nil }
        states = new.reduce(into: [:]) { result, pair in
            guard let former = states[pair.key] else { return result[pair.key] = pair.value }
            var state = pair.value.goingOn(former)
            if !pair.value.isLike(former) { state.startAgain() }
            result[pair.key] = state
        }
        return gone.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    var crossed: [(LimitName, LimitState)] {
        states.filter { $0.value.phase == .crossed }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    // MARK: - What comes

    /// Takes the fields of a value. A number that is not finite says nothing.
    mutating func took(_ fields: [Field], at time: LimitTime) -> [(LimitName, LimitEvent.Outcome, Double?)] {
        var events: [(LimitName, LimitEvent.Outcome, Double?)] = []
        quietSince = time
        if states[.silence]?.phase == .crossed {
            states[.silence]?.end()
            events.append((.silence, .over, nil))
        }
        for field in fields {
            guard let number = field.value.number, number.isFinite else { continue }
            for side in [LimitSide.above, .below] {
                let name = LimitName(field.key, side)
                if let outcome = states[name]?.took(number, side, at: time) { events.append((name, outcome, number)) }
            }
        }
        return events
    }

    /// The time goes on.
    ///
    /// - Parameter isStale: The newest value says nothing about the present.
    mutating func tick(at now: LimitTime, isStale: Bool) -> [(LimitName, LimitEvent.Outcome, Double?)] {
        let quiet = quietSince ?? now
        quietSince = quiet
        var events: [(LimitName, LimitEvent.Outcome, Double?)] = []
        if let state = states[.silence], state.phase != .crossed,
            Double(now.upMs.subtractingSaturated(quiet.upMs)) / 1_000 > state.limit
        {
            states[.silence]?.phase = .crossed
            states[.silence]?.since = quiet
            events.append((.silence, .crossed, nil))
        }
        guard !isStale else { return events }
        for name in states.keys.sorted() where states[name]?.phase == .waiting {
            guard let outcome = states[name]?.due(at: now) else { continue }
            events.append((name, outcome, states[name]?.value))
        }
        return events
    }

    /// Limits do not hold at present: delays and silence begin again afterwards.
    mutating func hold(at now: LimitTime) {
        quietSince = now
        for name in states.keys { states[name]?.startAgain() }
    }

    // MARK: - Over a restart

    /// A restart would tell something else with the former ``text`` than with the new one.
    func isToKeep(after former: WatchedSensor) -> Bool {
        states.count != former.states.count
            || states.contains { name, state in
                guard let old = former.states[name] else { return true }
                return !state.isLike(old) || state.phase != old.phase || state.since != old.since
            }
    }

    /// Empty where nothing is to be kept.
    var text: String {
        // The silence of a sensor that does not come back after a restart is noticed, too.
        let kept = states.filter { $0.value.phase != .inside || $0.key == .silence }
        guard !kept.isEmpty else { return "" }
        let pairs = kept.map { name, state in
            (
                name.text,
                Kept(
                    limit: state.limit, delay: state.delay, hysteresis: state.hysteresis, phase: state.phase,
                    since: state.since, value: state.value)
            )
        }
        return FactText.of(Dictionary(pairs) { first, _ in first })
    }

    /// Reads ``text``; a text that cannot be read has nothing.
    init(text: String) {
        for (key, kept) in FactText.read([String: Kept].self, text) ?? [:] {
            guard let name = LimitName(key) else { continue }
            var state = LimitState(limit: kept.limit, delay: kept.delay, hysteresis: kept.hysteresis)
            (state.phase, state.since, state.value) = (kept.phase, kept.since, kept.value)
            if state.since == nil { state.phase = .inside }
            states[name] = state
        }
    }
}
