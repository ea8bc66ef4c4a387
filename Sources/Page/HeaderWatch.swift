// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Connections that the page waits for: those whose next request's header has not come. The library only ends those that are
/// silent, so that a few which send an octet now and then would keep everybody else out for ever.
final class HeaderWatch: Sendable {
    /// With one more that waits, the one that has waited for longest is ended: a visitor's header is here in no time.
    static let capacity = 32
    /// How long a header may take.
    static let patience: Duration = .seconds(30)

    /// By descriptor. Who takes one out of it may end the connection under the lock alone: without it the descriptor may be
    /// another's already.
    private let waiting = Mutex<[Int32: ContinuousClock.Instant]>([:])

    /// A connection was made, or a request has been answered.
    func begin(_ descriptor: Int32, at now: ContinuousClock.Instant = .now) {
        waiting.withLock { waiting in
            waiting[descriptor] = now
            guard waiting.count > Self.capacity, let longest = waiting.min(by: { $0.value < $1.value })?.key else {
                return
            }
            Self.end(longest, &waiting)
        }
    }

    /// The header has come, or the connection is about to be closed.
    func remove(_ descriptor: Int32) { waiting.withLock { $0[descriptor] = nil } }

    /// Ends those that have taken too long.
    func look(at now: ContinuousClock.Instant = .now) {
        waiting.withLock { waiting in
            for (descriptor, began) in waiting where now - began >= Self.patience { Self.end(descriptor, &waiting) }
        }
    }

    /// The library notices that it is over, and closes it.
    private static func end(_ descriptor: Int32, _ waiting: inout [Int32: ContinuousClock.Instant]) {
        waiting[descriptor] = nil
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    var count: Int { waiting.withLock { $0.count } }
}
