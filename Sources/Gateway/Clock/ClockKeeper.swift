// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Journal
import Logging
import Platform
import Readings
import Synchronization

/// Looks at the clock every few seconds, also while no readings come. Keeps the clock's offset in the journal, and logs
/// changes of the clock.
final class ClockKeeper: Sendable {
    private struct Seen {
        /// Nil before the first look.
        var state: String?
        var source: ClockSource?
        var steps = 0
        var anchor: ClockAnchor?
    }

    private static let interval = DispatchTimeInterval.seconds(10)

    let clock: SystemClock
    private let journal: Journal
    private let logger: Logger
    private let queue = DispatchQueue(label: "martlet.clock", qos: .utility)
    private let seen = Mutex(Seen())
    private let isStopped = Atomic(false)

    /// Gives the clock the journal's offset for this boot, as soon as the journal is open.
    init(clock: SystemClock, journal: Journal, logger: Logger) {
        self.clock = clock
        self.journal = journal
        self.logger = logger
        journal.whenOpen { [clock, weak journal] in
            let boots = (try? journal?.boots()) ?? []
            if let offset = boots.last(where: { $0.name == clock.boot })?.offset { clock.restore(offset: offset) }
        }
    }

    func start() { queue.async { [weak self] in self?.goOn() } }

    func stop() { isStopped.store(true, ordering: .relaxed) }

    private func goOn() {
        guard !isStopped.load(ordering: .relaxed) else { return }
        look()
        queue.asyncAfter(deadline: .now() + Self.interval) { [weak self] in self?.goOn() }
    }

    /// Looks at once.
    func look() {
        let (status, anchor) = (clock.status, clock.anchor)
        let before = seen.withLock { seen in
            defer { seen = Seen(state: status.state, source: status.source, steps: status.steps, anchor: anchor) }
            return seen
        }
        if let anchor, anchor != before.anchor { journal.setOffset(anchor.offset, ofBoot: clock.boot) }
        if status.steps != before.steps, let step = status.lastStepMs {
            logger.notice("the system's clock was set", metadata: ["clock.step_ms": "\(step)"])
        }
        guard status.state != before.state || status.source != before.source else { return }
        let facts: Logger.Metadata = [
            "clock.state": "\(status.state)", "clock.source": "\(status.source?.rawValue ?? "none")",
            "clock.error_ms": "\(status.errorMs.map(String.init) ?? "unknown")",
        ]
        switch ClockQuality(rawValue: status.state) {
        case .synced: logger.notice("the clock is right", metadata: facts)
        case .holdover: logger.warning("no time service confirms the clock any more; it runs freely", metadata: facts)
        default: logger.notice("the clock is not known to be right; readings get their times later", metadata: facts)
        }
    }
}
