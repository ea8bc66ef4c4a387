// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Work of which only one of each kind goes on at a time.
final class ExclusiveWork: Sendable {
    enum Kind: Hashable, Sendable {
        /// A sensor is looked at for somebody.
        case inspection
        /// A file for support is written.
        case supportBundle
        /// Somebody reads or writes a characteristic of this sensor.
        case access(UUID)
    }

    private let underway = Mutex<Set<Kind>>([])

    /// False where such work goes on; else ``end(_:)`` has to follow.
    func begin(_ kind: Kind) -> Bool { underway.withLock { $0.insert(kind).inserted } }

    func end(_ kind: Kind) { underway.withLock { _ = $0.remove(kind) } }

    func isUnderway(_ kind: Kind) -> Bool { underway.withLock { $0.contains(kind) } }
}
