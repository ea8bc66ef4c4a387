// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Makes whoever fails to pair wait before the next try, longer each time. Core 5.4, Vol 3, Part H, 2.3.6.
///
/// Failures count for each peer, and all together for pairings that peers begin: somebody who guesses has as many
/// addresses as he likes.
package struct PairingAttempts: Sendable {
    /// Failures in a row after which a peer has to wait, and after which everybody has.
    package static let limit = 3
    package static let overallLimit = 12
    /// The first wait; it doubles with each further failure.
    package static let firstWait: Duration = .seconds(1)
    package static let longestWait: Duration = .seconds(900)
    /// Without a failure for so long, all is forgotten.
    package static let memory: Duration = .seconds(3600)
    /// Peers that are remembered; the one that failed the longest time ago goes first.
    package static let capacity = 64

    private struct Record: Sendable {
        var failures = 0
        var last = MonotonicTime.zero

        /// Until when nobody may try; nil: at once.
        func blockedUntil(limit: Int) -> MonotonicTime? {
            guard failures >= limit else { return nil }
            // 900 s are reached after ten doublings.
            let doublings = min(failures - limit, 10)
            return last + min(PairingAttempts.firstWait * (1 << doublings), PairingAttempts.longestWait)
        }

        mutating func fail(at now: MonotonicTime) {
            failures = (isForgotten(at: now) ? 0 : min(failures, 1_000)) + 1
            last = now
        }

        func isForgotten(at now: MonotonicTime) -> Bool { now - last >= PairingAttempts.memory }
    }

    private var peers: [DeviceAddress: Record] = [:]
    private var overall = Record()

    package init() {}

    /// How long this peer has to wait; nil: not at all. `isOurs`: we begin, so it is not somebody who guesses.
    package func wait(for peer: DeviceAddress, isOurs: Bool, at now: MonotonicTime) -> Duration? {
        var until = peers[peer]?.blockedUntil(limit: Self.limit)
        if !isOurs, let other = overall.blockedUntil(limit: Self.overallLimit) {
            until = until.map { max($0, other) } ?? other
        }
        guard let until, now < until else { return nil }
        return until - now
    }

    package mutating func failed(_ peer: DeviceAddress, isOurs: Bool, at now: MonotonicTime) {
        if !isOurs { overall.fail(at: now) }
        if peers[peer] == nil, peers.count >= Self.capacity,
            let oldest = peers.min(by: { $0.value.last < $1.value.last })?.key
        {
            peers.removeValue(forKey: oldest)
        }
        peers[peer, default: Record()].fail(at: now)
    }

    /// The peer has paired. What all have failed together stays: one that succeeds must not clear the way for others.
    package mutating func succeeded(_ peer: DeviceAddress) { peers.removeValue(forKey: peer) }
}
