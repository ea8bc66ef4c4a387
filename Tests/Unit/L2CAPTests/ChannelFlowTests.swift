// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import L2CAP
import TestMaterials
import Testing

/// Octets and credits on an open channel.
struct ChannelFlowTests {
    private func broken(
        _ fault: CreditBasedChannelMachine.Fault, identifier: UInt8 = 1
    ) -> [ChannelTable.Effect] {
        [
            .send(.disconnectionRequest(identifier: identifier, destination: 0x50, source: 0x40)),
            .closed(0x40, .broken(fault)),
        ]
    }

    private let octets = (0..<2048).map { UInt8(truncatingIfNeeded: $0) }

    // MARK: Sending

    @Test func `L2CAP/LE/CFC/BV-06-C: frames follow the peer's credits`() {
        var rig = ChannelRig()
        _ = rig.accept(mps: 23, credits: 0)
        #expect(rig.machine.send(Array(octets[..<60]), on: 0x40) == true)
        #expect(rig.next() == nil)
        #expect(rig.receive(.flowControlCredit(identifier: 1, channel: 0x50, credits: 1)) == [])
        #expect(rig.next() == [60, 0] + octets[..<21])
        #expect(rig.next() == nil)
        _ = rig.receive(.flowControlCredit(identifier: 2, channel: 0x50, credits: 2))
        #expect(rig.next() == Array(octets[21..<44]))
        #expect(rig.next() == Array(octets[44..<60]))
        #expect(rig.next() == nil)
    }

    @Test func `L2CAP/LE/CFC/BV-32-C: an SDU that fills one frame exactly`() {
        var rig = ChannelRig()
        _ = rig.accept(mps: 64)
        #expect(rig.machine.send(Array(octets[..<62]), on: 0x40) == true)
        #expect(rig.next() == [62, 0] + octets[..<62])
        #expect(rig.next() == nil)
        #expect(rig.first(245, Array(octets[..<245])) == [.received(0x40, Array(octets[..<245]))])
    }

    @Test func `an SDU longer than the peer takes is not sent`() {
        var rig = ChannelRig()
        _ = rig.accept(mtu: 100)
        #expect(rig.machine.send(Array(octets[..<101]), on: 0x40) == false)
        #expect(rig.machine.send(Array(octets[..<100]), on: 0x40) == true)
    }

