// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension Journal {
    /// The small facts whose keys begin with `prefix`, by the rest of their keys; empty ones are left out. Those of earlier
    /// runs are among them once the database is open.
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
