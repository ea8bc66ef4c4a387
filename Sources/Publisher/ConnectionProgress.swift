// SPDX-License-Identifier: Apache-2.0

import MQTT
import Synchronization

/// How a publisher's tries to connect go, told to one who waits for their end.
final class ConnectionProgress: Sendable {
    typealias Watcher = @Sendable (Event) -> Void

    struct Failure: Equatable, Sendable {
        var failure: MQTTFailure
        /// The step that has failed.
        var step: BrokerStep
        /// For a person.
        var text: String
        /// The next try is in another way, or at another broker.
        var isTriedOtherwise: Bool
    }

    enum Event: Equatable, Sendable {
        case began(BrokerStep)
        /// The broker has taken the client.
        case connected
        /// No connection was made.
        case failed(Failure)
        /// There will be no more tries.
        case stopped
    }

    private struct State {
        /// What was told since the try in progress began, or the one that ended last.
        var events: [Event] = []
        var watcher: Watcher?
    }

    private let state = Mutex(State())

    /// Called within a lock, so that the order stays: `watcher` must not wait, nor call back.
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
