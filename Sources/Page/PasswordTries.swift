// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Platform

/// How many passwords are looked at: wrong ones of a peer cost it pauses that grow, and those of all strangers together are
/// bounded. A value without I/O and clocks.
///
/// A peer that has been in has an allowance of its own, so that strangers who guess do not keep it out.
struct PasswordTries: Sendable {
    /// Wrong passwords of a peer in a row before there is a pause.
    static let free = 5
    static let longestPause: Duration = .seconds(60)
    /// Peers whose wrong passwords are counted.
    static let maximumPeers = 256
    /// Peers that have been in and are remembered.
    static let maximumKnown = 32
    /// Wrong passwords a minute: of all strangers together, and of each peer that has been in.
    static let perMinute = 30

    private struct Tries {
        var wrong = 0
        var until = MonotonicTime.zero
        var last = MonotonicTime.zero
    }

    private struct Known {
        var allowance = PasswordTries.allowance
        var last: MonotonicTime
    }

    private static var allowance: Allowance { Allowance(perMinute, every: .seconds(60) / perMinute) }

    private var tries: [String: Tries] = [:]
    private var known: [String: Known] = [:]
    private var strangers = PasswordTries.allowance

    /// How long a peer has to wait before its password is looked at; nil when it is looked at now.
    ///
    /// - Parameters:
    ///   - peer: See ``PagePeer``.
    ///   - isProgram: Counted apart: a program with an old password keeps nobody from logging in at the same address.
    func wait(of peer: String, isProgram: Bool, at now: MonotonicTime) -> Duration? {
        let pause = (tries[Self.name(peer, isProgram)]?.until ?? .zero) - now
        let allowance = known[peer]?.allowance ?? strangers
        let wait = max(pause, allowance.wait(at: now))
        return wait > .zero ? wait : nil
    }

    /// A password was looked at, and is none.
    mutating func wrong(of peer: String, isProgram: Bool, at now: MonotonicTime) {
        if known[peer] != nil { _ = known[peer]?.allowance.take(at: now) } else { _ = strangers.take(at: now) }
        let name = Self.name(peer, isProgram)
        var its = tries[name] ?? Tries()
        its.wrong += 1
        its.last = now
        if its.wrong >= Self.free {
            let pause = Duration.seconds(1 << min(its.wrong - Self.free + 1, 6))
            its.until = now + min(pause, Self.longestPause)
        }
        if tries[name] == nil { Self.makeRoom(in: &tries, below: Self.maximumPeers, last: \.last) }
        tries[name] = its
    }

    /// It was right.
    mutating func right(of peer: String, isProgram: Bool, at now: MonotonicTime) {
        tries[Self.name(peer, isProgram)] = nil
        if known[peer] == nil { Self.makeRoom(in: &known, below: Self.maximumKnown, last: \.last) }
        known[peer, default: Known(last: now)].last = now
    }

    /// For tests of the bounds.
    var counted: (peers: Int, known: Int) { (tries.count, known.count) }

    private static func name(_ peer: String, _ isProgram: Bool) -> String { peer + (isProgram ? " program" : "") }

    /// Forgets the one that was last seen before all others.
    private static func makeRoom<Value>(
        in table: inout [String: Value], below limit: Int, last: KeyPath<Value, MonotonicTime>
    ) {
        guard table.count >= limit,
            let oldest = table.min(by: { $0.value[keyPath: last] < $1.value[keyPath: last] })?.key
        else { return }
        table[oldest] = nil
    }
}
