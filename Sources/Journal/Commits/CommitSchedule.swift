// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Decides when the next transaction is made; a value.
///
/// The schedule gives out appointments. A later appointment makes the earlier ones void; ``isValid(_:)`` tells whether
/// an appointment still holds when its time has come.
struct CommitSchedule {
    /// In rising order of urgency.
    enum Kind: Comparable { case idle, timed, soon, immediate }

    struct Appointment: Equatable {
        var kind: Kind
        var delay: Duration
        var generation: Int
    }

    /// Time between transactions that only the number of readings calls for: readings that come faster share a
    /// transaction and its costs.
    static let shortestInterval: Duration = .milliseconds(10)
    private static let retryDelay: Duration = .milliseconds(500)
    private static let maximumRetryDelay: Duration = .seconds(10)
    private static let portionDelay: Duration = .milliseconds(200)

    private(set) var kind = Kind.idle
    private var budget: WriteBudget
    /// When the last transaction began.
    private var lastCommit: MonotonicTime?
    private var generation = 0
    /// Failed commits in a row.
    private(set) var failures = 0
    /// The failures among these for which the disk was full.
    private(set) var fullDisks = 0

    init(megabytesPerDay: Int) { budget = WriteBudget(megabytesPerDay: megabytesPerDay) }

    var isFailing: Bool { failures > 0 }

    /// How long a transaction has to wait if only the number of readings calls for it.
    func wait(at now: MonotonicTime) -> Duration {
        guard let lastCommit else { return .zero }
        return max(lastCommit + Self.shortestInterval - now, .zero)
    }

    /// Commits must be further apart than the configured interval.
    func isOverdrawn(at now: MonotonicTime) -> Bool { budget.isOverdrawn(at: now) }

    /// Whether an appointment is still valid.
    func isValid(_ generation: Int) -> Bool { self.generation == generation }

    // MARK: - Appointments

    /// Makes sure that waiting rows are committed in time.
    ///
    /// - Parameters:
    ///   - readings: How many readings wait.
    ///   - isAwaited: A caller waits until they are on disk.
    mutating func record(
        _ readings: Int, isAwaited: Bool, _ configuration: JournalConfiguration,
        at now: @autoclosure () -> MonotonicTime
    ) -> Appointment? {
        guard failures == 0 else { return nil }  // the scheduled retry commits these rows too
        // A longer interval for the write budget never fills the queue, and never delays a caller who waits.
        var rows = configuration.commitRows
        let mostRows = max(rows, configuration.queueCapacity / 2)
        var interval = configuration.commitInterval
        if budget.isLimited {
            let now = now()
            interval = budget.interval(interval, at: now)
            if budget.isOverdrawn(at: now) { rows = mostRows }
        }
        if readings >= mostRows || isAwaited { return appoint(.immediate, after: .zero) }
        if readings >= rows {
            guard kind < .soon else { return nil }
            let wait = wait(at: now())
            return appoint(wait > .zero ? .soon : .immediate, after: wait)
        }
        return kind == .idle ? appoint(.timed, after: interval) : nil
    }

    /// Commits at once, whatever waits.
    mutating func hurry() -> Appointment? { appoint(.immediate, after: .zero) }

    /// An excess of rows is deleted in portions, even while no readings come in.
    mutating func goOn() -> Appointment? { kind == .idle ? appoint(.timed, after: Self.portionDelay) : nil }

    private mutating func appoint(_ kind: Kind, after delay: Duration) -> Appointment? {
        guard self.kind < .immediate else { return nil }
        self.kind = kind
        generation += 1
        return Appointment(kind: kind, delay: delay, generation: generation)
    }

    // MARK: - Transactions

    /// A transaction begins with all waiting rows: all earlier appointments become void.
    mutating func begin(at now: MonotonicTime) {
        lastCommit = now
        kind = .idle
        generation += 1
    }

    /// There is no database to write to.
    mutating func cannotBegin() { kind = .idle }

    /// - Returns: Whether the transactions before had failed.
    mutating func succeeded(octets: Int64, at now: MonotonicTime) -> Bool {
        budget.wrote(octets, at: now)
        defer { (failures, fullDisks) = (0, 0) }
        return failures > 0
    }

    /// Another file of the journal's queue was written.
    mutating func wroteBeside(_ octets: Int64, at now: MonotonicTime) { budget.wrote(octets, at: now) }

    mutating func foundDiskFull() { fullDisks = fullDisks.addingSaturated(1) }

    /// Tries again later; the wait grows with each failure.
    mutating func failed() -> Appointment? {
        failures = failures.addingSaturated(1)
        let doubled = Self.retryDelay * (1 << min(failures - 1, 5))
        return appoint(.timed, after: min(doubled, Self.maximumRetryDelay))
    }
}
