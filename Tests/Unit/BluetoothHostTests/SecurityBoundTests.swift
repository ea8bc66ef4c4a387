// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import BluetoothHost

/// The figures of docs/security.md: a change of one is a change of a promise.
struct SecurityBoundTests {
    @Test func `subscriptions are written after three seconds, five times, and then once a minute`() {
        let pace = BondStore.clientStatePace
        var queue = WriteQueue<Int>(pace: pace)
        var (now, writes) = (MonotonicTime.zero + .seconds(1_000), [Duration]())
        let start = now
        for _ in 0..<8 {
            queue.record(1, .later, at: now)
            guard let deadline = queue.deadline else { break }
            now = deadline
            #expect(queue.next(at: now) == 1)
            writes.append(now - start)
        }
        let seconds = zip(writes, [.zero] + writes).map { $0 - $1 }
        #expect(seconds.prefix(5).allSatisfy { $0 == .seconds(3) }, "\(seconds)")
        // The budget grows while it is used: one write each minute from the first one on.
        #expect(writes.last.map { $0 <= .seconds(4 * 60) && $0 >= .seconds(3 * 60) } == true, "\(writes)")
    }

    @Test func `a controller has 256 bonds, and strangers make half of them at most`() {
        #expect(BondTable.capacity == 256)
    }

    @Test func `twelve failures of peers, or three of one address, begin a pause of a second`() {
        var (all, one) = (PairingAttempts(), PairingAttempts())
        let now = MonotonicTime.zero + .seconds(1_000)
        for number in 1...12 as ClosedRange<UInt64> {
            #expect(all.wait(for: Sample.identity(99), isOurs: false, at: now) == nil, "after \(number - 1)")
            all.failed(Sample.identity(number), isOurs: false, at: now)
        }
        #expect(all.wait(for: Sample.identity(99), isOurs: false, at: now) == .seconds(1))
        // Peers' failures hold up no pairing of ours.
        #expect(all.wait(for: Sample.identity(99), isOurs: true, at: now) == nil)
        // Whichever side begins, an address waits for its own failures.
        for isOurs in [true, false] {
            one = PairingAttempts()
            for number in 1...3 {
                #expect(one.wait(for: Sample.identity(1), isOurs: true, at: now) == nil, "after \(number - 1)")
                one.failed(Sample.identity(1), isOurs: isOurs, at: now)
            }
            #expect(one.wait(for: Sample.identity(1), isOurs: true, at: now) == .seconds(1))
            #expect(one.wait(for: Sample.identity(1), isOurs: false, at: now) == .seconds(1))
            #expect(one.wait(for: Sample.identity(2), isOurs: false, at: now) == nil)
        }
    }
}
