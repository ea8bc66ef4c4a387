// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Platform

/// Limits the passwords that are checked. A peer's wrong passwords cause growing pauses, and the wrong passwords of all
/// strangers together are limited. A value without I/O and clocks.
///
/// A peer with an earlier login has its own allowance, so that guessing strangers do not keep it out.
struct PasswordTries: Sendable {
    /// Wrong passwords of a peer in a row before the first pause.
    static let free = 5
    static let longestPause: Duration = .seconds(60)
    /// Peers whose wrong passwords are counted.
    static let maximumPeers = 256
    /// Remembered peers with an earlier login.
    static let maximumKnown = 32
    /// Wrong passwords a minute: of all strangers together, and of each peer with an earlier login.
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

    /// How long a peer has to wait before its password is checked; nil: no wait.
    ///
    /// - Parameters:
    ///   - peer: See ``PagePeer``.
    ///   - isProgram: Programs are counted apart: a program with an old password does not block people at its address.
    func wait(of peer: String, isProgram: Bool, at now: MonotonicTime) -> Duration? {
        let pause = (tries[Self.name(peer, isProgram)]?.until ?? .zero) - now
        let allowance = known[peer]?.allowance ?? strangers
        let wait = max(pause, allowance.wait(at: now))
        return wait > .zero ? wait : nil
    }

    /// A password was wrong.
    mutating func wrong(of peer: String, isProgram: Bool, at now: MonotonicTime) {
        if known[peer] != nil { _ = known[peer]?.allowance.spend(at: now) } else { _ = strangers.spend(at: now) }
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

    /// A password was right.
    mutating func right(of peer: String, isProgram: Bool, at now: MonotonicTime) {
        tries[Self.name(peer, isProgram)] = nil
        if known[peer] == nil { Self.makeRoom(in: &known, below: Self.maximumKnown, last: \.last) }
        known[peer, default: Known(last: now)].last = now
    }

    /// For tests of the bounds.
    var counted: (peers: Int, known: Int) { (tries.count, known.count) }

    private static func name(_ peer: String, _ isProgram: Bool) -> String { peer + (isProgram ? " program" : "") }

    /// Removes the entry that was seen least recently.
    private static func makeRoom<Value>(
        in table: inout [String: Value], below limit: Int, last: KeyPath<Value, MonotonicTime>
    ) {
        guard table.count >= limit,
            let oldest = table.min(by: { $0.value[keyPath: last] < $1.value[keyPath: last] })?.key
        else { return }
        table[oldest] = nil
    }
}
