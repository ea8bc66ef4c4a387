// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Logging
import Platform
import Synchronization

/// Measures the process's own memory every minute. Logs it once a day, and logs growth.
final class MemoryKeeper: Sendable {
    private struct State {
        var book = MemoryBook()
        var hours = 0
        var hasWarned = false
    }

    private static let interval = DispatchTimeInterval.seconds(60)

    private let logger: Logger
    private let measure: @Sendable () -> MemoryStatus?
    private let queue = DispatchQueue(label: "martlet.memory", qos: .utility)
    private let began = ContinuousClock.now
    private let state = Mutex(State())
    private let isStopped = Atomic(false)

    init(logger: Logger, measure: @escaping @Sendable () -> MemoryStatus? = { .now }) {
        (self.logger, self.measure) = (logger, measure)
    }

    func start() { queue.async { [weak self] in self?.goOn() } }

    func stop() { isStopped.store(true, ordering: .relaxed) }

    private func goOn() {
        guard !isStopped.load(ordering: .relaxed) else { return }
        look(at: ContinuousClock.now - began)
        queue.asyncAfter(deadline: .now() + Self.interval) { [weak self] in self?.goOn() }
    }

    /// The present memory and the hourly lows.
    var status: MemoryStatus? {
        guard var now = measure() else { return nil }
        let book = state.withLock { $0.book }
        (now.hourlyLows, now.isGrowing) = (book.lows, book.isGrowing)
        return now
    }

    /// - Parameter uptime: Time since the process started.
    func look(at uptime: Duration) {
        guard let now = measure() else { return }
        let (tells, warns, book) = state.withLock { state in
            let isHour = state.book.record(now.ownBytes, at: uptime)
            let isGrowing = state.book.isGrowing
            defer { state.hasWarned = isGrowing }
            defer { state.hours += isHour ? 1 : 0 }
            return (isHour && state.hours % 24 == 0, isGrowing && !state.hasWarned, state.book)
        }
        let facts: Logger.Metadata = ["memory.own_kib": "\(now.ownBytes >> 10)"]
        if warns, let first = book.lows.first {
            logger.warning(
                "the gateway's own memory grows from hour to hour",
                metadata: facts.merging(
                    ["memory.before_kib": "\(first >> 10)", "memory.hours": "\(book.lows.count)"]) { $1 })
        } else if tells {
            logger.notice("own memory", metadata: facts)
        }
    }
}
