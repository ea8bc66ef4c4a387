// SPDX-License-Identifier: Apache-2.0

import FuzzSeeds
import Gateway
import MQTT

/// A broker's packets, in pieces of any size: the reader accepts the same packets however the stream is cut, and nothing after a fault. The
/// first octet selects the cuts and the kind of connection.
struct MQTTTarget: FuzzTarget {
    static let name = "mqtt"

    static var seeds: [[UInt8]] {
        let accepted: [UInt8] = [0x20, 3, 0, 0, 0]
        let words: [UInt8] = [0x1F, 0, 2, 0xC3, 0xA4, 0x26, 0, 1, 0x61, 0, 0]
        let numbers: [UInt8] = [0x21, 0, 20, 0x24, 1, 0x25, 0, 0x27, 0, 0, 4, 0, 0x11, 0, 0, 0, 9, 0x13, 0, 30]
        let acceptance = [0x20, UInt8(3 + words.count + numbers.count), 0, 0, UInt8(words.count + numbers.count)]
        let acknowledgement = [0x40, UInt8(4 + words.count), 0, 7, 0x87, UInt8(words.count)] + words
        let subscriber = FuzzFormats.subscriber | 1
        let granted: [UInt8] = [0x90, 4, 0, 1, 0, 1, 0x90, 6, 0, 2, 0, 0, 1, 0x87, 0xB0, 5, 0, 3, 0, 0, 0x11]
        let asked: [UInt8] = [
            0x01, 1, 0x02, 0, 0, 0, 9, 0x03, 0, 1, 0x61, 0x08, 0, 2, 0xC3, 0xA4, 0x09, 0, 2, 0, 0xFF, 0x26, 0, 1, 0x61,
            0, 0,
        ]
        let question = [0x3B, UInt8(7 + asked.count), 0, 1, 0x61, 0, 9, UInt8(asked.count)] + asked + [0x68]
        return [
            [subscriber] + accepted + granted + question,
            [subscriber | 0x80, 0x20, 3, 1, 0, 0] + question + [0x30, 4, 0, 1, 0x61, 0] + granted,
            [subscriber] + accepted + [0x32, 7, 0, 1, 0x61, 0, 9, 0, 1, 0x90, 4, 0, 1, 0, 0x87],
            [FuzzFormats.subscriber, 0x20, 2, 0, 0, 0x90, 3, 0, 1, 1, 0xB0, 2, 0, 3, 0x32, 6, 0, 1, 0x61, 0, 9, 1],
            [subscriber] + accepted + [0x34, 6, 0, 1, 0x61, 0, 9, 0], [subscriber] + accepted + [0x62, 2, 0, 9],
            [1] + accepted + [0x40, 2, 0, 7, 0x40, 3, 0, 8, 0x10, 0xD0, 0, 0xE0, 0],
            [3] + acceptance + words + numbers + acknowledgement,
            [7] + accepted + acknowledgement + [0xE0, 7, 0x9D, 5, 0x1C, 0, 2, 0x61, 0x62],
            [0, 0x20, 2, 0, 0, 0x40, 2, 0, 7, 0xD0, 0], [0, 0x20, 2, 0, 5], [5, 0x20, 2, 0, 1],
            [9] + accepted + [0x30, 0xFF, 0xFF, 0xFF, 0x7F], [1] + accepted + [0x40, 6, 0, 7, 0, 2, 0x7F, 0],
        ]
    }

    mutating func run(_ octets: [UInt8]) {
        guard let seed = octets.first else { return }
        let stream = Array(octets.dropFirst())
        let whole = read(stream, by: seed) { $0 }
        var state = UInt32(seed)
        let cut = read(stream, by: seed) { available in
            state = state &* 1_664_525 &+ 1_013_904_223
            return min(available, 1 + Int(state >> 24) % (1 + Int(seed & 31)))
        }
        promise(whole == cut, "the stream is \(whole ?? "let through") at once and \(cut ?? "let through") in pieces")
        promise(whole?.isEmpty != true, "refused without words")
    }

    /// The stream's fault; nil without a fault.
    private func read(_ stream: [UInt8], by seed: UInt8, piece: (Int) -> Int) -> String? {
        let takesMessages = seed & FuzzFormats.subscriber != 0
        let messages = PacketGuard.Messages(longest: 300, continuesSession: seed & 0x80 != 0)
        var packets = PacketGuard(hasProperties: seed & 1 != 0, messages: takesMessages ? messages : nil)
        for id in 7..<40 { packets.expectAcknowledgement(of: UInt16(id)) }
        if seed & FuzzFormats.subscriber == FuzzFormats.subscriber {
            packets.expectSubscription(1, filters: 1)
            packets.expectSubscription(2, filters: 3)
            packets.expectEnd(3, filters: 2)
        }
        var start = 0
        while start < stream.count {
            let end = start + piece(stream.count - start)
            do {
                try packets.check(stream[start..<end])
            } catch {
                return error.description
            }
            start = end
        }
        return nil
    }
}
