// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Platform
import Synchronization

/// Waits for the connection of a publisher.
package final class PublisherCheck: Sendable {
    private enum End: Sendable {
        case connected
        case failed(ConnectionProgress.Failure)
        case stopped(BrokerStep)
        /// With the last failure.
        case late(BrokerStep, ConnectionProgress.Failure?)
    }

    private struct State {
        var step = BrokerStep.name
        var told: BrokerStep?
        var last: ConnectionProgress.Failure?
        var failures = 0
        var isOver = false
    }

    /// Limit of attempts with a failed name or connection: a network that has just come up may be incomplete.
    private static let tries = 3

    /// Returns when the publisher has a connection. Throws the reason for the missing connection. The reason may be the
    /// clock, so `clock` gives its state.
    package static func run(
        of publisher: Publisher, within time: Duration, limit: Duration, clock: () -> ClockStatus,
        _ progress: @escaping @Sendable (BrokerStep) -> Void
    ) async throws(BrokerCheckFailure) {
        switch await PublisherCheck(progress).end(of: publisher, within: time) {
        case .connected: return
        case .failed(let failure): throw failure.checkFailure(by: clock())
        case .stopped(let step):
            throw BrokerCheckFailure(step, .noConnection, "the configuration was changed again meanwhile")
        case .late(let step, let last): throw last?.checkFailure(by: clock()) ?? step.lateness(limit)
        }
    }

    private let progress: @Sendable (BrokerStep) -> Void
    /// Keeps the order, and keeps the publisher's thread from waiting.
    private let queue = DispatchQueue(label: "martlet.broker.check", qos: .utility)
    private let state = Mutex(State())

    private init(_ progress: @escaping @Sendable (BrokerStep) -> Void) { self.progress = progress }

    private func end(of publisher: Publisher, within limit: Duration) async -> End {
        let end = await Waiting.answer(within: limit) { (answer: @escaping @Sendable (End) -> Void) in
            let isTold = publisher.watch { [self] event in
                queue.async { [self] in if let end = receive(event) { answer(end) } }
            }
            if !isTold { answer(.stopped(.name)) }
        }
        return state.withLock { state in
            state.isOver = true
            return end ?? .late(state.step, state.last)
        }
    }

    private func receive(_ event: ConnectionProgress.Event) -> End? {
        let (step, end) = state.withLock { state -> (BrokerStep?, End?) in
            guard !state.isOver else { return (nil, nil) }
            switch event {
            case .began(let step):
                state.step = step
                // Steps of later attempts are no news.
                guard step.isAfter(state.told) else { return (nil, nil) }
                state.told = step
                return (step, nil)
            case .connected: return (nil, .connected)
            case .stopped: return (nil, .stopped(state.step))
            case .failed(let failure):
                state.last = failure
                if !failure.isTriedOtherwise { state.failures += 1 }
                let isFinal = !failure.failure.mayPass || state.failures >= Self.tries
                return (nil, isFinal && !failure.isTriedOtherwise ? .failed(failure) : nil)
            }
        }
        if let step { progress(step) }
        return end
    }
}

extension BrokerStep {
    fileprivate func isAfter(_ other: BrokerStep?) -> Bool {
        guard let other else { return true }
        return Self.allCases.firstIndex(of: self) ?? 0 > Self.allCases.firstIndex(of: other) ?? 0
    }

    fileprivate func lateness(_ limit: Duration) -> BrokerCheckFailure {
        let time = "after \(limit.wholeMilliseconds / 1_000) s"
        return switch self {
        case .name: BrokerCheckFailure(self, .noName, "the broker's name was not looked up \(time)")
        case .connect: BrokerCheckFailure(self, .noConnection, "there was no connection to the broker \(time)")
        case .tls: BrokerCheckFailure(self, .tls, "TLS with the broker was not agreed on \(time)")
        case .broker: BrokerCheckFailure(self, .timedOut, "the broker has not answered \(time)")
        }
    }
}
