// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// The queue of all work of a collector, its time, and the single timer of its deadlines.
///
/// No other part of the collector reads a clock: each part receives the time.
final class CollectorLoop {
    let queue = DispatchQueue(label: "martlet.collector")
    private let time: @Sendable () -> DispatchTime
    private var timer: (any DispatchSourceTimer)?
    /// The deadline of the timer.
    private(set) var armed = DispatchTime.distantFuture

    init(time: @escaping @Sendable () -> DispatchTime) { self.time = time }

    var now: DispatchTime { time() }

    /// `handler` is called on the queue when a deadline has passed.
    func start(_ handler: @escaping @Sendable () -> Void) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler(handler: handler)
        timer.activate()
        self.timer = timer
    }

    func wake(at deadline: DispatchTime) {
        armed = deadline
        timer?.schedule(deadline: deadline, leeway: .milliseconds(20))
    }

    func stop() {
        timer?.cancel()
        timer = nil
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
