// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import FuzzSeeds
import L2CAP

/// The LE signalling channel in both roles, with short-lived channels.
struct SignallingTarget: FuzzTarget {
    static let name = "signalling"

    static var seeds: [[UInt8]] {
        let offer = ChannelOffer(channel: .init(rawValue: 0x41), mtu: 64, mps: 64, credits: 4)
        let dynamic = ChannelIdentifier(rawValue: 0x40)
        let pdus: [SignallingPDU] = [
            .commandReject(identifier: 1, reason: .notUnderstood, data: []),
            .creditBasedConnectionRequest(identifier: 2, spsm: 0x80, offer),
            .creditBasedConnectionResponse(identifier: 1, offer, result: .success),
            .disconnectionRequest(identifier: 3, destination: dynamic, source: offer.channel),
            .disconnectionResponse(identifier: 2, destination: offer.channel, source: dynamic),
            .parameterUpdateRequest(identifier: 4, .init(.standard)),
            .parameterUpdateResponse(identifier: 1, accepted: false),
            .flowControlCredit(identifier: 5, channel: offer.channel, credits: 7),
            .unknown(code: 0x17, identifier: 6, data: [1, 2, 3]),
        ]
        var (all, opening) = (FuzzScript(0), FuzzScript(1))
        for pdu in pdus {
            all.add(0)
            all.add(counted: pdu.encoded)
            // Open, answer, send, close.
            opening.add(2, 0x80, 0)
            opening.add(counted: pdu.encoded)
            opening.add(5, 0x40, 5, 3, 3, 0x40)
        }
        let variant = opening.octets.map { $0 == 5 ? 1 : $0 }
        return [all.octets, opening.octets, variant] + pdus.map { [1, 0, 26] + $0.encoded }
    }

    private static let listeners: [UInt16: ChannelRequirement] = [
        0x80: .none, 0x81: .encrypted, 0x82: ChannelRequirement(authentication: true, keySize: 16),
        0x83: ChannelRequirement(authorization: true),
    ]

    private var commands = 0
    private var answers = 0
    private var tag: UInt64 = 0
    private var asked: Set<UInt64> = []

    init() {}

    mutating func run(_ octets: [UInt8]) {
        (commands, answers, tag, asked) = (0, 0, 0, [])
        var input = FuzzInput(octets)
        let kind = input.u8()
        var machine = L2CAPMachine(role: kind & 1 == 0 ? .central : .peripheral)
        let security = LinkSecurity(
            isEncrypted: kind & 2 != 0, isAuthenticated: kind & 4 != 0, keySize: kind & 2 != 0 ? 16 : 0,
            hasBond: kind & 8 != 0)
        var now = MonotonicTime.zero
        while !input.isAtEnd {
            switch input.pick(8) {
            case 0, 1, 6:
                let frame = input.counted()
                checkCoding(frame)
                commands += 1
                record(machine.receivedSignalling(frame[...], listeners: Self.listeners, security: security, at: now))
            case 2:
                tag += 1
                asked.insert(tag)
                record(machine.open(spsm: input.u16(), tag: tag, at: now))
            case 3:
                record(machine.close(.init(rawValue: UInt16(input.u8())), sending: [[1, 2, 3]], at: now))
            case 4:
                now = now + .seconds(Int(input.u8() & 31))
                if let deadline = machine.deadline, deadline <= now { record(machine.expire(at: now)) }
                promise(machine.deadline.map { $0 > now } ?? true, "time stands still")
            case 5:
                _ = machine.send([UInt8](repeating: 5, count: Int(input.u8())), on: .init(rawValue: UInt16(input.u8())))
                if let (payload, _, effects) = machine.nextFrame(at: now) {
                    promise(!payload.isEmpty, "an empty frame")
                    record(effects)
                }
            default:
                if input.flag() {
                    record(machine.requestParameters(.standard, at: now))
                } else {
                    commands += 1
                    let frame = input.counted()
                    let effects = machine.receivedOverlong(frame[...], on: .leSignalling, at: now)
                    record(effects ?? [])
                }
            }
            promise(answers <= commands, "\(answers) answers to \(commands) commands")
        }
        record(machine.fail())
        promise(asked.isEmpty, "nobody says what became of channels \(asked)")
        promise(!machine.hasChannels && !machine.canSend, "channels outlive the link")
    }

    private func checkCoding(_ frame: [UInt8]) {
        guard let pdu = try? SignallingPDU(decoding: frame[...]) else { return }
        promise((try? SignallingPDU(decoding: pdu.encoded[...])) == pdu, "\(pdu) is read as another")
    }

    private mutating func record(_ effects: [L2CAPMachine.Effect]) {
        for effect in effects {
            if case .channel(let effect) = effect { record([effect]) }
        }
    }

    private mutating func record(_ effects: [ChannelTable.Effect]) {
        for effect in effects {
            switch effect {
            case .send(let pdu): sent(pdu)
            case .opened(_, let tag?):
                promise(asked.remove(tag) != nil, "channel \(tag) opened twice")
            case .failed(let tag, _):
                promise(asked.remove(tag) != nil, "channel \(tag) ended twice")
            case .opened, .received, .ready, .closed: break
            }
        }
    }

    private mutating func sent(_ pdu: SignallingPDU) {
        let octets = pdu.encoded
        promise(octets.count <= SignallingPDU.maximumLength, "a command of \(octets.count) octets")
        promise(octets[1] != 0, "identifier 0")
        promise((try? SignallingPDU(decoding: octets[...])) == pdu, "\(pdu) is not read as it was sent")
        if SignallingPDU.isResponse(octets[0]) { answers += 1 }
    }
}
