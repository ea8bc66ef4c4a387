// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Limits work to one item of each kind at a time.
final class ExclusiveWork: Sendable {
    enum Kind: Hashable, Sendable {
        /// An inspection of a sensor.
        case inspection
        /// A file for support is being written.
        case supportBundle
        /// A read or write of a characteristic of this sensor.
        case access(UUID)
    }

    private let underway = Mutex<Set<Kind>>([])

    /// False while work of the kind goes on. After true, call ``end(_:)``.
    func begin(_ kind: Kind) -> Bool { underway.withLock { $0.insert(kind).inserted } }

    func end(_ kind: Kind) { underway.withLock { _ = $0.remove(kind) } }

    func isUnderway(_ kind: Kind) -> Bool { underway.withLock { $0.contains(kind) } }
}
