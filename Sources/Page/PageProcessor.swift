// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Glibc
import Platform
import Synchronization

/// The processor time of the page, all of it: reading requests, TLS, answers, checks of texts. Visitors may have the page use
/// so much, and no more, so that the radio, the journal and the broker have the rest.
///
/// Each thread that works for the page tells what it has used, and rests when that was too much.
final class PageProcessor: Sendable {
    /// Of one processor, over time.
    static let share = 0.5
    /// Seconds at once.
    static let burst = 5.0
    /// How long a thread rests at most before it goes on with one more piece of work.
    static let longestRest: Duration = .milliseconds(200)

    private let allowance = Mutex(Allowance(seconds: burst, share: share))

    /// - Returns: How long to rest.
    func use(_ time: Duration, at now: MonotonicTime = .now) -> Duration {
        min(allowance.withLock { $0.use(time, at: now) }, Self.longestRest)
    }

    /// Does some work of the page on this thread, and rests afterwards where it has to.
    func run<Result>(_ work: () throws -> Result) rethrows -> Result {
        let before = Self.timeOfThread
        defer { Self.rest(use(Self.timeOfThread - before)) }
        return try work()
    }

    /// Processor time of this thread since it began.
    static var timeOfThread: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    static func rest(_ time: Duration) {
        guard time > .zero else { return }
        usleep(UInt32(clamping: time.wholeNanoseconds / 1_000))
    }
}

/// Answers requests one piece after the other, on a thread that nobody else uses: however many there are, the gateway's own
/// tasks have theirs.
final class PageExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "martlet.page", qos: .utility)
    private let processor: PageProcessor

    init(_ processor: PageProcessor) { self.processor = processor }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in processor.run { job.runSynchronously(on: asUnownedTaskExecutor()) } }
    }
}
