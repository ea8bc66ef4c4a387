// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// A controller's octet stream, in pieces of any size: the reader finds the same whole packets however the stream is cut, and finds packet
/// borders again after it has lost them.
struct H4Target: FuzzTarget {
    static let name = "h4"

    static var seeds: [[UInt8]] {
        let reset: [UInt8] = [4, 0x0E, 4, 1, 0x03, 0x0C, 0]
        let data: [UInt8] = [2, 0x40, 0x20, 7, 0, 3, 0, 4, 0, 2, 23, 0]
        let report: [UInt8] = [4, 0x3E, 15, 2, 1, 3, 1, 1, 2, 3, 4, 5, 0xC0, 3, 2, 1, 6, 0xC4]
        let iso: [UInt8] = [5, 0x40, 0x20, 3, 0x40, 1, 2, 3]
        return [
            [1] + reset, [3] + data + report + reset, [2] + iso + data, [7, 9, 9, 9] + reset + report,
            [5] + reset + [0, 4, 0x0E] + reset + data, [1, 1, 0x03, 0x0C, 0, 3, 1, 0, 2, 9, 9],
        ]
    }

    private struct Outcome: Equatable {
        var packets: [Range<Int>] = []
        var skipped = 0
        /// The index of the first octet that was not used.
        var rest = 0
    }

    mutating func run(_ octets: [UInt8]) {
        guard let seed = octets.first else { return }
        let stream = Array(octets.dropFirst())
        let whole = read(stream) { $0 }
        var state = UInt32(seed)
        let cut = read(stream) { available in
            state = state &* 1_664_525 &+ 1_013_904_223
            return min(available, 1 + Int(state >> 24) % (1 + Int(seed & 31)))
        }
        promise(whole == cut, "the stream is \(whole) at once and \(cut) in pieces")
        let inPackets = whole.packets.reduce(0) { $0 + $1.count }
        promise(inPackets + whole.skipped + stream.count - whole.rest == stream.count, "octets are lost: \(whole)")
    }

    /// Reads as a transport does: the buffer grows by `piece` of the remaining octets.
    private func read(_ stream: [UInt8], piece: (Int) -> Int) -> Outcome {
        var outcome = Outcome()
        var isLost = false
        var end = 0
        repeat {
            end += piece(stream.count - end)
            while outcome.rest < end {
                let before = outcome.rest
                let buffer = stream.span.bytes.extracting(before..<end)
                if isLost {
                    let (skip, found) = H4Resynchronizer.search(buffer)
                    promise((0...buffer.byteCount).contains(skip), "\(skip) of \(buffer.byteCount) octets are skipped")
                    outcome.rest += skip
                    outcome.skipped += skip
                    isLost = !found
                    if isLost { break }
                    continue
                }
                switch H4Framer.next(buffer) {
                case .packet(let type, let length):
                    promise(type.rawValue == stream[before], "the type is \(type)")
                    promise((1 + type.headerLength...buffer.byteCount).contains(length), "the length is \(length)")
                    outcome.packets.append(before..<(before + length))
                    outcome.rest += length
                case .unknownType(let type):
                    promise(HCIPacketType(rawValue: type) == nil, "\(type) is a type")
                    isLost = true
                case .needs(let octets):
                    promise(octets > 0, "\(octets) octets are needed")
                }
                if outcome.rest == before, !isLost { break }
            }
        } while end < stream.count
        return outcome
    }
}
