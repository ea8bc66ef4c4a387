// SPDX-License-Identifier: Apache-2.0

import Gateway
import MQTT

/// What a broker sends, in pieces of any size: the same is let through however the stream was cut, and nothing follows a
/// fault.
struct MQTTTarget: FuzzTarget {
    static let name = "mqtt"

    static var seeds: [[UInt8]] {
        let accepted: [UInt8] = [0x20, 3, 0, 0, 0]
        let words: [UInt8] = [0x1F, 0, 2, 0xC3, 0xA4, 0x26, 0, 1, 0x61, 0, 0]
        let numbers: [UInt8] = [0x21, 0, 20, 0x24, 1, 0x25, 0, 0x27, 0, 0, 4, 0, 0x11, 0, 0, 0, 9, 0x13, 0, 30]
        let acceptance = [0x20, UInt8(3 + words.count + numbers.count), 0, 0, UInt8(words.count + numbers.count)]
        let acknowledgement = [0x40, UInt8(4 + words.count), 0, 7, 0x87, UInt8(words.count)] + words
        return [
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
        let whole = read(stream, version5: seed & 1 != 0) { $0 }
        var state = UInt32(seed)
        let cut = read(stream, version5: seed & 1 != 0) { available in
            state = state &* 1_664_525 &+ 1_013_904_223
            return min(available, 1 + Int(state >> 24) % (1 + Int(seed & 31)))
        }
        promise(whole == cut, "the stream is \(whole ?? "let through") at once and \(cut ?? "let through") in pieces")
        promise(whole?.isEmpty != true, "refused without words")
    }

    /// What is wrong with the stream; nil when nothing is.
    private func read(_ stream: [UInt8], version5: Bool, piece: (Int) -> Int) -> String? {
        var packets = PacketGuard(hasProperties: version5)
        for id in 7..<40 { packets.expectAcknowledgement(of: UInt16(id)) }
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
