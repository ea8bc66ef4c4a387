// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Page

/// The addresses that count as one peer, and the number of checked passwords.
struct PasswordTriesTests {
    private static func at(_ seconds: Int) -> MonotonicTime { .zero + .seconds(10_000 + seconds) }

    /// A row: two addresses, and whether they belong to one peer.
    @Test(
        arguments: [
            // All of 127/8 and ::1 are this machine, and no other address is.
            ("127.0.0.1", "127.255.255.254", true), ("127.0.0.1", "::1", true), ("127.0.0.1", "::ffff:127.3.2.1", true),
            ("127.0.0.1", "128.0.0.1", false), ("127.0.0.1", "126.255.255.255", false), ("::1", "::2", false),
            ("::1", "::", false), ("::1", "::127.0.0.1", false), ("::1", "1::1", false),
            // IPv4: each address.
            ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
            ("192.0.2.1", "::ffff:192.0.2.1", true), ("192.0.2.1", "::ffff:c000:201", true),
            ("192.0.2.1", "::fffe:192.0.2.1", false), ("192.0.2.1", "::192.0.2.1", false),
            ("192.0.2.1", "::1:ffff:c000:201", false), ("::ffff:192.0.2.1", "::ffff:192.0.2.2", false),
            // IPv6: the first 56 bits.
            ("2001:db8:0:100::1", "2001:db8:0:1ff:ffff::9", true), ("2001:db8:0:100::1", "2001:db8:0:200::1", false),
            ("2001:db8:0:100::1", "2001:db8:0:ff::1", false), ("2001:db8:0:100::1", "2001:db9:0:100::1", false),
            ("fe80::1%eth0", "fe80::2%wlan0", true), ("fe80::1%eth0", "fe80::1", true),
            ("", "x", false), ("2001:db8::%", "2001:db8::", true),
        ])
    func `addresses that one host may have are one peer`(first: String, second: String, isOne: Bool) {
        #expect((PagePeer.network(of: first) == PagePeer.network(of: second)) == isOne)
    }

    @Test func `wrong passwords of ever new strangers are bounded together`() {
        var tries = PasswordTries()
        var looked = 0
        func guess(_ peer: String, _ second: Int) -> Bool {
            guard tries.wait(of: peer, isProgram: looked.isMultiple(of: 2), at: Self.at(second)) == nil else {
                return false
            }
            tries.wrong(of: peer, isProgram: looked.isMultiple(of: 2), at: Self.at(second))
            looked += 1
            return true
        }
        for number in 0..<10_000 { _ = guess("p\(number)", 0) }
        #expect(looked == PasswordTries.perMinute)
        #expect(tries.wait(of: "new", isProgram: false, at: Self.at(0)) == .seconds(2))
        for number in 0..<10_000 { _ = guess("q\(number)", number * 600 / 10_000) }
        #expect(looked == PasswordTries.perMinute + 299, "ten minutes give so many more, and not one beyond")
    }

    @Test func `a peer that has been in has a share of its own, and pauses like all others`() {
        var tries = PasswordTries()
        tries.right(of: "home", isProgram: false, at: Self.at(0))
        for number in 0..<100 where tries.wait(of: "p\(number)", isProgram: false, at: Self.at(1)) == nil {
            tries.wrong(of: "p\(number)", isProgram: false, at: Self.at(1))
        }
        #expect(tries.wait(of: "stranger", isProgram: false, at: Self.at(1)) != nil)
        #expect(tries.wait(of: "home", isProgram: false, at: Self.at(1)) == nil)
        // Its own wrong attempts cost the strangers nothing.
        for _ in 0..<PasswordTries.free { tries.wrong(of: "home", isProgram: false, at: Self.at(200)) }
        #expect(tries.wait(of: "home", isProgram: false, at: Self.at(200)) == .seconds(2))
        #expect(tries.wait(of: "home", isProgram: true, at: Self.at(200)) == nil)
        #expect(tries.wait(of: "stranger", isProgram: false, at: Self.at(200)) == nil)
        // The attempts of many peers of its kind cost the strangers nothing either, even if they equal the strangers' whole allowance.
        for number in 0..<(PasswordTries.perMinute / PasswordTries.free) {
            let peer = "home \(number)"
            tries.right(of: peer, isProgram: false, at: Self.at(400))
            for _ in 0..<PasswordTries.free { tries.wrong(of: peer, isProgram: false, at: Self.at(400)) }
        }
        #expect(tries.wait(of: "stranger", isProgram: false, at: Self.at(400)) == nil)
    }

    @Test func `a right password gives its peer no new share`() {
        var tries = PasswordTries()
        tries.right(of: "home", isProgram: false, at: Self.at(0))
        var looked = 0
        for _ in 0..<100 where tries.wait(of: "home", isProgram: false, at: Self.at(0)) == nil {
            tries.wrong(of: "home", isProgram: false, at: Self.at(0))
            looked += 1
            // Somebody else there logs in.
            tries.right(of: "home", isProgram: false, at: Self.at(0))
        }
        #expect(looked == PasswordTries.perMinute)
    }

    @Test func `what is remembered is bounded, and the longest unseen is forgotten first`() {
        var tries = PasswordTries()
        for number in 0..<2_000 {
            tries.wrong(of: "p\(number)", isProgram: false, at: Self.at(number))
            tries.right(of: "k\(number)", isProgram: false, at: Self.at(number))
        }
        #expect(tries.counted == (PasswordTries.maximumPeers, PasswordTries.maximumKnown))
        for number in 0..<100 { tries.wrong(of: "s\(number)", isProgram: false, at: Self.at(2_000)) }
        #expect(tries.wait(of: "k1999", isProgram: false, at: Self.at(2_000)) == nil)
        #expect(tries.wait(of: "k1968", isProgram: false, at: Self.at(2_000)) == nil)
        #expect(tries.wait(of: "k1967", isProgram: false, at: Self.at(2_000)) != nil)
    }

    @Test func `who logs in again is not forgotten before those who have not`() {
        var tries = PasswordTries()
        for number in 0..<PasswordTries.maximumKnown {
            tries.right(of: "k\(number)", isProgram: false, at: Self.at(number))
        }
        tries.right(of: "k0", isProgram: false, at: Self.at(PasswordTries.maximumKnown))
        tries.right(of: "new", isProgram: false, at: Self.at(PasswordTries.maximumKnown + 1))
        for number in 0..<100 { tries.wrong(of: "s\(number)", isProgram: false, at: Self.at(100)) }
        #expect(tries.wait(of: "k0", isProgram: false, at: Self.at(100)) == nil)
        #expect(tries.wait(of: "k1", isProgram: false, at: Self.at(100)) != nil)
        #expect(tries.wait(of: "k2", isProgram: false, at: Self.at(100)) == nil)
        #expect(tries.wait(of: "new", isProgram: false, at: Self.at(100)) == nil)
    }
}