    @Test func `a full channel turns SDUs away, and says when there is room`() {
        var rig = ChannelRig()
        _ = rig.accept(mtu: 2048, mps: 2050, credits: 20)
        for _ in 0..<8 { #expect(rig.machine.send(octets, on: 0x40) == true) }
        #expect(rig.machine.send([1], on: 0x40) == false)
        var effects: [ChannelTable.Effect] = []
        var frames = 0
        while effects.isEmpty, let frame = rig.machine.nextFrame(at: .zero) {
            frames += 1
            effects = frame.effects
        }
        #expect(effects == [.ready(0x40)])
        #expect(frames == 4)
        #expect(rig.machine.send([1], on: 0x40) == true)
    }

    @Test func `channels take turns`() {
        var rig = ChannelRig()
        _ = rig.accept(0x50)
        _ = rig.accept(0x51)
        for channel in [ChannelIdentifier(rawValue: 0x40), 0x40, 0x41, 0x41] {
            #expect(rig.machine.send([1], on: channel) == true)
        }
        let order = (0..<4).compactMap { _ in rig.machine.nextFrame(at: .zero)?.channel }
        #expect(order == [0x50, 0x51, 0x50, 0x51])
    }

    @Test func `L2CAP/LE/CFC/BI-01-C: more credits than 65535 end the channel`() {
        var rig = ChannelRig()
        _ = rig.accept(credits: 10)
        #expect(rig.receive(.flowControlCredit(identifier: 1, channel: 0x50, credits: 65525)) == [])
        #expect(rig.machine[0x40]?.sendCredits == 65535)
        #expect(rig.receive(.flowControlCredit(identifier: 2, channel: 0x50, credits: 1)) == broken(.creditOverflow))
    }

    @Test func `no credits, and credits for no channel, change nothing`() {
        var rig = ChannelRig()
        _ = rig.accept(credits: 10)
        #expect(rig.receive(.flowControlCredit(identifier: 1, channel: 0x50, credits: 0)) == [])
        #expect(rig.receive(.flowControlCredit(identifier: 1, channel: 0x51, credits: 5)) == [])
        #expect(rig.machine[0x40]?.sendCredits == 10)
    }

    // MARK: Receiving

    @Test func `frames make an SDU`() {
        var rig = ChannelRig()
        _ = rig.accept()
        #expect(rig.first(300, Array(octets[..<200])) == [])
        #expect(rig.frame(Array(octets[200..<300])) == [.received(0x40, Array(octets[..<300]))])
        #expect(rig.first(0, []) == [])
    }

    @Test func `L2CAP/LE/CFC/BV-07-C: credits are given back when octets are consumed, not before`() {
        var rig = ChannelRig()
        _ = rig.accept()
        var given = 0
        for _ in 0..<32 {
            for effect in rig.first(245, Array(octets[..<245])) ?? [] {
                if case .send = effect { given += 1 }
            }
        }
        #expect(given == 0)
        #expect(
            rig.machine.consumed(245 * 8, on: 0x40) == [
                .send(.flowControlCredit(identifier: 1, channel: 0x40, credits: 8))
            ])
        #expect(rig.machine.consumed(245 * 8, on: 0x40) == [])
        #expect(
            rig.machine.consumed(245 * 16, on: 0x40) == [
                .send(.flowControlCredit(identifier: 2, channel: 0x40, credits: 24))
            ])
    }

    @Test func `a peer that sends single octets gets its credits back`() {
        var rig = ChannelRig()
        _ = rig.accept()
        var credits = 32
        for _ in 0..<200 {
            credits -= 1
            for effect in rig.first(1, [1]) ?? [] {
                if case .send(.flowControlCredit(_, _, let more)) = effect { credits += Int(more) }
            }
            #expect(credits > 0)
        }
    }

    @Test func `a longest SDU of shortest frames passes the window`() {
        var rig = ChannelRig()
        _ = rig.accept()
        var credits = 32
        var received: [UInt8]?
        for start in stride(from: 0, to: 2048, by: 16) {
            #expect(credits > 0)
            credits -= 1
            let part = Array(octets[start..<(start + 16)])
            for effect in (start == 0 ? rig.first(2048, part) : rig.frame(part)) ?? [] {
                if case .send(.flowControlCredit(_, _, let more)) = effect { credits += Int(more) }
                if case .received(_, let sdu) = effect { received = sdu }
            }
        }
        #expect(received == octets)
    }

    @Test func `a frame without a credit ends the channel`() {
        var rig = ChannelRig()
        _ = rig.accept()
        for _ in 0..<32 { #expect(rig.first(245, Array(octets[..<245]))?.count == 1) }
        #expect(rig.first(1, [1]) == broken(.frameWithoutCredit))
    }

    @Test func `L2CAP/LE/CFC/BV-26-C: an SDU longer than our MTU ends the channel`() {
        var rig = ChannelRig()
        _ = rig.accept()
        #expect(rig.first(2049, [1]) == broken(.sduTooLong))
    }

    @Test func `L2CAP/LE/CFC/BV-27-C: a frame longer than our MPS ends the channel`() {
        var rig = ChannelRig()
        _ = rig.accept()
        #expect(rig.first(300, Array(octets[..<246])) == broken(.frameTooLong))
        var other = ChannelRig()
        _ = other.accept()
        #expect(other.machine.receivedOverlong([], on: 0x40, at: .zero) == broken(.frameTooLong))
        #expect(other.machine.receivedOverlong([], on: 0x44, at: .zero) == nil)
    }

    @Test func `L2CAP/LE/CFC/BV-28-C: more octets than announced end the channel`() {
        var rig = ChannelRig()
        _ = rig.accept()
        #expect(rig.first(10, Array(octets[..<9])) == [])
        #expect(rig.frame([1, 2]) == broken(.sduOverrun))
    }

    @Test func `a first frame without an SDU length ends the channel`() {
        var rig = ChannelRig()
        _ = rig.accept()
        #expect(rig.frame([1]) == broken(.lengthMissing))
    }

    @Test func `L2CAP/LE/CID/BI-01-C: a frame on a channel that is not there is nobody's`() {
        var rig = ChannelRig()
        _ = rig.accept()
        #expect(rig.first(1, [1], on: 0x41) == nil)
        #expect(rig.first(1, [1], on: 0x3F) == nil)
        #expect(rig.machine[0x40] != nil)
    }

    // MARK: Anything

    @Test(arguments: 0..<40) func `nothing that a peer sends traps or grows without bound`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func random(_ count: UInt64) -> UInt64 { generator.next() % count }
        func channel() -> ChannelIdentifier {
            ChannelIdentifier(rawValue: UInt16(random(4) == 0 ? random(65536) : 0x40 + random(20)))
        }
        func value() -> UInt16 { UInt16(random(3) == 0 ? random(65536) : random(300)) }
        var rig = ChannelRig(role: seed % 2 == 0 ? .central : .peripheral)
        var unread = 0
        for step in 0..<2000 {
            rig.now = .zero + .milliseconds(step * 40)
            var effects: [ChannelTable.Effect] = []
            let id = UInt8(random(8))
            switch random(12) {
            case 0: effects = rig.accept(channel(), mtu: value(), mps: value(), credits: value())
            case 1: effects = rig.receive(.flowControlCredit(identifier: id, channel: channel(), credits: value()))
            case 2:
                effects = rig.receive(.disconnectionRequest(identifier: id, destination: channel(), source: channel()))
            case 3:
                effects = rig.receive(.disconnectionResponse(identifier: id, destination: channel(), source: channel()))
            case 4:
                effects = rig.answer(
                    id, random(2) == 0 ? .success : .noResources, channel: channel(), mtu: value(), mps: value(),
                    credits: value())
            case 5: effects = rig.machine.open(spsm: value(), tag: UInt64(step), at: rig.now)
            case 6: _ = rig.machine.send([UInt8](repeating: 1, count: Int(random(600))), on: channel())
            case 7: while rig.machine.nextFrame(at: rig.now) != nil {}
            case 8: effects = rig.machine.close(channel(), at: rig.now)
            case 9:
                let junk = (0..<random(30)).map { _ in UInt8(random(256)) }
                _ = rig.machine.receivedSignalling(junk[...], listeners: rig.listeners, security: .none, at: rig.now)
            case 10: effects = rig.expire()
            default:
                effects =
                    rig.frame((0..<random(260)).map { _ in UInt8(random(3) == 0 ? random(256) : 0) }, on: channel())
                    ?? []
            }
            for case .received(_, let sdu) in effects { unread += sdu.count }
            #expect(unread <= 2000 * 2048)
            for number in ChannelIdentifier.dynamicRange {
                #expect((rig.machine[.init(rawValue: number)]?.sendCredits ?? 0) <= 65535)
            }
        }
    }
}
