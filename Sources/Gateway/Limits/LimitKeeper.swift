// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Configuration
import Health
import Journal
import Limits
import Platform
import Readings
import Synchronization

/// Judges readings by the limits of their sensors, keeps the events in the journal, and hands them to their readers.
///
/// Limits are judged once the journal has said what a former run knew. An event and the state behind it go to the disk in one
/// transaction: so a crossing is told once, whenever the process ends.
final class LimitKeeper: Sendable {
    struct State: Sendable {
        var machine = LimitMachine()
        var queue = LimitQueue()
        /// The journal has given the facts of former runs.
        var isLoaded = false
        /// Limits that came before ``isLoaded``.
        var early: [String: SensorLimits?] = [:]
        var readers: Set<LimitQueue.Reader> = [.mqtt]
        /// Unix time minus uptime of former boots, in milliseconds.
        var offsets: [String: Int64] = [:]
        var news = LimitNews()
    }

    /// Events at most that a reader is shown at once.
    private static let shown = 64

    private let journal: Journal
    private let clock: any WallClock
    let state = Mutex(State())
    /// False while no sensor has limits: readings pass without a look.
    private let isWatching = Atomic(false)
    /// Called when there is something for the readers.
    private let observer = Mutex<(@Sendable () -> Void)?>(nil)

    /// - Parameter readers: The readers of the configuration.
    init(journal: Journal, clock: any WallClock, readers: Set<LimitQueue.Reader>) {
        (self.journal, self.clock) = (journal, clock)
        state.withLock { $0.readers = readers }
        journal.whenOpen { [weak self] in self?.load() }
    }

    /// The observer must not wait.
    func setObserver(_ observe: (@Sendable () -> Void)?) { observer.withLock { $0 = observe } }

    private var now: LimitTime { LimitTime(clock.stamp()) }

    private func load() {
        let boots = (try? journal.boots()) ?? []
        let now = now
        change { state in
            for boot in boots { state.offsets[boot.name] = boot.offset }
            state.machine.load(from: journal)
            state.queue.load(from: journal)
            state.isLoaded = true
            for reader in LimitQueue.Reader.allCases where !state.readers.contains(reader) {
                state.queue.retire(reader)
            }
            let early = state.early
            state.early = [:]
            return early.sorted { $0.key < $1.key }.flatMap { state.machine.apply($0.value, to: $0.key, at: now) }
        }
    }

    // MARK: - What comes

    /// The readers that events are kept for, from now on.
    func setReaders(_ readers: Set<LimitQueue.Reader>) {
        change { state in
            for reader in state.readers.subtracting(readers) { state.queue.retire(reader) }
            state.readers = readers
            return []
        }
    }

    /// The limits of a sensor's entry; nil for none, and for a sensor that was removed.
    func apply(_ limits: SensorLimits?, to sensor: String) {
        let now = now
        change { state in
            guard state.isLoaded else {
                state.early[sensor] = .some(limits)
                return []
            }
            return state.machine.apply(limits, to: sensor, at: now)
        }
    }

    /// Readings on their way to the journal. Their values are in the table.
    func took(_ readings: [Reading], _ sensors: SensorTable) {
        guard isWatching.load(ordering: .relaxed) else { return }
        let watched = state.withLock { state in readings.filter { state.machine.watches($0.device) } }
        guard !watched.isEmpty else { return }
        let fields = watched.map { Self.fields(of: $0, sensors) }
        change { state in
            guard state.isLoaded else { return [] }
            return zip(watched, fields).flatMap {
                state.machine.took($1, of: $0.device, at: LimitTime($0.stamp))
            }
        }
    }

    private static func fields(of reading: Reading, _ sensors: SensorTable) -> [Field] {
        if case .done(let fields)? = sensors[reading.device]?.decoding(of: reading.value, reading.characteristic) {
            return fields ?? []
        }
        return sensors.decoder(reading.characteristic).flatMap { try? $0(reading.value) } ?? []
    }

    /// Takes a new status, and writes the limits into it.
    ///
    /// - Parameter maintained: Sensors in maintenance.
    func look(_ status: inout GatewayStatus, maintained: Set<String>) {
        let now = now
        let attention = Self.attention(status, maintained)
        // A part that does not answer says nothing about sensors.
        let isCurrent = status.late == nil
        change { state in
            guard state.isLoaded else { return [] }
            return isCurrent ? state.machine.look(at: now, attention) : []
        }
        let (limits, deliveries) = state.withLock { state in (state.machine.statuses(at: now), state.deliveries) }
        status.limits = limits.isEmpty ? nil : limits
        status.limitDeliveries = limits.isEmpty && deliveries == LimitDeliveries() ? nil : deliveries
    }

    private static func attention(
        _ status: GatewayStatus, _ maintained: Set<String>
    ) -> (String) -> LimitMachine.Attention {
        let isDeaf = status.controller.state != "powered on"
        let healths = Dictionary(status.collector.sensors.map { ($0.id, $0.health) }) { first, _ in first }
        return { sensor in
            if isDeaf || maintained.contains(sensor) { return .held }
            return switch healths[sensor] {
            case .fresh, .late: .present
            case .elsewhere, .unknown, .off: .held
            case .silent, .neverHeard, .notUnderstood, nil: .stale
            }
        }
    }

