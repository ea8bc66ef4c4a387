// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import L2CAP

/// A peripheral of raw H4 packets: advertises, takes one connection, answers every attribute request with an error, and
/// offers channels.
final class ChannelPeer {
    static let address = DeviceAddress(kind: .public, value: 0x02_00_00_00_00_BB)
    static let spsm: UInt16 = 0x80

    var l2cap = L2CAPMachine(role: .peripheral)
    var listeners: [UInt16: ChannelRequirement] = [spsm: .none]
    /// Sends received data back.
    var echoes = false
    /// Takes octets, and gives credits back for them.
    var consumes = true
    /// Octets to send on the channel.
    var toSend: [UInt8] = []
    /// Closes the channel when all is sent.
    var closesAfterSending = false

    private(set) var output: [UInt8] = []
    private(set) var received: [UInt8] = []
    private(set) var effects: [L2CAPMachine.Effect] = []
    private(set) var handle: UInt16?
    /// The peer's end of the open channel.
    private(set) var channel: ChannelIdentifier?
    private var commands: [(opcode: HCIOpcode, parameters: [UInt8])]
    private var acl = ACLCreditMachine(packetLength: 251, count: 16)
    private var recombination = RecombinationMachine(limit: 517)
    private var input: [UInt8] = []
    private var unconsumed = 0

    init() {
        let ones = [UInt8](repeating: 0xFF, count: 8)
        commands = [
            (.reset, []), (.setEventMask, ones), (.leSetEventMask, ones),
            (.leSetAdvertisingParameters, [0x40, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0]),
            (.leSetAdvertisingData, [3, 2, 1, 6] + [UInt8](repeating: 0, count: 28)),
            (.leSetAdvertisingEnable, [1]),
        ]
        sendCommand()
    }

    private func sendCommand() {
        guard !commands.isEmpty else { return }
        let command = commands.removeFirst()
        output.append(1)
        output.append(u16: command.opcode.rawValue)
        output.append(UInt8(clamping: command.parameters.count))
        output += command.parameters
    }

    func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    // MARK: From the controller

    func receive(_ octets: [UInt8], at now: MonotonicTime) {
        input += octets
        while case .packet(let type, let length) = H4Framer.next(input.span.bytes) {
            let packet = Array(input[..<length])
            input.removeFirst(length)
            if type == .aclData { receiveACL(packet, at: now) }
            if type == .event, let event = try? HCIEvent(decoding: packet[1...]) { receive(event) }
        }
        pump(at: now)
    }

    private func receive(_ event: HCIEvent) {
        switch event {
        case .commandComplete: sendCommand()
        case .connectionComplete(let completion):
            handle = completion.handle
            acl.connected(completion.handle)
        case .numberOfCompletedPackets(let list):
            for item in list { acl.completed(item.count, on: item.handle, at: .zero) }
        case .disconnectionComplete(_, let ended, _):
            acl.disconnected(ended)
            effects += l2cap.fail().map { .channel($0) }
            (handle, channel) = (nil, nil)
        default: break
        }
    }

    private func receiveACL(_ packet: [UInt8], at now: MonotonicTime) {
        let fragment = Array(packet[5...])
        let frame: [UInt8]
        switch recombination.received(fragment.span.bytes, isFirst: packet[2] >> 4 & 3 != 1) {
        case .whole: frame = fragment
        case .recombined: frame = recombination.frame
        case .incomplete, .dropped: return
        }
        let payload = Array(frame[4...])
        let channel = ChannelIdentifier(rawValue: UInt16(frame[2]) | UInt16(frame[3]) << 8)
        switch channel {
        case .securityManager:
            // The peer never pairs: Pairing Failed, Pairing Not Supported.
            if payload.first == 0x01 { send([0x05, 0x05], on: .securityManager) }
        case .attributeProtocol:
            // Requests are even and have no command flag.
            guard let opcode = payload.first, opcode & 0x41 == 0, opcode != 0x1E else { return }
            send([0x01, opcode, 0, 0, 0x06], on: .attributeProtocol)
        case .leSignalling:
            perform(l2cap.receivedSignalling(payload[...], listeners: listeners, security: .none, at: now))
        default:
            perform((l2cap.received(payload.span.bytes, on: channel, at: now) ?? []).map { .channel($0) })
        }
    }

    // MARK: Channels

    func perform(_ new: [L2CAPMachine.Effect]) {
        for effect in new {
            switch effect {
            case .channel(.send(let pdu)): send(pdu.encoded, on: .leSignalling)
            case .channel(.opened(let local, _)): channel = local
            case .channel(.closed): channel = nil
            case .channel(.received(_, let sdu)):
                unconsumed += sdu.count
                if echoes { toSend += sdu } else { received += sdu }
            default: break
            }
            effects.append(effect)
        }
    }

    /// Sends a frame unchanged.
    func send(_ payload: [UInt8], on channel: ChannelIdentifier) {
        guard let handle else { return }
        _ = acl.enqueue(L2CAPFrame.encode(payload, on: channel), on: handle)
    }

    func pump(at now: MonotonicTime) {
        if let channel, consumes, unconsumed > 0, !echoes || toSend.count < 32_768 {
            perform(l2cap.consumed(unconsumed, on: channel).map { .channel($0) })
            unconsumed = 0
        }
        while let channel, let open = l2cap[channel], !toSend.isEmpty {
            let sdu = Array(toSend.prefix(open.peerMTU))
            guard l2cap.send(sdu, on: channel) else { break }
            toSend.removeFirst(sdu.count)
        }
        if let channel, closesAfterSending, toSend.isEmpty {
            perform(l2cap.close(channel, at: now).map { .channel($0) })
        }
        while let handle, acl.waitingPDUs(on: handle) < 8, let frame = l2cap.nextFrame(at: now) {
            send(frame.payload, on: frame.channel)
            perform(frame.effects.map { .channel($0) })
        }
        while let (_, packet, _) = acl.next(at: .zero) { output += packet }
    }
}
