// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import FuzzSeeds
import L2CAP

/// Credit based channels: between two of our machines octets arrive whole and in order, however frames and credits interleave. A peer
/// without rules makes our machine keep at most the window.
struct ChannelTarget: FuzzTarget {
    static let name = "channels"

    static var seeds: [[UInt8]] {
        var honest = FuzzScript(0, 0)
        for step in 0..<40 { honest.add(UInt8(step % 7), UInt8(step * 37 & 0xFF)) }
        var long = FuzzScript(0, 0)
        for _ in 0..<8 { long.add(0, 250, 1, 255) }
        for _ in 0..<60 { long.add(2, 0, 3, 0, 4, 200, 5, 200) }
        func hostile(_ frames: [[UInt8]]) -> [UInt8] {
            var script = FuzzScript(1, 0)
            for frame in frames {
                script.add(0)
                script.add(counted: frame)
                script.add(1, 5, 2, 100, 3, 9, 0x41, 0)
            }
            return script.octets
        }
        return [
            honest.octets, long.octets, hostile([[3, 0, 1, 2, 3], [5, 0, 1, 2], [3, 4, 5], [0, 0]]),
            hostile([[0xFF, 0xFF, 1], [1], [], [2, 0, 1, 2, 3]]), hostile(Array(repeating: [200, 0, 1, 2], count: 50)),
        ]
    }

    /// Our end and the peer's, with one open channel, which has the first dynamic number on both sides.
    private static let pair: (ours: L2CAPMachine, theirs: L2CAPMachine) = {
        var (ours, theirs) = (L2CAPMachine(role: .peripheral), L2CAPMachine(role: .central))
        var toUs = theirs.open(spsm: 0x80, tag: 1, at: .zero).map(L2CAPMachine.Effect.channel)
        while !toUs.isEmpty {
            let toThem = toUs.sent.flatMap {
                ours.receivedSignalling($0[...], listeners: [0x80: .none], security: .none, at: .zero)
            }
            toUs = toThem.sent.flatMap {
                theirs.receivedSignalling($0[...], listeners: [:], security: .none, at: .zero)
            }
        }
        promise(ours[channel] != nil && theirs[channel] != nil, "the channel did not open")
        return (ours, theirs)
    }()

    private static let channel = ChannelIdentifier(rawValue: 0x40)

    mutating func run(_ octets: [UInt8]) {
        var input = FuzzInput(octets)
        if input.flag() { hostile(&input) } else { honest(&input) }
    }

    // MARK: Two of ours

    private struct End {
        var machine: L2CAPMachine
        /// SDUs on their way to the other end.
        var sent: [[UInt8]] = []
        /// Frames and commands on their way to this end.
        var frames: [[UInt8]] = []
        var commands: [[UInt8]] = []
        var unread = 0

        mutating func take(_ effects: [ChannelTable.Effect], from other: inout End) {
            for effect in effects {
                switch effect {
                case .send(let pdu): other.commands.append(pdu.encoded)
                case .received(_, let sdu):
                    promise(!other.sent.isEmpty && other.sent[0] == sdu, "an SDU of \(sdu.count) octets is another")
                    other.sent.removeFirst()
                    unread += sdu.count
                case .closed(_, let end): promise(false, "the channel is closed: \(end)")
                case .opened, .failed, .ready: break
                }
            }
        }
    }

