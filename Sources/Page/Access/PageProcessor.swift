// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Glibc
import Platform
import Synchronization

/// Limits the processor time of the whole page: requests, TLS, answers, checks of texts. Visitors cannot make the page
/// use more, so the radio, the journal and the broker get the rest.
///
/// Each thread of the page reports its use, and rests after too much.
final class PageProcessor: Sendable {
    /// Share of one processor, over time.
    static let share = 0.5
    /// Seconds of processor time at once.
    static let burst = 5.0
    /// The longest rest of a thread before its next piece of work.
    static let longestRest: Duration = .milliseconds(200)

    private let allowance = Mutex(Allowance(seconds: burst, share: share))

    /// - Returns: How long to rest.
    func use(_ time: Duration, at now: MonotonicTime = .now) -> Duration {
        min(allowance.withLock { $0.use(time, at: now) }, Self.longestRest)
    }

    /// Runs work of the page on this thread, and rests afterwards if necessary.
    func run<Result>(_ work: () throws -> Result) rethrows -> Result {
        let before = Self.timeOfThread
        defer { Self.rest(use(Self.timeOfThread - before)) }
        return try work()
    }

    /// Processor time of this thread since its start.
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

/// Answers requests, one piece of work after the other, on a thread of its own. However many requests come, the
/// gateway's own tasks keep their threads.
final class PageExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "martlet.page", qos: .utility)
    private let processor: PageProcessor

    init(_ processor: PageProcessor) { self.processor = processor }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in processor.run { job.runSynchronously(on: asUnownedTaskExecutor()) } }
    }
}
