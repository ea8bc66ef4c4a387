// SPDX-License-Identifier: Apache-2.0

import MQTT
import Synchronization

/// The course of a publisher's connection attempts, for a watcher that waits for their end.
final class ConnectionProgress: Sendable {
    typealias Watcher = @Sendable (Event) -> Void

    struct Failure: Equatable, Sendable {
        var failure: MQTTFailure
        /// The failed step.
        var step: BrokerStep
        /// For a person.
        var text: String
        /// The next attempt is in another way, or at another broker.
        var isTriedOtherwise: Bool
    }

    enum Event: Equatable, Sendable {
        case began(BrokerStep)
        /// The broker has accepted the client.
        case connected
        /// No connection was made.
        case failed(Failure)
        /// No further attempts will come.
        case stopped
    }

    private struct State {
        /// The events since the start of the present or last attempt.
        var events: [Event] = []
        var watcher: Watcher?
    }

    private let state = Mutex(State())

    /// Called within a lock, so that the order stays: `watcher` must neither wait nor call back.
    func watch(_ watcher: @escaping Watcher) {
        state.withLock { state in
            state.watcher = watcher
            for event in state.events { watcher(event) }
        }
    }

    func tell(_ event: Event) {
        state.withLock { state in
            if event == .began(.name) { state.events = [] }
            // A connection that ends later is no news of this kind.
            state.events.append(event)
            state.watcher?(event)
        }
    }
}
