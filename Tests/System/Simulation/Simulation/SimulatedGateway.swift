// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import MQTT
import Platform

/// Decides the next step of one simulated gateway: a machine without I/O.
///
/// The machine acts like the publisher of a gateway, in this order: `online`, information, the sensors' availability,
/// then messages without an acknowledgement from before, then readings, all within the window; statistics now and then.
/// If readings fall due while they cannot go out, only the newest reading of each sensor is made (``ReadingTurns``).
package struct SimulatedGateway: Sendable {
    /// The constant settings.
    package struct Rules: Sendable {
        package var sensors: Int
        /// Time from one reading to the next.
        package var gap: Duration
        /// Messages that may be sent and not acknowledged.
        package var window: Int
        /// Takes retained messages back in the end.
        package var clears: Bool
        package var statisticsInterval: Duration = .seconds(60)
        package var reconnectDelay: ClosedRange<Duration> = .seconds(1)...(.seconds(60))
        /// How long to wait for CONNACK.
        package var answerTimeout: Duration = .seconds(15)
        package var acknowledgementTimeout: Duration = .seconds(60)
        /// A connection of this length is a good one: the next wait begins small again.
        package var stableTime: Duration = .seconds(30)

        package init(sensors: Int, gap: Duration, window: Int, clears: Bool) {
            self.sensors = sensors
            self.gap = gap
            self.window = window
            self.clears = clears
        }
    }

    package enum Step: Equatable, Sendable {
        /// The caller answers with ``connecting(at:)`` or ``ended(at:spread:)``.
        case connect
        /// The caller answers with ``sent(_:as:at:)``.
        case publish(SimulatedMessage)
        /// All messages are sent; no step follows.
        case disconnect
    }

    package struct InFlight: Equatable, Sendable {
        package var id: Int32
        package var message: SimulatedMessage
        package var time: MonotonicTime
    }

    private enum State: Equatable {
        case away(until: MonotonicTime)
        /// A TCP connection is being made.
        case opening
        /// CONNECT was sent.
        case greeting(since: MonotonicTime)
        case connected(since: MonotonicTime)
        case over
    }

    private let rules: Rules
    private let start: MonotonicTime
    private var state: State
    private var backoff: Backoff
    private var tries = 0
    /// Connections that the broker has accepted.
    package private(set) var connections = 0
    /// The window, as the broker narrows it.
    private var limit: Int
    private var speech: GatewaySpeech
    private var turns: ReadingTurns
    package private(set) var acknowledged = 0
    private var nextStatistics = MonotonicTime.zero
    /// Oldest first.
    private var inFlight: [InFlight] = []
    /// Readings without an acknowledgement on an earlier connection, in the order of their numbers.
    private var repeats: [SimulatedReading] = []
    /// The message that the caller has to send, until it is sent.
    private var pending: SimulatedMessage?
    /// The highest number sent so far.
    private var newestSent: Int64 = 0
    private var isEnding = false

    /// - Parameters:
    ///   - start: The time of the first connection.
    ///   - phase: From the first connection to the first reading; less than a gap, so that gateways do not all send at
    ///     once.
    package init(_ rules: Rules, start: MonotonicTime, phase: Duration) {
        self.rules = rules
        self.start = start
        speech = GatewaySpeech(sensors: rules.sensors, clears: rules.clears)
        turns = ReadingTurns(sensors: rules.sensors, gap: rules.gap, phase: phase)
        state = .away(until: start)
        backoff = Backoff(rules.reconnectDelay)
        limit = rules.window
    }

    package var isOver: Bool { state == .over }
    package var isConnected: Bool { if case .connected = state { true } else { false } }
    package var inFlightCount: Int { inFlight.count }
    /// Readings made so far.
    package var made: Int64 { turns.made }
    /// Readings that fell due and were never made.
    package var skipped: Int { turns.skipped }
    /// Readings made and not acknowledged, sent or not.
    package var unacknowledged: Int {
        repeats.count + inFlight.count { $0.message.reading != nil } + (pending?.reading == nil ? 0 : 1)
    }

    // MARK: - Steps

    /// The next step; nil until ``deadline``, or until something happens.
    ///
    /// - Parameter unix: Milliseconds since 1970, for a reading that is made now.
    package mutating func next(at now: MonotonicTime, unix: Int64) -> Step? {
        switch state {
        case .away(let end):
            guard now >= end else { return nil }
            state = .opening
            tries += 1
            return .connect
        case .opening, .greeting, .over: return nil
        case .connected:
            guard inFlight.count < limit else { return nil }
            let step = isEnding ? nextOfEnd() : nextMessage(at: now, unix: unix).map(Step.publish)
            if case .publish(let message) = step { pending = message }
            return step
        }
    }

    private mutating func nextMessage(at now: MonotonicTime, unix: Int64) -> SimulatedMessage? {
        if let message = speech.nextAnnouncement() { return message }
        if !repeats.isEmpty { return .reading(repeats.removeFirst()) }
        if now >= nextStatistics {
            nextStatistics = now + rules.statisticsInterval
            return .statistics
        }
        return turns.take(at: now, uptime: now - start, unix: unix).map(SimulatedMessage.reading)
    }

    /// All readings are acknowledged before the goodbye; retained messages are taken back last.
    private mutating func nextOfEnd() -> Step? {
        if !repeats.isEmpty { return .publish(.reading(repeats.removeFirst())) }
        guard mayEnd else { return nil }
        if let message = speech.nextFarewell() { return .publish(message) }
        state = .over
        return .disconnect
    }

    /// The end can go on: no acknowledgement has to come first.
    private var mayEnd: Bool {
        guard speech.isLeaving else { return unacknowledged == 0 || !repeats.isEmpty }
        return !speech.hasLeft || inFlight.isEmpty
    }

    /// When ``next(at:unix:)`` or ``failure(at:)`` may have a result without a further event; nil for never.
    package var deadline: MonotonicTime? {
        switch state {
        case .away(let end): return end
        case .opening, .over: return nil
        case .greeting(let since): return since + rules.answerTimeout
        case .connected:
            let overdue = inFlight.first.map { $0.time + rules.acknowledgementTimeout }
            guard inFlight.count < limit else { return overdue }
            if isEnding { return mayEnd ? .zero : overdue }
            if !speech.hasAnnounced || !repeats.isEmpty { return .zero }
            return [overdue, turns.next, nextStatistics].compactMap { $0 }.min()
        }
    }

    /// Why the connection has to be given up; nil while the connection is good.
    package func failure(at now: MonotonicTime) -> MQTTFailure? {
        switch state {
        case .greeting(let since) where now >= since + rules.answerTimeout: .noAnswer
        case .connected:
            inFlight.first.flatMap {
                now >= $0.time + rules.acknowledgementTimeout ? .noAcknowledgement(rules.acknowledgementTimeout) : nil
            }
        default: nil
        }
    }

    // MARK: - Events

    /// CONNECT was sent.
    package mutating func connecting(at now: MonotonicTime) {
        if state == .opening { state = .greeting(since: now) }
    }

    /// The broker has accepted the connection.
    ///
    /// - Parameter receiveMaximum: Messages that the broker takes before their acknowledgements, 1 or more.
    package mutating func accepted(receiveMaximum: Int, at now: MonotonicTime) {
        guard case .greeting = state else { return }
        state = .connected(since: now)
        connections += 1
        limit = max(min(rules.window, receiveMaximum), 1)
        speech.begin()
        nextStatistics = now
        turns.begin(at: now)
    }

    /// The message of ``Step/publish(_:)`` is on its way.
    ///
    /// - Returns: Whether the message is a reading that was sent before.
    /// - Throws: ``MQTTFailure/messageIDsUsedUp`` if another message waits under this id.
    @discardableResult
    package mutating func sent(
        _ message: SimulatedMessage, as id: Int32, at now: MonotonicTime
    ) throws(MQTTFailure) -> Bool {
        pending = nil
        let isTaken = inFlight.contains { $0.id == id }
        if !message.isUnacknowledged { inFlight.append(InFlight(id: id, message: message, time: now)) }
        if isTaken { throw .messageIDsUsedUp }
        guard let reading = message.reading else { return false }
        defer { newestSent = max(newestSent, reading.n) }
        return reading.n <= newestSent
    }

    /// The broker has accepted or refused a message. Nil for a message that the gateway does not wait for.
    package mutating func settled(_ id: Int32, isRefused: Bool) -> InFlight? {
        guard let index = inFlight.firstIndex(where: { $0.id == id }) else { return nil }
        let settled = inFlight.remove(at: index)
        if settled.message.reading != nil, !isRefused { acknowledged += 1 }
        return settled
    }

    /// The connection has ended, or was not made. The unacknowledged messages go again.
    ///
    /// - Parameter spread: 0.5…1.5, the share of the wait that is taken.
    package mutating func ended(at now: MonotonicTime, spread: Double) {
        guard !isOver else { return }
        if case .connected(let since) = state, now - since >= rules.stableTime { backoff.reset() }
        let readings = inFlight.compactMap(\.message.reading) + [pending?.reading].compactMap { $0 }
        repeats = (readings + repeats).sorted { $0.n < $1.n }
        pending = nil
        inFlight.removeAll(keepingCapacity: true)
        state = .away(until: now + backoff.wait(spread: spread))
    }

    /// Ends the readings, and then the connection with a goodbye. A gateway whose turn to connect has not come ends at
    /// once.
    package mutating func end(at now: MonotonicTime) {
        isEnding = true
        switch state {
        case .away where tries == 0 && now < start: state = .over
        // The end leaves little time: a long wait is cut short.
        case .away(let until): state = .away(until: min(until, now + rules.reconnectDelay.lowerBound))
        case .opening, .greeting, .connected, .over: break
        }
    }
}
