// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The credit based channels of one link: requests for them in both directions, their numbers, and their ends.
/// Core 5.4, Vol 3, Part A, 4.22 to 4.24, 4.6 and 4.7.
package struct ChannelTable: Sendable {
    package enum Effect: Equatable, Sendable {
        case send(SignallingPDU)
        /// `tag`: the tag of our request; nil if the peer requested the channel.
        case opened(ChannelIdentifier, tag: UInt64?)
        case failed(tag: UInt64, ChannelFailure)
        case received(ChannelIdentifier, [UInt8])
        /// After a refused ``ChannelTable/send(_:on:)``: there is room again.
        case ready(ChannelIdentifier)
        case closed(ChannelIdentifier, ChannelEnd)
    }

    /// Channels that a link may have, opening and closing channels included.
    package static let capacity = 16
    /// How long waiting octets may hold a closing channel open.
    package static let drainLimit: Duration = .seconds(10)

    private struct Connecting {
        let tag: UInt64
        let spsm: UInt16
        /// The client waits no longer: the channel is closed as soon as it opens.
        var isAbandoned = false
    }

    private var connecting: [ChannelIdentifier: Connecting] = [:]
    private var open: [ChannelIdentifier: CreditBasedChannelMachine] = [:]
    /// Channels that their users closed while octets waited, each with the deadline of those octets.
    private var draining: [ChannelIdentifier: MonotonicTime] = [:]
    /// The peer's end of each channel whose disconnection the peer has not yet answered.
    private var closing: [ChannelIdentifier: ChannelIdentifier] = [:]
    private var lastTurn: UInt16 = 0

    package init() {}

    package subscript(_ channel: ChannelIdentifier) -> CreditBasedChannelMachine? { open[channel] }
    package var isEmpty: Bool { connecting.isEmpty && open.isEmpty && closing.isEmpty }
    /// At least one channel has a frame to send and a credit for it.
    package var canSend: Bool { open.values.contains { $0.canSend } }
    package var deadline: MonotonicTime? { draining.values.min() }

    // MARK: Opening

    /// Asks the peer for a channel.
    package mutating func open(
        spsm: UInt16, tag: UInt64, via signalling: inout SignallingMachine, at now: MonotonicTime
    ) -> [Effect] {
        guard let local = freeChannel,
            let pdu = signalling.request(.connect(spsm: spsm, Self.offer(local)), at: now)
        else { return [.failed(tag: tag, .tooManyChannels)] }
        connecting[local] = Connecting(tag: tag, spsm: spsm)
        return [.send(pdu)]
    }

    /// Abandons the requests whose tags match: their clients no longer want the channels.
    package mutating func abandon(_ isUnwanted: (UInt64) -> Bool) {
        for (local, entry) in connecting where isUnwanted(entry.tag) { connecting[local]?.isAbandoned = true }
    }

    /// `requirement`: the security that the SPSM requires; nil if the SPSM is not published.
    package mutating func requested(
        _ offer: ChannelOffer, identifier: UInt8, spsm: UInt16, requirement: ChannelRequirement?,
        security: LinkSecurity
    ) -> [Effect] {
        let refusal = refusal(of: offer, requirement, security)
        guard refusal == nil, let local = freeChannel else {
            let none = ChannelOffer(channel: ChannelIdentifier(rawValue: 0), mtu: 0, mps: 0, credits: 0)
            return [
                .send(
                    .creditBasedConnectionResponse(
                        identifier: identifier, none, result: refusal ?? .noResources))
            ]
        }
        open[local] = CreditBasedChannelMachine(local: local, spsm: spsm, offer: offer)
        return [
            .send(
                .creditBasedConnectionResponse(identifier: identifier, Self.offer(local), result: .success)),
            .opened(local, tag: nil),
        ]
    }

    private func refusal(
        of offer: ChannelOffer, _ requirement: ChannelRequirement?, _ security: LinkSecurity
    ) -> ConnectionResult? {
        guard let requirement else { return .spsmNotSupported }
        if let refusal = requirement.refusal(of: security) { return refusal }
        guard offer.channel.isDynamic else { return .invalidSourceCID }
        guard !isTaken(byPeer: offer.channel) else { return .sourceCIDAlreadyAllocated }
        return offer.hasValidSizes ? nil : .unacceptableParameters
    }

    /// The peer has answered our request, or the time for the answer is over.
    package mutating func answered(
        _ local: ChannelIdentifier, _ answer: SignallingMachine.ConnectionAnswer,
        via signalling: inout SignallingMachine, at now: MonotonicTime
    ) -> [Effect] {
        guard let entry = connecting.removeValue(forKey: local) else { return [] }
        switch answer {
        case .notUnderstood: return [.failed(tag: entry.tag, .notSupported)]
        case .timedOut: return [.failed(tag: entry.tag, .timedOut)]
        case .answered(let offer, let result):
            guard result == .success else { return [.failed(tag: entry.tag, .refused(result))] }
            guard offer.channel.isDynamic, !isTaken(byPeer: offer.channel) else {
                // Another channel has this end: a disconnection would close the wrong channel.
                return [.failed(tag: entry.tag, .badAnswer)]
            }
            open[local] = CreditBasedChannelMachine(local: local, spsm: entry.spsm, offer: offer)
            if offer.hasValidSizes, !entry.isAbandoned { return [.opened(local, tag: entry.tag)] }
            // The channel is not yet reported to the client, so only the peer needs to hear of its end.
            let effects = disconnect(local, .closedByUs, via: &signalling, at: now).filter {
                if case .send = $0 { true } else { false }
            }
            return effects + [.failed(tag: entry.tag, entry.isAbandoned ? .abandoned : .badAnswer)]
        }
    }

    private func isTaken(byPeer remote: ChannelIdentifier) -> Bool {
        open.values.contains { $0.remote == remote } || closing.values.contains(remote)
    }

    private var freeChannel: ChannelIdentifier? {
        guard connecting.count + open.count + closing.count < Self.capacity else { return nil }
        return ChannelIdentifier.dynamicRange.lazy.map(ChannelIdentifier.init(rawValue:)).first {
            connecting[$0] == nil && open[$0] == nil && closing[$0] == nil
        }
    }

    private static func offer(_ local: ChannelIdentifier) -> ChannelOffer {
        ChannelOffer(
            channel: local, mtu: CreditBasedChannelMachine.mtu, mps: CreditBasedChannelMachine.mps,
            credits: UInt16(CreditBasedChannelMachine.window))
    }

    // MARK: Octets

    /// Takes the payload of a frame on a dynamic channel; nil when the channel does not exist.
    package mutating func received(
        _ payload: RawSpan, on local: ChannelIdentifier, via signalling: inout SignallingMachine,
        at now: MonotonicTime
    ) -> [Effect]? {
        switch open[local]?.received(payload) {
        case nil: return closing[local] == nil ? nil : []
        case .incomplete: return giveCredits(local, via: &signalling)
        case .fault(let fault): return disconnect(local, .broken(fault), via: &signalling, at: now)
        case .sdu(let octets):
            guard draining[local] == nil, !octets.isEmpty else {
                // The channel has no user any more, or there is nothing to use: the octets count as consumed at once.
                open[local]?.consumed(octets.count)
                return giveCredits(local, via: &signalling)
            }
            return [.received(local, octets)] + giveCredits(local, via: &signalling)
        }
    }

    /// Takes note of a frame that is longer than any channel accepts.
    package mutating func receivedOverlong(
        on local: ChannelIdentifier, via signalling: inout SignallingMachine, at now: MonotonicTime
    ) -> [Effect]? {
        guard open[local] != nil else { return nil }
        return disconnect(local, .broken(.frameTooLong), via: &signalling, at: now)
    }

    package mutating func send(_ sdu: [UInt8], on local: ChannelIdentifier) -> Bool {
        guard draining[local] == nil else { return false }
        return open[local]?.send(sdu) ?? false
    }

    package mutating func consumed(
        _ octets: Int, on local: ChannelIdentifier, via signalling: inout SignallingMachine
    ) -> [Effect] {
        open[local]?.consumed(octets)
        return giveCredits(local, via: &signalling)
    }

    private mutating func giveCredits(
        _ local: ChannelIdentifier, via signalling: inout SignallingMachine
    ) -> [Effect] {
        guard let credits = open[local]?.takeCreditsToGive(), credits > 0 else { return [] }
        return [.send(signalling.giveCredits(credits, for: local))]
    }

    package mutating func gave(
        _ credits: UInt16, by remote: ChannelIdentifier, via signalling: inout SignallingMachine,
        at now: MonotonicTime
    ) -> [Effect] {
        guard let local = open.first(where: { $0.value.remote == remote })?.key,
            let fault = open[local]?.received(credits: credits)
        else { return [] }
        return disconnect(local, .broken(fault), via: &signalling, at: now)
    }

    /// The next frame, and the effects of sending the frame; channels take turns. Nil when no channel can send.
    package mutating func nextFrame(
        via signalling: inout SignallingMachine, at now: MonotonicTime
    ) -> (payload: [UInt8], channel: ChannelIdentifier, effects: [Effect])? {
        // The first channel after the last channel that had its turn, else the first of all.
        var (following, lowest): (UInt16?, UInt16?) = (nil, nil)
        for channel in open.values where channel.canSend {
            let number = channel.local.rawValue
            if number > lastTurn { following = min(following ?? number, number) }
            lowest = min(lowest ?? number, number)
        }
        guard let turn = following ?? lowest else { return nil }
        lastTurn = turn
        let local = ChannelIdentifier(rawValue: turn)
        guard let remote = open[local]?.remote, let payload = open[local]?.nextFrame() else { return nil }
        var effects: [Effect] = []
        if open[local]?.takeReady() == true { effects.append(.ready(local)) }
        if draining[local] != nil, open[local]?.hasWaiting == false {
            effects += disconnect(local, .closedByUs, via: &signalling, at: now)
        }
        return (payload, remote, effects)
    }

    // MARK: Closing

    /// Closes a channel. The table first sends the waiting octets and then `rest`, for ``drainLimit`` at most.
    package mutating func close(
        _ local: ChannelIdentifier, sending rest: [[UInt8]], via signalling: inout SignallingMachine,
        at now: MonotonicTime
    ) -> [Effect] {
        guard open[local] != nil, draining[local] == nil else { return [] }
        for sdu in rest { _ = open[local]?.send(sdu, isLast: true) }
        guard open[local]?.hasWaiting == true else { return disconnect(local, .closedByUs, via: &signalling, at: now) }
        draining[local] = now + Self.drainLimit
        return []
    }

    package mutating func expire(via signalling: inout SignallingMachine, at now: MonotonicTime) -> [Effect] {
        let late = draining.filter { $0.value <= now }.keys.sorted { $0.rawValue < $1.rawValue }
        return late.flatMap { disconnect($0, .closedByUs, via: &signalling, at: now) }
    }

    private mutating func disconnect(
        _ local: ChannelIdentifier, _ end: ChannelEnd, via signalling: inout SignallingMachine, at now: MonotonicTime
    ) -> [Effect] {
        guard let channel = open.removeValue(forKey: local) else { return [] }
        draining.removeValue(forKey: local)
        let request = SignallingMachine.Request.disconnect(destination: channel.remote, source: local)
        // If no identifier is free for the request, the peer keeps its end until the link ends.
        guard let pdu = signalling.request(request, at: now) else { return [.closed(local, end)] }
        closing[local] = channel.remote
        return [.send(pdu), .closed(local, end)]
    }

    /// The peer closes a channel. `destination`: our end.
    package mutating func disconnectionRequested(
        identifier: UInt8, destination: ChannelIdentifier, source: ChannelIdentifier,
        via signalling: inout SignallingMachine
    ) -> [Effect] {
        guard let remote = open[destination]?.remote ?? closing[destination] else {
            var channels: [UInt8] = []
            channels.append(u16: destination.rawValue)
            channels.append(u16: source.rawValue)
            return [.send(.commandReject(identifier: identifier, reason: .invalidChannel, data: channels))]
        }
        // The peer's end does not belong to our end: silently discarded. 4.6.
        guard remote == source else { return [] }
        let answer = Effect.send(
            .disconnectionResponse(identifier: identifier, destination: destination, source: source))
        draining.removeValue(forKey: destination)
        if closing.removeValue(forKey: destination) != nil { signalling.forgetDisconnection(of: destination) }
        guard open.removeValue(forKey: destination) != nil else { return [answer] }
        return [answer, .closed(destination, .closedByPeer)]
    }

    package mutating func disconnectionEnded(_ local: ChannelIdentifier) {
        closing.removeValue(forKey: local)
    }

    /// The link is gone, and all channels with it.
    package mutating func fail() -> [Effect] {
        let failed = connecting.values.map(\.tag).sorted().map { Effect.failed(tag: $0, .linkLost) }
        let closed = open.keys.sorted { $0.rawValue < $1.rawValue }.map { Effect.closed($0, .linkLost) }
        self = ChannelTable()
        return failed + closed
    }
}
