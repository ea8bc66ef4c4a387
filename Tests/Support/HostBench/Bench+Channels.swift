// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import GATT
import L2CAP

/// Credit based channels, from both testers' side.
extension Bench {
    static let spsm: UInt16 = 0x0080
    /// The tester's end of its channels.
    static let testerChannel: UInt16 = 0x0051

    /// Our end of a channel, by the names of both testers.
    struct Channel {
        let ours: UInt16
        let id: ChannelID
    }

    /// Our host asks for a channel. Returns the request's identifier and our end of the channel.
    func opens() throws -> (identifier: UInt8, ours: UInt16) {
        recorder?.channelOpening(Self.spsm, moment)
        host.openChannel(spsm: Self.spsm, on: try link, id: nextRequest(), at: now)
        let seen = try expects(signalling: "14 ?? 0A 00 80 00 ?? ?? ?? ?? ?? ?? ?? ??")
        let ours = UInt16(seen[6]) | UInt16(seen[7]) << 8
        let (mtu, mps) = (UInt16(seen[8]) | UInt16(seen[9]) << 8, UInt16(seen[10]) | UInt16(seen[11]) << 8)
        try require(seen[1] != 0 && (0x40...0x7F).contains(ours) && mtu >= 23 && mps >= 23, "asked \(text(seen))")
        return (seen[1], ours)
    }

    /// The tester answers this request.
    func answers(_ identifier: UInt8, mtu: UInt16 = 64, mps: UInt16 = 64, credits: UInt16 = 8, result: UInt8 = 0) throws
    {
        let offer =
            result == 0
            ? little(Self.testerChannel) + little(mtu) + little(mps) + little(credits) : [UInt8](repeating: 0, count: 8)
        try peer.send([0x15, identifier, 0x0A, 0] + offer + [result, 0], on: Self.signalling)
    }

    /// A channel at our host's request.
    func openedByUs(mtu: UInt16 = 64, mps: UInt16 = 64, credits: UInt16 = 8) throws -> Channel {
        let (identifier, ours) = try opens()
        try answers(identifier, mtu: mtu, mps: mps, credits: credits)
        return Channel(ours: ours, id: try opened())
    }

    /// A channel at the tester's request, with the SPSM of our client.
    func openedByTester(tester: UInt16 = testerChannel, identifier: UInt8 = 1) throws -> Channel {
        try request(tester: tester, identifier: identifier)
        let seen = try expects(signalling: "15 ?? 0A 00 ?? ?? ?? ?? ?? ?? ?? ?? 00 00")
        let ours = UInt16(seen[4]) | UInt16(seen[5]) << 8
        try require(seen[1] == identifier && (0x40...0x7F).contains(ours), "answered \(text(seen))")
        return Channel(ours: ours, id: try opened())
    }

    /// The tester asks for a channel.
    func request(
        spsm: UInt16 = spsm, tester: UInt16 = testerChannel, identifier: UInt8 = 1, mtu: UInt16 = 64, mps: UInt16 = 64
    ) throws {
        let offer = little(tester) + little(mtu) + little(mps) + little(8)
        try peer.send([0x14, identifier, 0x0A, 0] + little(spsm) + offer, on: Self.signalling)
    }

    /// Our host refuses the tester's request.
    func refused(_ result: UInt8, identifier: UInt8 = 1) throws {
        try expects(
            signalling: OctetPattern("15 \(text([identifier])) 0A 00 ?? ?? ?? ?? ?? ?? ?? ?? \(text([result])) 00"))
    }

    func publish(_ requirement: ChannelRequirement = .none) throws {
        let published = host.publish(spsm: Self.spsm, requirement: requirement, for: Self.client)
        try require(published == Self.spsm, "the SPSM could not be published")
    }

    private func opened() throws -> ChannelID {
        try wait(for: "a channel") { if case .channel(.opened(let opening)) = $0 { opening.channel } else { nil } }
    }

    func told(failure expected: ChannelFailure, within limit: Duration = patience) throws {
        let id = GATTRequestID(client: Self.client, number: requests)
        let seen = try wait(for: "no channel", within: limit) {
            if case .channel(.failed(id, let failure)) = $0 { failure } else { nil }
        }
        try require(seen == expected, "expected \(expected); the client was told \(seen)")
    }

    func told(end expected: ChannelEnd, of channel: Channel) throws {
        let seen = try wait(for: "the channel's end") {
            if case .channel(.closed(channel.id, let end)) = $0 { end } else { nil }
        }
        try require(seen == expected, "expected \(expected); the client was told \(seen)")
    }

    func told(data expected: [UInt8], on channel: Channel) throws {
        let seen = try wait(for: "an SDU") { if case .channel(.data(channel.id, let sdu)) = $0 { sdu } else { nil } }
        try require(seen == expected, "expected \(text(expected)); the client was told \(text(seen))")
    }

    /// Our host ends the channel, and the tester answers.
    func ends(_ channel: Channel) throws {
        let (ours, tester) = (text(little(channel.ours)), text(little(Self.testerChannel)))
        let seen = try expects(signalling: OctetPattern("06 ?? 04 00 \(tester) \(ours)"))
        try send(signalling: "07 \(text([seen[1]])) 04 00 \(tester) \(ours)")
    }

    func send(_ sdu: [UInt8], on channel: Channel) throws {
        try require(host.send(sdu, on: channel.id, at: now), "the host takes no SDU of \(sdu.count) octets")
    }

    func giveCredits(_ credits: UInt16) throws {
        try peer.send([0x16, 0x70, 4, 0] + little(Self.testerChannel) + little(credits), on: Self.signalling)
    }
}
