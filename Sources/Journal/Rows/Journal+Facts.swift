// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

extension Journal {
    /// Calls `body` on the journal's queue.
    package func onQueue(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    /// Steps of the journal's work so far: the number grows during long work on its queue.
    package var steps: UInt64 { progress.steps }

    /// The small facts whose keys begin with `prefix`, by the rest of their keys; empty facts are left out. Facts of
    /// earlier runs are among them once the database is open.
    package func identifiers(withPrefix prefix: String) -> [String: String] {
        state.withLock { state in
            var found: [String: String] = [:]
            for (key, value) in state.identifiers where !value.isEmpty && key.hasPrefix(prefix) {
                found[String(key.dropFirst(prefix.count))] = value
            }
            return found
        }
    }
}
