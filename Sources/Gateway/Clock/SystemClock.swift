// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The clock of this machine: the boot's own time always, the wall time when there is reason to trust it.
package final class SystemClock: WallClock {
    /// Where the clock reads; tests put their own in.
    package struct Sources: Sendable {
        /// The first 8 digits of the kernel's boot id.
        package var boot: String
        /// Milliseconds since boot, suspended time included.
        package var uptimeMilliseconds: @Sendable () -> Int64
        /// Milliseconds since 1970 UTC, right or wrong.
        package var unixMilliseconds: @Sendable () -> Int64
        /// The kernel's own word on its clock: adjtimex(2).
        package var kernelSynchronized: @Sendable () -> Bool
        /// systemd-timesyncd's word, for kernels that are not told: its marker file.
        package var serviceSynchronized: @Sendable () -> Bool

        package init(
            boot: String, uptimeMilliseconds: @escaping @Sendable () -> Int64,
            unixMilliseconds: @escaping @Sendable () -> Int64, kernelSynchronized: @escaping @Sendable () -> Bool,
            serviceSynchronized: @escaping @Sendable () -> Bool
        ) {
            self.boot = boot
            self.uptimeMilliseconds = uptimeMilliseconds
            self.unixMilliseconds = unixMilliseconds
            self.kernelSynchronized = kernelSynchronized
            self.serviceSynchronized = serviceSynchronized
        }
    }

    private struct Knowledge {
        var quality = ClockQuality.unsynced
        /// Uptime at which to look again.
        var validUntil = Int64.min
        var kernelWasSynchronized = false
    }

    /// How long an answer of the kernel is believed, in milliseconds.
    private static let validity: Int64 = 1_000

    private let sources: Sources
    private let requireSynchronization: Bool
    private let knowledge = Mutex(Knowledge())

    /// - Parameter requireSynchronization: false trusts the system's clock without asking, for machines with a good
    ///   real-time clock and no time service.
    package init(requireSynchronization: Bool, sources: Sources = .system) {
        self.requireSynchronization = requireSynchronization
        self.sources = sources
    }

    package func stamp() -> TimeStamp {
        let uptime = sources.uptimeMilliseconds()
        let quality = quality(at: uptime)
        return TimeStamp(
            boot: sources.boot, uptimeMilliseconds: uptime,
            unixMilliseconds: quality == .unsynced ? nil : sources.unixMilliseconds(), quality: quality)
    }

    private func quality(at uptime: Int64) -> ClockQuality {
        guard requireSynchronization else { return .synced }
        return knowledge.withLock { knowledge in
            guard uptime >= knowledge.validUntil else { return knowledge.quality }
            knowledge.validUntil = uptime + Self.validity
            if sources.kernelSynchronized() {
                knowledge.kernelWasSynchronized = true
                knowledge.quality = .synced
            } else if knowledge.kernelWasSynchronized {
                // timesyncd's marker outlives the synchronisation it tells of, so here it would hide the loss.
                knowledge.quality = .holdover
            } else {
                knowledge.quality = sources.serviceSynchronized() ? .synced : .unsynced
            }
            return knowledge.quality
        }
    }
}
