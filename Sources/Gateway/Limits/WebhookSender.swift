// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Configuration
import Dispatch
import Foundation
import HTTPClient
import Limits
import Logging
import Platform
import Publisher
import Readings
import Synchronization

/// Tells a server of the events of limits: one POST an event, in order, on a thread of its own.
///
/// An event that the server does not take is tried again, with growing pauses, for as long as the queue keeps it. Events of one
/// sensor and of all sensors keep their order. A slow server holds up nothing else.
final class WebhookSender: Sendable {
    /// Refusals after which an event that the server cannot read is given up.
    private static let finalRefusals = 3

    /// One life of the thread.
    private final class Run: Sendable {
        let configuration: WebhookConfiguration
        let client = HTTPSClient()
        let wake = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        /// The thread has not seen the last call of ``WebhookSender/wake()``.
        let isCalled = Atomic(false)
        let isEnding = Atomic(false)

        init(_ configuration: WebhookConfiguration) { self.configuration = configuration }

        func call() {
            if !isCalled.exchange(true, ordering: .acquiringAndReleasing) { wake.signal() }
        }

        func end() {
            isEnding.store(true, ordering: .releasing)
            client.stop()
            wake.signal()
        }

        var goesOn: Bool { !isEnding.load(ordering: .acquiring) }
    }

    private struct State {
        var run: Run?
        /// The last run, told to end.
        var ending: Run?
        var status: WebhookStatus?
        var name: Name
    }

    /// The name of a sensor for people.
    typealias Name = @Sendable (_ sensor: String) -> String?

    private let keeper: LimitKeeper
    private let gateway: String
    private let logger: Logger
    private let pauses: ClosedRange<Duration>
    private let state: Mutex<State>

    /// - Parameter pauses: From the first to the longest pause after a failure.
    init(
        _ keeper: LimitKeeper, gateway: String, pauses: ClosedRange<Duration> = .seconds(5) ... .seconds(300),
        logger: Logger, name: @escaping Name = { _ in nil }
    ) {
        (self.keeper, self.gateway, self.pauses, self.logger) = (keeper, gateway, pauses, logger)
        state = Mutex(State(name: name))
    }

    deinit { state.withLock { $0.run }?.end() }

    /// Nil without a webhook.
    var status: WebhookStatus? { state.withLock { $0.status } }

    func setName(_ name: @escaping Name) { state.withLock { $0.name = name } }

    /// Takes new settings. A request under way ends, and its event goes again.
    func apply(_ configuration: WebhookConfiguration) {
        guard state.withLock({ $0.run?.configuration }) ?? WebhookConfiguration() != configuration else { return }
        stop()
        guard let server = configuration.server else { return state.withLock { $0.status = nil } }
        let run = Run(configuration)
        state.withLock { state in
            state.run = run
            var status = WebhookStatus(server: server)
            if let former = state.status, former.server == server {
                (status.delivered, status.failed) = (former.delivered, former.failed)
            }
            state.status = status
        }
        let thread = Thread { [weak self] in
            // The sender is not held while nothing is to be done.
            while self?.turn(run) == true { run.wake.wait() }
            run.ended.signal()
        }
        thread.name = "martlet-webhook"
        thread.stackSize = 1 << 19
        thread.start()
    }

    /// There may be a new event.
    func wake() { state.withLock { $0.run }?.call() }

    /// Tells the thread to end.
    func stop() {
        state.withLock { state in
            guard let run = state.run.take() else { return nil as Run? }
            state.ending = run
            return run
        }?.end()
    }

    /// Waits for the end of the thread after ``stop()``.
    func waitForEnd(within limit: Duration) {
        guard let run = state.withLock({ $0.ending.take() }) else { return }
        _ = run.ended.wait(timeout: .now() + .milliseconds(Int(clamping: limit.wholeMilliseconds)))
    }

    // MARK: - The thread

    /// Sends what waits.
    ///
    /// - Returns: False at the end of the run.
    private func turn(_ run: Run) -> Bool {
        var backoff = Backoff(pauses)
        var refusals = 0
        while run.goesOn {
            // Before the look: a later call wakes the thread again.
            run.isCalled.store(false, ordering: .releasing)
            guard let event = keeper.next(for: .webhook) else { return true }
            let outcome = run.client.send(post(event, run.configuration))
            switch outcome {
            case .stopped: return false
            case .taken:
                keeper.settle(event.number, by: .webhook)
                succeeded()
                backoff.reset()
                refusals = 0
            case .refused, .failed:
                refusals = outcome.isFinal ? refusals + 1 : 0
                let isGivenUp = refusals >= Self.finalRefusals
                let wait = backoff.wait(spread: Double.random(in: 0.5...1.5))
                failed(outcome.words, wait: isGivenUp ? nil : wait)
                guard isGivenUp else {
                    pause(run, wait)
                    continue
                }
                keeper.settle(event.number, by: .webhook, givenUp: .refused)
                refusals = 0
            }
        }
        return false
    }

    /// New events do not shorten a pause: the server has trouble with the older ones.
    private func pause(_ run: Run, _ wait: Duration) {
        let end = DispatchTime.now() + .milliseconds(Int(clamping: wait.wholeMilliseconds))
        while run.goesOn, run.wake.wait(timeout: end) == .success {}
    }

    private func post(_ event: LimitEvent, _ configuration: WebhookConfiguration) -> HTTPSPost {
        let name = state.withLock { $0.name }
        return HTTPSPost(
            url: configuration.url ?? Secret(""), header: configuration.header,
            body: LimitPayload(gateway: gateway).event(event, name: name(event.crossing.sensor)),
            userAgent: "Martlet/\(GatewayVersion.current)", caFile: configuration.caFile,
            timeout: configuration.timeout)
    }

    private func succeeded() {
        let (server, isBack) = state.withLock { state in
            defer {
                state.status?.delivered &+= 1
                state.status?.lastError = nil
            }
            return (state.status?.server, state.status?.lastError != nil)
        }
        guard isBack, let server else { return }
        logger.notice("the webhook takes events again", metadata: ["webhook.server": "\(server)"])
    }

    /// - Parameter wait: Until the next try; nil where the event is given up.
    private func failed(_ reason: String, wait: Duration?) {
        let (server, isNew) = state.withLock { state in
            defer {
                state.status?.failed &+= 1
                state.status?.lastError = reason
            }
            // Words may differ by a time: an outage is one line.
            return (state.status?.server, state.status?.lastError == nil)
        }
        guard let server, isNew || wait == nil else { return }
        let metadata: Logger.Metadata = ["webhook.server": "\(server)", "cause": "\(reason)"]
        if let wait {
            logger.warning(
                "the webhook does not take an event; it is tried again",
                metadata: metadata.merging(["wait.ms": "\(wait.wholeMilliseconds)"]) { $1 })
        } else {
            logger.error("an event is given up: the webhook will never take it", metadata: metadata)
        }
    }
}
