// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Platform

/// The queue of all work of a collector, its time, its random numbers, and the single timer of its deadlines.
///
/// No other part of the collector reads a clock or makes random numbers: each part receives what it needs of both.
///
/// `@unchecked Sendable`: only `queue` touches mutable state.
final class CollectorLoop: @unchecked Sendable {
    private static let leeway = DispatchTimeInterval.milliseconds(20)

    let queue = DispatchQueue(label: "martlet.collector")
    private let time: @Sendable () -> DispatchTime
    private var randomness: Randomness
    private var timer: (any DispatchSourceTimer)?
    /// The sensors' next deadline.
    private(set) var armed = DispatchTime.distantFuture
    /// Work for later, in the order of its arrival.
    private var later: [(time: DispatchTime, work: () -> Void)] = []

    init(time: @escaping @Sendable () -> DispatchTime, randomness: Randomness) {
        (self.time, self.randomness) = (time, randomness)
    }

    var now: DispatchTime { time() }

    /// Spreads the pauses of sensors: 0.8…1.2 at random, the share of a pause that is taken.
    func spread() -> Double { randomness.number(in: 0.8...1.2) }

    /// `handler` is called on the queue when a deadline has passed.
    func start(_ handler: @escaping @Sendable () -> Void) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in
            self?.workThatIsDue()
            handler()
        }
        timer.activate()
        self.timer = timer
        arm()
    }

    func wake(at deadline: DispatchTime) {
        armed = deadline
        arm()
    }

    /// Runs `work` on the queue at this time, or when the loop stops, if this comes first. A stopped loop runs nothing: callers ask
    /// `isStopping` before.
    func run(at time: DispatchTime, _ work: @escaping () -> Void) {
        later.append((time, work))
        arm()
    }

    func stop() {
        timer?.cancel()
        timer = nil
        let left = later
        later = []
        for entry in left { entry.work() }
    }

    private func arm() {
        let next = later.map(\.time).min() ?? .distantFuture
        timer?.schedule(deadline: min(armed, next), leeway: Self.leeway)
    }

    private func workThatIsDue() {
        let now = now
        let due = later.filter { $0.time <= now }
        later.removeAll { $0.time <= now }
        for entry in due { entry.work() }
        // The handler arms the timer for the sensors, where their deadline has passed.
        if armed > now { arm() }
    }
}

/// The phase of a collector's life.
struct CollectorLife {
    /// The journal is open, so the collector can ask for the facts of earlier runs.
    private(set) var knowsEarlierRuns = false
    private(set) var isStopping = false
    private var waiting: DispatchSemaphore?

    /// False if the journal was open before, or the collector is stopping.
    mutating func journalIsOpen() -> Bool {
        guard !knowsEarlierRuns, !isStopping else { return false }
        knowsEarlierRuns = true
        return true
    }

    /// `waiting` is signalled when all links are down.
    mutating func stop(_ waiting: DispatchSemaphore) { (isStopping, self.waiting) = (true, waiting) }

    /// All links are down.
    mutating func isStopped() {
        waiting?.signal()
        waiting = nil
    }
}