    // MARK: - For the readers

    /// For the publisher.
    var news: LimitNews { state.withLock { $0.news } }

    /// The oldest event for a reader.
    func next(for reader: LimitQueue.Reader) -> LimitEvent? {
        let now = now
        return state.withLock { $0.events(for: reader, limit: 1, now, clock).first }
    }

    /// A reader has the event.
    ///
    /// - Parameter reason: Why the event is given up instead; nil for an event that was told.
    func settle(_ number: Int64, by reader: LimitQueue.Reader, givenUp reason: LimitQueue.DropReason? = nil) {
        change { state in
            state.queue.settle(number, by: reader, givenUp: reason)
            return []
        }
    }

    // MARK: - Changes

    /// Changes the state, keeps what is new, and tells the readers.
    private func change(_ body: (inout State) -> [LimitMachine.Change]) {
        let now = now
        let isNews = state.withLock { (state: inout State) -> Bool in
            let events = body(&state)
            for event in events { _ = state.queue.add(event, for: state.readers) }
            guard state.isLoaded else { return false }
            isWatching.store(!state.machine.isEmpty, ordering: .relaxed)
            // Under the lock, so that the journal gets the facts in the order of their changes.
            keep(&state, tells: !events.isEmpty)
            return state.renewNews(shown: Self.shown, now, clock)
        }
        if isNews { observer.withLock { $0 }?() }
    }

    /// - Parameter tells: Whether the facts have a new event, which nobody is told before the disk has it.
    private func keep(_ state: inout State, tells: Bool) {
        let (waiting, number) = state.queue.takeFacts()
        let facts = state.machine.takeFacts().merging(waiting) { $1 }
        guard !facts.isEmpty else { return }
        let wrote: @Sendable (Bool) -> Void = { [weak self] isDone in
            if isDone { self?.wrote(upTo: number) }
        }
        journal.setIdentifiers(facts, whenDurable: tells ? wrote : nil)
    }

    private func wrote(upTo number: Int64) {
        let now = now
        let isNews = state.withLock { state in
            state.queue.wrote(upTo: number)
            return state.renewNews(shown: Self.shown, now, clock)
        }
        if isNews { observer.withLock { $0 }?() }
    }
}

extension LimitKeeper.State {
    /// The oldest events for a reader, with the wall times that became known since.
    func events(
        for reader: LimitQueue.Reader, limit: Int, _ now: LimitTime, _ clock: any WallClock
    ) -> [LimitEvent] {
        queue.events(for: reader, limit: limit, at: now).map { event in
            var event = event
            event.at.unixMs = wall(event.at, now, clock)
            event.crossing.since.unixMs = wall(event.crossing.since, now, clock)
            return event
        }
    }

    private func wall(_ time: LimitTime, _ now: LimitTime, _ clock: any WallClock) -> Int64? {
        if let unix = time.unixMs { return unix }
        let offset = time.boot == now.boot ? clock.anchor?.offset : offsets[time.boot]
        return offset.map { time.upMs.addingSaturated($0) }
    }

    /// - Returns: Whether there is something new for a reader.
    fileprivate mutating func renewNews(shown: Int, _ now: LimitTime, _ clock: any WallClock) -> Bool {
        let crossed = machine.crossed(at: now)
        let events = events(for: .mqtt, limit: shown, now, clock)
        var next = news
        if next.crossed != crossed || (next.revision == 0 && !machine.isEmpty) {
            (next.crossed, next.revision) = (crossed, next.revision &+ 1)
        }
        next.events = events
        let isNews = next != news
        news = next
        return isNews || queue.waiting(for: .webhook) > 0
    }

    fileprivate var deliveries: LimitDeliveries {
        var deliveries = LimitDeliveries()
        deliveries.events = queue.count
        for reader in LimitQueue.Reader.allCases {
            let waiting = queue.waiting(for: reader)
            if waiting > 0 { deliveries.waiting[reader.rawValue] = waiting }
        }
        for (reader, reasons) in queue.dropped {
            deliveries.dropped[reader.rawValue] = Dictionary(reasons.map { ($0.key.rawValue, $0.value) }) { first, _ in
                first
            }
        }
        return deliveries
    }
}

extension LimitMachine {
    /// All limits for the status.
    fileprivate func statuses(at now: LimitTime) -> [LimitStatus] {
        standing(at: now).map { crossing, isCrossed in
            let age = crossing.since.uptime(on: now).map { max(0, now.upMs.subtractingSaturated($0)) }
            return LimitStatus(
                sensor: crossing.sensor, quantity: crossing.quantity, side: crossing.side, limit: crossing.limit,
                isCrossed: isCrossed, value: isCrossed ? crossing.value : nil, ageMs: isCrossed ? age : nil)
        }
    }
}
