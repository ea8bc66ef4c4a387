// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// Judges the values of sensors by their limits; a value without I/O and clocks.
///
/// Values and the time go in, the beginnings and ends of crossings come out, each once. ``fact(of:)`` is kept in the journal
/// together with the events, and so a restart tells no crossing again.
package struct LimitMachine: Sendable {
    /// An event without its number.
    package struct Change: Equatable, Sendable {
        package var outcome: LimitEvent.Outcome
        package var crossing: LimitCrossing
        package var value: Double?
        package var at: LimitTime
    }

    /// The state of a sensor at a look.
    package enum Attention: Equatable, Sendable {
        /// The newest value is one of the present.
        case present
        /// The newest value is too old to say something.
        case stale
        /// Limits do not hold: the radio is down, another gateway has the sensor, or somebody works at it.
        case held
    }

    /// Most sensors with limits: more than a collector has.
    private static let maximumSensors = 2_048
    private static let factPrefix = "limits:"

    private var sensors: [String: WatchedSensor] = [:]
    /// Sensors whose limits do not hold, as of the last look.
    private var held: Set<String> = []
    /// Sensors with a new ``fact(of:)``.
    private var unkept: Set<String> = []

    package init() {}

    // MARK: - Settings

    package func watches(_ sensor: String) -> Bool { sensors[sensor] != nil }
    package var isEmpty: Bool { sensors.isEmpty }

    /// The limits of a sensor's entry; nil or empty limits end the watch.
    package mutating func apply(_ limits: SensorLimits?, to sensor: String, at now: LimitTime) -> [Change] {
        guard var watched = sensors[sensor] else {
            guard let limits, !limits.isEmpty, sensors.count < Self.maximumSensors else { return [] }
            sensors[sensor] = WatchedSensor(limits)
            unkept.insert(sensor)
            return []
        }
        let before = watched
        let gone = watched.apply(limits ?? SensorLimits())
        sensors[sensor] = limits?.isEmpty == false ? watched : nil
        if watched.isToKeep(after: before) { unkept.insert(sensor) }
        return gone.map { name, state in
            Change(outcome: .removed, crossing: Self.crossing(sensor, name, state, now), value: nil, at: now)
        }
    }

    // MARK: - What comes

    /// A value has come.
    ///
    /// - Parameter time: The time of its reception.
    package mutating func took(_ fields: [Field], of sensor: String, at time: LimitTime) -> [Change] {
        guard !held.contains(sensor), var watched = sensors.removeValue(forKey: sensor) else { return [] }
        let before = watched
        let events = watched.took(fields, at: time)
        sensors[sensor] = watched
        if watched.isToKeep(after: before) { unkept.insert(sensor) }
        return changes(events, of: sensor, before, watched, at: time)
    }

    /// The time goes on: delays and silences end.
    package mutating func look(at now: LimitTime, _ attention: (String) -> Attention) -> [Change] {
        var changes: [Change] = []
        held = []
        for sensor in sensors.keys.sorted() {
            guard var watched = sensors.removeValue(forKey: sensor) else { continue }
            let before = watched
            let attention = attention(sensor)
            guard attention != .held else {
                watched.hold(at: now)
                sensors[sensor] = watched
                held.insert(sensor)
                if watched.isToKeep(after: before) { unkept.insert(sensor) }
                continue
            }
            let events = watched.tick(at: now, isStale: attention == .stale)
            sensors[sensor] = watched
            if watched.isToKeep(after: before) { unkept.insert(sensor) }
            changes += self.changes(events, of: sensor, before, watched, at: now)
        }
        return changes
    }

    private func changes(
        _ events: [(LimitName, LimitEvent.Outcome, Double?)], of sensor: String, _ before: WatchedSensor,
        _ after: WatchedSensor, at time: LimitTime
    ) -> [Change] {
        events.compactMap { name, outcome, value in
            guard let state = (outcome == .crossed ? after : before).states[name] else { return nil }
            return Change(
                outcome: outcome, crossing: Self.crossing(sensor, name, state, time), value: value, at: time)
        }
    }

    private static func crossing(
        _ sensor: String, _ name: LimitName, _ state: LimitState, _ now: LimitTime
    ) -> LimitCrossing {
        LimitCrossing(
            sensor: sensor, quantity: name.quantity.isEmpty ? nil : name.quantity, side: name.side, limit: state.limit,
            value: state.value, since: state.since ?? now)
    }

    // MARK: - What is asked

    /// The crossed limits, by sensor and name.
    package func crossed(at now: LimitTime) -> [LimitCrossing] {
        sensors.sorted { $0.key < $1.key }.flatMap { sensor, watched in
            watched.crossed.map { Self.crossing(sensor, $0, $1, now) }
        }
    }

    /// All limits, with true for crossed ones: by sensor, then name. Only a crossed limit has a value and its beginning.
    package func standing(at now: LimitTime) -> [(LimitCrossing, isCrossed: Bool)] {
        sensors.sorted { $0.key < $1.key }.flatMap { sensor, watched in
            watched.states.sorted { $0.key < $1.key }.map {
                (Self.crossing(sensor, $0.key, $0.value, now), $0.value.phase == .crossed)
            }
        }
    }

    // MARK: - Over a restart

    /// The new facts for the journal; an empty text keeps nothing.
    package mutating func takeFacts() -> [String: String] {
        defer { unkept = [] }
        return Dictionary(unkept.map { (Self.factPrefix + $0, sensors[$0]?.text ?? "") }) { first, _ in first }
    }

    /// Takes what a former run has kept, before the limits of this run.
    package mutating func load(from facts: any FactSource) {
        for (sensor, text) in facts.identifiers(withPrefix: Self.factPrefix) where sensors.count < Self.maximumSensors {
            guard sensors[sensor] == nil else { continue }
            let watched = WatchedSensor(text: text)
            if !watched.states.isEmpty { sensors[sensor] = watched }
        }
    }
}
