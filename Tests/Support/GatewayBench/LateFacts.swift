// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The facts of earlier runs. They arrive when the test says so, as from a journal that opens slowly.
final class LateFacts: Sendable {
    private struct State {
        var kept: [String: String] = [:]
        var isKnown = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    var kept: [String: String] { state.withLock { $0.kept } }

    func value(for key: String) -> String? { state.withLock { $0.isKnown ? $0.kept[key] : nil } }

    func keep(_ value: String, for key: String) { state.withLock { $0.kept[key] = value } }

    func whenKnown(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.waiting.append(body) } }

    func tell(_ facts: [String: String]) {
        let waiting = state.withLock { state in
            state.kept.merge(facts) { kept, _ in kept }
            state.isKnown = true
            return state.waiting
        }
        for body in waiting { body() }
    }
}
