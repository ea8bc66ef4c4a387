// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP
import Testing

@testable import BluetoothHost
@testable import HostBench

/// Waits after failed pairings.
struct PairingAttemptTests {
    private static let start = MonotonicTime.zero + .seconds(10_000)
    private static let peer = Sample.identity(1)

    @Test func `the wait doubles with each failure, up to a limit`() {
        var attempts = PairingAttempts()
        var now = Self.start
        var waits: [Duration?] = []
        for _ in 0..<16 {
            attempts.failed(Self.peer, isOurs: true, at: now)
            let wait = attempts.wait(for: Self.peer, isOurs: true, at: now)
            waits.append(wait)
            now = now + (wait ?? .zero)
            #expect(attempts.wait(for: Self.peer, isOurs: true, at: now) == nil)
        }
        let seconds: [Int64?] = [nil, nil, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900, 900]
        #expect(waits == seconds.map { $0.map { .seconds($0) } })
        #expect(attempts.wait(for: Sample.identity(2), isOurs: false, at: now) == nil, "others need not wait")
    }

    @Test func `success, or an hour without a failure, makes all good`() {
        for isSuccess in [false, true] {
            var attempts = PairingAttempts()
            for _ in 0..<8 { attempts.failed(Self.peer, isOurs: true, at: Self.start) }
            #expect(attempts.wait(for: Self.peer, isOurs: true, at: Self.start) == .seconds(32))
            if isSuccess { attempts.succeeded(Self.peer) }
            let later = isSuccess ? Self.start : Self.start + PairingAttempts.memory
            attempts.failed(Self.peer, isOurs: true, at: later)
            #expect(attempts.wait(for: Self.peer, isOurs: true, at: later) == nil)
        }
    }

    @Test func `a new address for each try helps nobody for long`() {
        var attempts = PairingAttempts()
        var tries = 0
        // An attacker who waits as long as required, for one hour.
        var now = Self.start
        while now - Self.start < .seconds(3600), tries < 100 {
            let peer = Sample.identity(UInt64(tries + 1))
            if let wait = attempts.wait(for: peer, isOurs: false, at: now) { now = now + wait }
            attempts.failed(peer, isOurs: false, at: now)
            tries += 1
        }
        // Twelve at once, then after 1, 2, 4 … 512 s, and every 900 s.
        #expect(tries == 25)
        #expect(attempts.wait(for: Self.peer, isOurs: true, at: now) == nil, "what we begin ourselves is no guess")
    }

    @Test func `a success of one peer clears the way for no other`() {
        var attempts = PairingAttempts()
        for number in 0..<UInt64(PairingAttempts.overallLimit) {
            attempts.failed(Sample.identity(number + 2), isOurs: false, at: Self.start)
        }
        attempts.succeeded(Self.peer)
        #expect(attempts.wait(for: Sample.identity(99), isOurs: false, at: Self.start) == .seconds(1))
    }

    @Test func `what we begin ourselves keeps nobody out, however often it fails`() {
        var attempts = PairingAttempts()
        for number in 0..<UInt64(2 * PairingAttempts.overallLimit) {
            attempts.failed(Sample.identity(number + 1), isOurs: true, at: Self.start)
        }
        #expect(attempts.wait(for: Self.peer, isOurs: false, at: Self.start) == nil)
    }

    @Test func `a passkey that was known and has failed is risked again after a success alone`() {
        var attempts = PairingAttempts()
        for _ in 0..<PairingAttempts.knownPasskeyLimit {
            #expect(attempts.mayRiskPasskey(with: Self.peer))
            attempts.failedWithKnownPasskey(Self.peer)
        }
        #expect(!attempts.mayRiskPasskey(with: Self.peer))
        attempts.succeeded(Self.peer)
        #expect(attempts.mayRiskPasskey(with: Self.peer))
    }

    @Test func `only so many peers are remembered`() {
        var attempts = PairingAttempts()
        for number in 0..<1_000 {
            for _ in 0..<3 {
                attempts.failed(
                    Sample.identity(UInt64(number)), isOurs: true, at: Self.start + .milliseconds(number))
            }
        }
        let now = Self.start + .seconds(1)
        let waiting = (0..<1_000).filter {
            attempts.wait(for: Sample.identity(UInt64($0)), isOurs: true, at: now) != nil
        }
        #expect(waiting.count <= PairingAttempts.capacity && waiting.last == 999)
    }

