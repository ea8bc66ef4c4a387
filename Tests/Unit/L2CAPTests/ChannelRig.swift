// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import L2CAP
import Testing

/// Our side of a link, against a peer of scripted commands.
struct ChannelRig {
    var machine: L2CAPMachine
    var listeners: [UInt16: ChannelRequirement] = [0x80: .none]
    var security = LinkSecurity.none
    var now = MonotonicTime.zero

    init(role: LinkRole = .central) { machine = L2CAPMachine(role: role) }

    mutating func receive(_ pdu: SignallingPDU) -> [ChannelTable.Effect] {
        channelEffects(
            machine.receivedSignalling(pdu.encoded[...], listeners: listeners, security: security, at: now))
    }

    private func channelEffects(_ effects: [L2CAPMachine.Effect]) -> [ChannelTable.Effect] {
        effects.compactMap { if case .channel(let effect) = $0 { effect } else { nil } }
    }

    mutating func expire() -> [ChannelTable.Effect] { channelEffects(machine.expire(at: now)) }

    /// A frame on a channel of ours.
    mutating func frame(_ payload: [UInt8], on channel: ChannelIdentifier = 0x40) -> [ChannelTable.Effect]? {
        machine.received(payload.span.bytes, on: channel, at: now)
    }

    /// A first frame, with its SDU length.
    mutating func first(
        _ length: Int, _ payload: [UInt8], on channel: ChannelIdentifier = 0x40
    ) -> [ChannelTable.Effect]? {
        frame([UInt8(length & 255), UInt8(length >> 8)] + payload, on: channel)
    }

    /// The payload of our next frame.
    mutating func next() -> [UInt8]? { machine.nextFrame(at: now)?.payload }

    /// The peer opens a channel.
    mutating func accept(
        _ remote: ChannelIdentifier = 0x50, mtu: UInt16 = 512, mps: UInt16 = 64, credits: UInt16 = 10,
        spsm: UInt16 = 0x80
    ) -> [ChannelTable.Effect] {
        receive(
            .creditBasedConnectionRequest(
                identifier: 9, spsm: spsm, .init(channel: remote, mtu: mtu, mps: mps, credits: credits)))
    }

    /// We open a channel, which is 0x40 on our side; gives the request's identifier.
    mutating func ask(tag: UInt64 = 7) -> UInt8 {
        for case .send(.creditBasedConnectionRequest(let identifier, _, _)) in machine.open(
            spsm: 0x25, tag: tag, at: now)
        {
            return identifier
        }
        return 0
    }

    mutating func answer(
        _ identifier: UInt8, _ result: ConnectionResult, channel: ChannelIdentifier = 0x50, mtu: UInt16 = 512,
        mps: UInt16 = 64, credits: UInt16 = 10
    ) -> [ChannelTable.Effect] {
        receive(
            .creditBasedConnectionResponse(
                identifier: identifier, .init(channel: channel, mtu: mtu, mps: mps, credits: credits), result: result))
    }
}

let ownOffer = ChannelOffer(channel: 0x40, mtu: 2048, mps: 247, credits: 32)

func refused(_ result: ConnectionResult) -> [ChannelTable.Effect] {
    [
        .send(
            .creditBasedConnectionResponse(
                identifier: 9, .init(channel: 0, mtu: 0, mps: 0, credits: 0), result: result))
    ]
}
