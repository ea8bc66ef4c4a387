// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Platform
import Readings
import SensorCipher
import Testing

@testable import Collector

/// Keys of ciphers without authentication.
struct KeyProofTests {
    private static let key = [UInt8](1...16)

    private static func stamp(_ uptime: Int64) -> TimeStamp {
        TimeStamp(boot: "boot", uptimeMilliseconds: uptime, unixMilliseconds: nil, quality: .unsynced)
    }

    /// A record with changing values, sealed by the sensor and opened with `key`.
    private static func record(_ number: Int, opened key: [UInt8], length: Int = 16) -> AdvertisedPacket? {
        let plain = [
            0x05, 0x00, UInt8(30 + number % 3), 0x05, UInt8(truncatingIfNeeded: number), 0x00, 0x90, 0x01, 0xFF, 0x03,
            0x00, 0x00, 0x12, 0x34, 0xFF, 0xFF,
        ]
        let block =
            [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
            + [UInt8](repeating: 0, count: 14)
        func run(_ octets: [UInt8], _ key: [UInt8]) -> [UInt8]? {
            PacketCipher.open(SealedPacket(.ctr(block: block), ciphertext: octets), key: key)
        }
        return run(Array(plain.prefix(length)), Self.key).flatMap { run($0, key) }
            .map { AdvertisedPacket([0x05, 0, 0] + $0) }
    }

    @Test(arguments: [10, 12, 16])
    func `what the right key opens is alike, and handed on with the times at which it came`(length: Int) throws {
        var proof = KeyProof()
        for number in 0..<KeyProof.sample - 1 {
            let record = try #require(Self.record(number, opened: Self.key, length: length))
            let verdict = proof.judge(record, at: Self.stamp(Int64(number)))
            #expect(verdict == .wait)
        }
        let last = try #require(Self.record(99, opened: Self.key, length: length))
        guard case .right(let held) = proof.judge(last, at: Self.stamp(99)) else {
            Issue.record("not proven")
            return
        }
        #expect(held.map(\.stamp.uptimeMilliseconds) == [0, 1, 2, 3, 4, 99] && proof.isProven)
        let next = try #require(Self.record(5, opened: [UInt8](repeating: 9, count: 16), length: length))
        let verdict = proof.judge(next, at: Self.stamp(100))
        #expect(verdict == .right([KeyProof.Held(packet: next, stamp: Self.stamp(100))]))
    }

    @Test func `what a wrong key opens is noise, whichever digit is wrong`() throws {
        for digit in 0..<16 {
            var key = Self.key
            key[digit] ^= 0x10
            var proof = KeyProof()
            for round in 0..<20 {
                for number in 0..<KeyProof.sample {
                    let record = try #require(Self.record(round * 100 + number, opened: key))
                    let verdict = proof.judge(record, at: Self.stamp(0))
                    #expect(verdict == (number < KeyProof.sample - 1 ? .wait : .wrong(KeyProof.sample)))
                }
            }
            #expect(!proof.isProven)
        }
    }

    @Test(arguments: [1, 2, 4, 16]) func `octets in the clear prove no key, however many there are`(sealed: Int) throws
    {
        var (wrong, right) = (KeyProof(), KeyProof())
        var counts: [Int] = []
        for number in 0..<2_000 {
            for (key, isRight) in [([UInt8](repeating: 9, count: 16), false), (Self.key, true)] {
                var packet = try #require(Self.record(number, opened: key, length: sealed))
                packet.value = [UInt8](repeating: 7, count: 20) + packet.value
                packet.opened = (packet.value.count - sealed)..<packet.value.count
                let verdict = isRight ? right.judge(packet, at: Self.stamp(0)) : wrong.judge(packet, at: Self.stamp(0))
                if case .wrong(let count) = verdict { counts.append(count) }
            }
        }
        #expect(!wrong.isProven && right.isProven)
        #expect(Set(counts) == [max(KeyProof.sample, (KeyProof.bits + 8 * sealed - 1) / (8 * sealed) + 1)])
    }

    @Test func `records about different things are not compared`() throws {
        var proof = KeyProof()
        for number in 0..<20 {
            let record = try #require(Self.record(number, opened: Self.key, length: number % 2 == 0 ? 10 : 12))
            let verdict = proof.judge(record, at: Self.stamp(0))
            #expect(verdict == .wait)
        }
        #expect(proof.discarded == 19, "none of them is lost in silence")
    }
}
