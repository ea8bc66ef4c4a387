// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The memory of this process.
package struct MemoryStatus: Codable, Equatable, Sendable {
    /// Octets resident, including the program and the libraries, which other processes may share.
    package var residentBytes: UInt64
    /// Octets resident without files: the memory that the process has allocated.
    package var ownBytes: UInt64
    /// The lowest ``ownBytes`` of each past hour, without the first hour; oldest first, at most 24.
    package var hourlyLows: [UInt64] = []
    /// ``ownBytes`` rises from hour to hour, as in a process with a leak.
    package var isGrowing = false

    package init(
        residentBytes: UInt64, ownBytes: UInt64, hourlyLows: [UInt64] = [], isGrowing: Bool = false
    ) {
        (self.residentBytes, self.ownBytes) = (residentBytes, ownBytes)
        (self.hourlyLows, self.isGrowing) = (hourlyLows, isGrowing)
    }

    /// The kernel's count; nil if the kernel gives none.
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

/// The memory that the process had allocated, hour by hour, and whether it grows. An hour's lowest value leaves out
/// memory that was in use for a moment.
package struct MemoryBook: Equatable, Sendable {
    package static let hours = 24
    /// Hours of data before a growth can be reported.
    static let enough = 6
    /// Octets of growth over all these hours: less growth is the allocator's normal work.
    static let growth: UInt64 = 4 << 20
    /// Octets an hour: growing memory rises by at least this much in most hours, and falls by no more in any hour.
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
    /// - Returns: Whether an hour has ended.
    @discardableResult
    package mutating func record(_ own: UInt64, at uptime: Duration) -> Bool {
        let now = uptime.components.seconds / 3_600
        guard now > hour else {
            low = min(low ?? own, own)
            return false
        }
        // In the first hour, caches and pools fill.
        if hour > 0, let low { lows.append(low) }
        if lows.count > Self.hours { lows.removeFirst() }
        (hour, low) = (now, own)
        return true
    }
}