    @Test func `whoever guesses passkeys has to wait, and is told`() throws {
        let scene = try PairingScene()
        scene.duet.a.host.policy.ioCapability = .displayOnly
        scene.duet.b.host.policy.ioCapability = .keyboardOnly
        scene.setPolicy { $0.requiresAuthentication = true }
        scene.open(0)
        scene.misreads = true
        for _ in 0..<3 {
            scene.forget()
            #expect(scene.pair(by: 1) == .started)
            #expect(scene.run(for: .seconds(30)) { scene.failure(0) != nil && scene.failure(1) != nil })
            let failures = [scene.failure(0), scene.failure(1)]
            #expect(failures.contains(.refused(.confirmValueFailed)))
        }
        // The Central counts too, and would not begin.
        #expect(scene.pair(by: 1) == .tooSoon(.seconds(1)) || scene.pair(by: 1) != .started)
        scene.forget()
        scene.inject([0x01, 0x02, 0x00, 0x0D, 0x10, 0x00, 0x00], to: 0)
        scene.run(for: .milliseconds(500))
        #expect(scene.sentPairingPDUs(0) == [[0x05, 0x09]])
        scene.run(for: .seconds(2))
        scene.misreads = false
        scene.forget()
        #expect(scene.pair(by: 1) == .started)
        #expect(scene.finish())
    }

    @Test func `a known passkey that a Central has failed three times is not risked again`() throws {
        let scene = try PairingScene()
        scene.open(0)
        scene.duet.a.host.policy.passkeys = [scene.address(of: 1): 123_456]
        scene.duet.b.host.policy.passkeys = [scene.address(of: 0): 654_321]
        for _ in 0..<PairingAttempts.knownPasskeyLimit {
            #expect(scene.pair(by: 1) == .started)
            #expect(scene.run(for: .seconds(30)) { scene.failure(0) != nil && scene.failure(1) != nil })
            // The pause after failures is over.
            scene.run(for: .seconds(30))
            scene.forget()
        }
        #expect(scene.pair(by: 1) == .started)
        #expect(scene.run { scene.failure(1) == .refusedByPeer(.repeatedAttempts) })
        #expect(scene.toldOfPairing(0).refusals == [.passkeyAtRisk])
    }

    /// Rounds of Passkey Entry after which the link ends, or a wrong digit is met; nil: none has begun.
    @Test(arguments: [0, 1, 7, 19])
    func `a pairing that is broken off says whether it gave digits away`(rounds: Int) throws {
        let scene = try PairingScene()
        scene.duet.a.host.policy.ioCapability = .displayOnly
        scene.duet.b.host.policy.ioCapability = .keyboardOnly
        scene.setPolicy { $0.requiresAuthentication = true }
        scene.open(0)
        #expect(scene.pair(by: 1) == .started)
        // The display sends one Pairing Random a round.
        #expect(
            scene.run(for: .seconds(30)) {
                let sent = scene.sentPairingPDUs(0)
                return rounds == 0 ? !sent.isEmpty : sent.count { $0.first == 0x04 } == rounds
            })
        scene.duet.players[1].host.disconnect(scene.address(of: 0), for: Duet.client, at: scene.duet.now)
        #expect(scene.run { scene.failure(0) != nil })
        let end = scene.pairingEvents(0).filter { $0 == .passkeyRevealed || $0 == .failed(.disconnected) }
        #expect(end == (rounds == 0 ? [] : [.passkeyRevealed]) + [.failed(.disconnected)])
    }

    @Test func `a wrong digit gives no more away than that it is wrong`() throws {
        let scene = try PairingScene()
        scene.duet.a.host.policy.ioCapability = .displayOnly
        scene.duet.b.host.policy.ioCapability = .keyboardOnly
        scene.setPolicy { $0.requiresAuthentication = true }
        scene.open(0)
        scene.misreads = true
        #expect(scene.pair(by: 1) == .started)
        #expect(scene.run(for: .seconds(30)) { scene.failure(0) != nil })
        #expect(scene.failure(0) == .refused(.confirmValueFailed))
        #expect(!scene.pairingEvents(0).contains(.passkeyRevealed))
    }
}
