// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Logging
import Synchronization

/// The gateway's side of the service manager's protocol: ready, alive, reloading, stopping, and a line for people.
package final class Supervisor: Sendable {
    /// The supervised gateway.
    struct Subject: Sendable {
        /// Makes a part call the closure from its place of work: the radio thread, or the journal's queue.
        var ask: @Sendable (WatchdogMachine.Part, @escaping @Sendable () -> Void) -> Void
        /// The journal's progress in long work.
        var progress: @Sendable () -> UInt64
        /// The state in a line; may wait for parts.
        var status: @Sendable () -> String
    }

    private struct State {
        var machine = WatchdogMachine()
        var subject: Subject?
        /// The number of the valid rounds; older rounds end.
        var generation = 0
        var status = ""
        var isLooking = false
        var isStopping = false
    }

    /// The longest time between two updates of the line for people.
    private static let longestRound: Duration = .seconds(15)
    private static let stoppingRound: Duration = .seconds(1)
    private static let patience: Duration = .seconds(15)

    private let notifier: ServiceNotifier
    private let round: Duration
    private let logger: Logger
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "martlet.supervisor")

    /// Nil without a supervisor.
    package convenience init?(_ environment: ServiceEnvironment, logger: Logger) {
        guard let path = environment.notifySocket else { return nil }
        guard let notifier = ServiceNotifier(path: path) else {
            logger.warning("the service manager cannot be told anything", metadata: ["notify.socket": "\(path)"])
            return nil
        }
        self.init(notifier, watchdog: environment.watchdog, logger: logger)
    }

    /// - Parameter watchdog: how long the manager waits for a sign of life; a round takes half of this time.
    init(_ notifier: ServiceNotifier, watchdog: Duration?, logger: Logger) {
        self.notifier = notifier
        self.logger = logger
        round = min(watchdog.map { $0 / 2 } ?? Self.longestRound, Self.longestRound)
    }

    /// The subject works, and collects readings from now on.
    func begin(_ subject: Subject) {
        state.withLock { $0.subject = subject }
        notifier.send(.ready)
        beginRounds(every: round)
    }

    /// Reports the reason why the process is about to end.
    package func failed(_ reason: String) { notifier.send(.status(reason)) }

    package func reloading() {
        if !isStopping { notifier.send(.reloading) }
    }

    /// - Parameter mistake: why nothing has changed; nil if the new configuration is in use.
    package func reloaded(mistake: String? = nil) {
        guard !isStopping else { return }
        guard let mistake else {
            notifier.send(.ready)
            return look()
        }
        // The line stays until the next change of state.
        notifier.send(.ready, .status("configuration not taken, the old one stays: \(mistake)"))
    }

    private var isStopping: Bool { state.withLock { $0.isStopping } }

    package func stopping() {
        state.withLock { state in
            state.isStopping = true
            state.machine.stop()
        }
        notifier.send(.stopping, .watchdog, .status("stopping"))
        if state.withLock({ $0.subject != nil }) { beginRounds(every: Self.stoppingRound) }
    }

    /// The subject has stopped. Only the end of the process follows.
    package func end() {
        state.withLock { state in
            state.generation += 1
            state.subject = nil
        }
    }

    /// Begins new rounds, the first at once, and ends the former rounds.
    private func beginRounds(every period: Duration) {
        let generation = state.withLock { state in
            state.generation += 1
            return state.generation
        }
        queue.async { [weak self] in self?.beginRound(generation, period) }
    }

    private func beginRound(_ generation: Int, _ period: Duration) {
        guard let subject = state.withLock({ $0.generation == generation ? $0.subject : nil }) else { return }
        let next = DispatchTime.now() + .nanoseconds(Int(clamping: period.wholeNanoseconds))
        queue.asyncAfter(deadline: next) { [weak self] in self?.beginRound(generation, period) }
        let progress = subject.progress()
        perform(state.withLock { $0.machine.beginRound(progress: progress) }, subject)
        look()
    }

    private func perform(_ effects: [WatchdogMachine.Effect], _ subject: Subject) {
        for effect in effects {
            switch effect {
            case .ask(let part):
                subject.ask(part) { [weak self] in
                    // On the supervisor's queue: a slow manager must not block the radio.
                    self?.queue.async { [weak self] in
                        guard let self else { return }
                        perform(state.withLock { $0.machine.answered(part) }, subject)
                    }
                }
            case .feed: notifier.send(.watchdog)
            case .extendStop: notifier.send(.extendTimeout(Self.patience))
            case .silent(let part):
                logger.error("a part of the gateway does not answer", metadata: ["part.silent": "\(part.rawValue)"])
            }
        }
    }

    /// Updates the line for people. Not on the supervisor's own queue: a part may hang during the question, and the
    /// watchdog must notice the hang instead of hanging, too.
    private func look() {
        let subject = state.withLock { state -> Subject? in
            guard !state.isLooking, !state.isStopping else { return nil }
            state.isLooking = state.subject != nil
            return state.subject
        }
        guard let subject else { return }
        DispatchQueue.global(qos: .utility).async { [weak self] in
            let line = subject.status()
            guard let self else { return }
            let isNew = state.withLock { state in
                defer { (state.status, state.isLooking) = (line, false) }
                return state.status != line && !state.isStopping
            }
            if isNew { notifier.send(.status(line)) }
        }
    }
}
