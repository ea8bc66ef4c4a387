// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Makes a peer wait after failed pairings, longer each time. Core 5.4, Vol 3, Part H, 2.3.6.
///
/// Failures count for each peer. Failures of pairings begun by peers also count together, because an attacker has as
/// many addresses as he likes.
package struct PairingAttempts: Sendable {
    /// Failures in a row before a peer has to wait, and before all peers have to wait.
    package static let limit = 3
    package static let overallLimit = 12
    /// The first wait. Each further failure doubles it.
    package static let firstWait: Duration = .seconds(1)
    package static let longestWait: Duration = .seconds(900)
    /// After this time without a failure, all failures are forgotten.
    package static let memory: Duration = .seconds(3600)
    /// Limit of remembered peers. The peer whose failure is oldest goes first.
    package static let capacity = 64
    /// Limit of failures with a constant passkey. Afterwards only a client's own wish may risk the passkey: each
    /// failure reveals about two of its twenty bits to a device in the peer's place. Core 5.4, Vol 3, Part H,
    /// 2.3.5.6.3.
    package static let knownPasskeyLimit = 3

    private struct Record: Sendable {
        var failures = 0
        var last = MonotonicTime.zero

        /// The end of the wait; nil: no wait.
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
    /// Failures in a row with passkeys known beforehand. Time does not undo them.
    private var knownPasskeys: [DeviceAddress: Int] = [:]

    package init() {}

    /// How long this peer has to wait; nil: not at all. `isOurs`: we begin, so the peer is not an attacker who guesses.
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

    /// The peer has paired. The common count of failures stays: a success of one peer must not clear the way for
    /// others.
    package mutating func succeeded(_ peer: DeviceAddress) {
        peers.removeValue(forKey: peer)
        knownPasskeys.removeValue(forKey: peer)
    }

    /// A passkey known beforehand has failed. Called only for peers with such a passkey.
    package mutating func failedWithKnownPasskey(_ peer: DeviceAddress) {
        knownPasskeys[peer] = min(knownPasskeys[peer, default: 0] + 1, Self.knownPasskeyLimit)
    }

    /// A pairing without a client's wish may use the passkey known beforehand.
    package func mayRiskPasskey(with peer: DeviceAddress) -> Bool {
        knownPasskeys[peer, default: 0] < Self.knownPasskeyLimit
    }
}
