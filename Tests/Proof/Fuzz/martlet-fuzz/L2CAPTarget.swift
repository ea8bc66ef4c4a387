// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import FuzzSeeds
import HCI
import L2CAP

/// ACL fragments: a joined frame has its announced length, and is not longer than any channel takes. Frames come out unchanged after any
/// cuts. The host accepts every content.
struct L2CAPTarget: FuzzTarget {
    static let name = "l2cap"

    static var seeds: [[UInt8]] {
        var fragments = FuzzScript(0)
        for (isFirst, octets) in [(1, [3, 0, 4, 0, 2]), (0, [23, 0]), (1, [0, 2, 4, 0, 1]), (1, [9])] {
            fragments.add(UInt8(isFirst))
            fragments.add(counted: octets.map { UInt8($0) })
        }
        var frame = FuzzScript(1, 3, 2, 250, 1, 7)
        frame.add(counted: Array(0..<100))
        var links = FuzzScript(2)
        let pdus: [(UInt8, [UInt8])] = [
            (4, [2, 23, 0]), (4, [0x1B, 3, 0, 1]), (4, [0x10, 1, 0, 0xFF, 0xFF, 0, 0x28]), (6, [1, 4, 0, 1, 16, 7, 7]),
            (5, [0x14, 1, 10, 0, 0x80, 0, 0x40, 0, 64, 0, 64, 0, 4, 0]), (0x40, [3, 0, 1, 2, 3]), (4, [0x1D, 3, 0, 9]),
        ]
        for (number, (channel, pdu)) in pdus.enumerated() {
            links.add(UInt8(number & 1) | 2, channel, 0xFF)
            links.add(counted: pdu)
        }
        let pairings = PairingRecording.all.map { recording in
            var script = FuzzScript(2)
            for pdu in recording.pdus {
                script.add(recording.isOurCentral ? 0 : 1, 6, 0xFF)
                script.add(counted: pdu)
            }
            return script.octets
        }
        return [fragments.octets, frame.octets, links.octets, links.octets.map { $0 == 0xFF ? 3 : $0 }] + pairings
    }

    mutating func run(_ octets: [UInt8]) {
        var input = FuzzInput(octets)
        switch input.pick(3) {
        case 0: recombine(&input)
        case 1: roundTrip(&input)
        default: receive(&input)
        }
    }

    // MARK: Recombination alone

    private static let limit = 517

    private func recombine(_ input: inout FuzzInput) {
        var machine = RecombinationMachine(limit: Self.limit)
        var expected: [UInt8] = []
        while !input.isAtEnd {
            let isFirst = input.flag()
            let fragment = input.counted()
            expected = (isFirst ? [] : expected) + fragment
            let result = machine.received(fragment.span.bytes, isFirst: isFirst)
            promise(machine.frame.count <= Self.limit + 4, "\(machine.frame.count) octets are kept")
            switch result {
            case .whole:
                promise(isFirst && announced(fragment) == fragment.count, "half a frame is whole")
            case .recombined:
                promise(!isFirst && machine.frame == expected, "the frame is \(machine.frame)")
                promise(announced(machine.frame) == machine.frame.count, "the frame has another length")
                expected = []
            case .incomplete:
                promise(expected.count < announced(expected), "the frame \(expected) is whole")
            case .dropped:
                expected = []
            }
        }
    }

    private func announced(_ frame: [UInt8]) -> Int {
        frame.count < 4 ? .max : 4 + Int(frame[0]) + Int(frame[1]) << 8
    }

    private func roundTrip(_ input: inout FuzzInput) {
        let cuts = (0..<4).map { _ in 1 + Int(input.u8()) }
        let channel = ChannelIdentifier(rawValue: input.u16())
        let payload = Array(input.rest().prefix(Self.limit))
        let frame = L2CAPFrame.encode(payload, on: channel)
        var machine = RecombinationMachine(limit: Self.limit)
        var start = 0
        while start < frame.count {
            // The first fragment has the header.
            let end = min(frame.count, start + max(cuts[start % 4], start == 0 ? 4 : 1))
            let result = machine.received(Array(frame[start..<end]).span.bytes, isFirst: start == 0)
            let wanted: RecombinationMachine.Result =
                end < frame.count ? .incomplete : start == 0 ? .whole : .recombined
            promise(result == wanted, "\(start)..<\(end) of \(frame.count) is \(result)")
            start = end
        }
        promise(cuts[0] >= frame.count || machine.frame == frame || frame.count == 4, "the frame is \(machine.frame)")
    }

    // MARK: A whole host

    private mutating func receive(_ input: inout FuzzInput) {
        var host = PreparedHost.busy
        while !input.isAtEnd {
            let choice = input.u8()
            let channel = UInt16(input.u8())
            let cut = max(1, Int(input.u8()))
            let pdu = input.counted()
            var frame = L2CAPFrame.encode(pdu, on: ChannelIdentifier(rawValue: channel))
            // A length that differs from the frame's.
            if choice & 4 != 0 { frame[0] = frame[0] &+ (choice >> 3) }
            host.receive(frame: frame, onPeripheralLink: choice & 1 == 1, pieces: cut)
            host.settle()
            host.agree()
        }
        host.check()
    }
}
