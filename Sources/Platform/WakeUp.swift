// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Synchronization

/// Ends another thread's poll(2) from any thread; several unseen signals count as one.
package final class WakeUp: Sendable {
    package let descriptor: Int32
    private let isPending = Atomic(false)

    package init() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    package func signal() {
        guard !isPending.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var one: UInt64 = 1
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Clears the signal; the caller looks for new work after this call, not before.
    package func clear() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
        _ = isPending.exchange(false, ordering: .acquiringAndReleasing)
    }
}