    private func honest(_ input: inout FuzzInput) {
        var (a, b) = (End(machine: Self.pair.ours), End(machine: Self.pair.theirs))
        var count: UInt8 = 0
        func step(_ from: inout End, _ to: inout End, _ what: Int, _ amount: Int) {
            switch what {
            case 0:
                count &+= 1
                let sdu = [UInt8](repeating: count, count: amount * 8)
                if from.machine.send(sdu, on: Self.channel), !sdu.isEmpty { from.sent.append(sdu) }
            case 1:
                guard let (frame, _, effects) = from.machine.nextFrame(at: .zero) else { return }
                to.frames.append(frame)
                from.take(effects, from: &to)
            case 2:
                let octets = min(from.unread, amount * 8)
                from.unread -= octets
                let effects = from.machine.consumed(octets, on: Self.channel)
                from.take(effects, from: &to)
            case 3:
                guard !from.frames.isEmpty else { return }
                let frame = from.frames.removeFirst()
                let effects = from.machine.received(frame.span.bytes, on: Self.channel, at: .zero)
                from.take(effects ?? [], from: &to)
            default:
                guard !from.commands.isEmpty else { return }
                let effects = from.machine.receivedSignalling(
                    from.commands.removeFirst()[...], listeners: [:], security: .none, at: .zero)
                from.take(effects.ofChannels, from: &to)
            }
        }
        while !input.isAtEnd {
            let what = input.u8()
            let amount = Int(input.u8())
            if what & 0x80 == 0 { step(&a, &b, Int(what) % 5, amount) } else { step(&b, &a, Int(what) % 5, amount) }
        }
        // All sent octets arrive when both sides continue.
        var turns = 0
        while !a.sent.isEmpty || !b.sent.isEmpty {
            turns += 1
            promise(turns < 4_096, "\(a.sent.count) and \(b.sent.count) SDUs never arrive")
            for what in [1, 3, 2, 4] {
                step(&a, &b, what, 1_000)
                step(&b, &a, what, 1_000)
            }
        }
    }

    // MARK: A peer without rules

    private func hostile(_ input: inout FuzzInput) {
        var machine = Self.pair.ours
        var now = MonotonicTime.zero
        var unread = 0
        var isOpen = true
        func take(_ effects: [ChannelTable.Effect]) {
            for effect in effects {
                switch effect {
                case .send(let pdu): promise(pdu.encoded.count <= SignallingPDU.maximumLength, "\(pdu) is too long")
                case .received(_, let sdu):
                    promise(sdu.count <= Int(CreditBasedChannelMachine.mtu), "an SDU of \(sdu.count) octets")
                    unread += sdu.count
                case .closed:
                    promise(isOpen, "the channel is closed twice")
                    isOpen = false
                case .opened, .failed, .ready: break
                }
            }
        }
        // The octets which wait for the user never exceed the granted credits by more than one SDU.
        let limit = CreditBasedChannelMachine.window * Int(CreditBasedChannelMachine.mps)
        while !input.isAtEnd {
            switch input.pick(5) {
            case 0:
                let frame = input.counted()
                take(machine.received(frame.span.bytes, on: Self.channel, at: now) ?? [])
            case 1:
                let amount = min(unread, Int(input.u8()) * 4)
                unread -= amount
                take(machine.consumed(amount, on: Self.channel))
            case 2:
                _ = machine.send([UInt8](repeating: 1, count: Int(input.u8()) * 16), on: Self.channel)
                while let (frame, _, effects) = machine.nextFrame(at: now) {
                    promise(frame.count <= 65_533, "a frame of \(frame.count) octets")
                    take(effects)
                }
            case 3:
                let pdu = SignallingPDU.flowControlCredit(
                    identifier: input.u8(), channel: .init(rawValue: UInt16(input.u8())), credits: input.u16())
                let effects = machine.receivedSignalling(
                    pdu.encoded[...], listeners: [0x80: .none], security: .none, at: now)
                take(effects.ofChannels)
            default:
                now = now + .seconds(Int(input.u8() & 15))
                take(machine.expire(at: now).ofChannels)
                if input.flag() { take(machine.close(Self.channel, sending: [[1]], at: now)) }
            }
            promise(unread <= limit, "\(unread) octets are kept")
            promise(isOpen == (machine[Self.channel] != nil), "the channel's end is not told")
        }
    }
}

extension [L2CAPMachine.Effect] {
    fileprivate var ofChannels: [ChannelTable.Effect] {
        compactMap { if case .channel(let effect) = $0 { effect } else { nil } }
    }

    fileprivate var sent: [[UInt8]] {
        ofChannels.compactMap { if case .send(let pdu) = $0 { pdu.encoded } else { nil } }
    }
}
