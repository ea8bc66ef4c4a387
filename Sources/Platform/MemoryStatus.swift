// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The memory of this process.
package struct MemoryStatus: Codable, Equatable, Sendable {
    /// Octets resident, with the program and the libraries, which are files that others may use as well.
    package var residentBytes: UInt64
    /// Octets resident that belong to no file: what the process has allocated.
    package var ownBytes: UInt64
    /// The lowest ``ownBytes`` of each hour that is over, but the first; oldest first, at most 24.
    package var hourlyLows: [UInt64] = []
    /// ``ownBytes`` rises from hour to hour, as it does in a process that forgets to free.
    package var isGrowing = false

    package init(
        residentBytes: UInt64, ownBytes: UInt64, hourlyLows: [UInt64] = [], isGrowing: Bool = false
    ) {
        (self.residentBytes, self.ownBytes) = (residentBytes, ownBytes)
        (self.hourlyLows, self.isGrowing) = (hourlyLows, isGrowing)
    }

    /// As the kernel counts them; nil where it does not say.
    package static var now: MemoryStatus? {
        // Pages: of the address space, resident, and resident of files or shared.
        let counts =
            SystemStatus.text("/proc/self/statm").map { $0.split(separator: " ").map { UInt64($0) ?? 0 } } ?? []
        guard counts.count > 2 else { return nil }
        let page = UInt64(max(sysconf(Int32(_SC_PAGESIZE)), 0))
        return MemoryStatus(
            residentBytes: counts[1] &* page, ownBytes: (counts[1] - min(counts[1], counts[2])) &* page)
    }
}

/// The memory that the process had allocated, hour by hour, and whether it grows. An hour's lowest value leaves out memory that was in use for a moment.
package struct MemoryBook: Equatable, Sendable {
    package static let hours = 24
    /// Hours that are needed to say that it grows.
    static let enough = 6
    /// Octets in all those hours: less is the allocator's way of keeping house.
    static let growth: UInt64 = 4 << 20
    /// Octets in an hour: what it rises by at least, in most hours. It falls by no more in any.
    static let step: UInt64 = 64 << 10

    package private(set) var lows: [UInt64] = []
    private var hour: Int64 = 0
    private var low: UInt64?

    package init() {}

    package var isGrowing: Bool {
        guard lows.count >= Self.enough, let first = lows.first, let last = lows.last, last >= first &+ Self.growth
        else { return false }
        let steps = zip(lows, lows.dropFirst())
        return steps.allSatisfy { $0 <= $1 &+ Self.step }
            && steps.count { $0 &+ Self.step <= $1 } * 3 >= (lows.count - 1) * 2
    }

    /// - Parameters:
    ///   - own: Octets.
    ///   - uptime: Since the process started; never falls.
    /// - Returns: Whether an hour is over with it.
    @discardableResult
    package mutating func note(_ own: UInt64, at uptime: Duration) -> Bool {
        let now = uptime.components.seconds / 3_600
        guard now > hour else {
            low = min(low ?? own, own)
            return false
        }
        // In the first one caches and pools are filled.
        if hour > 0, let low { lows.append(low) }
        if lows.count > Self.hours { lows.removeFirst() }
        (hour, low) = (now, own)
        return true
    }
}
