// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import HCI
import L2CAP

/// Credit based channels of clients, on links in either role.
extension HostMachine {
    /// SPSMs to assign at run time. Core 5.4, Vol 3, Part A, table 4.18.
    static let dynamicSPSMs: ClosedRange<UInt16> = 0x0080...0x00FF

    /// Lets peers open channels for `client`. Returns the SPSM: the wanted SPSM, or else a free one; nil if the wanted
    /// SPSM is taken or none is free.
    package mutating func publish(
        spsm wanted: UInt16?, requirement: ChannelRequirement, for client: ClientID
    ) -> UInt16? {
        let spsm = wanted ?? Self.dynamicSPSMs.first { channels.publications[$0] == nil }
        guard let spsm, (1...Self.dynamicSPSMs.upperBound).contains(spsm), channels.publications[spsm] == nil
        else { return nil }
        channels.publish(spsm, for: client, requirement)
        return spsm
    }

    /// No further channels open. Open channels stay.
    package mutating func unpublish(spsm: UInt16, for client: ClientID) {
        guard channels.publications[spsm] == client else { return }
        channels.unpublish(spsm)
    }

    /// Opens a channel for the client of `id`. The client gets ``ChannelEvent/opened(_:)`` or
    /// ``ChannelEvent/failed(_:_:)``.
    package mutating func openChannel(spsm: UInt16, on link: LinkID, id: GATTRequestID, at now: MonotonicTime) {
        guard let handle = links.handle(of: link), links[handle]?.isEnding == false else {
            events.append(.channel(.failed(id, .linkLost)), for: ClientSet(id.client))
            return
        }
        if links[handle]?.encryption.holdsData == true {
            // Nothing is sent in the clear to a peer whose key is known.
            links[handle]?.hold.append(.channel(spsm: spsm, tag: id.rawValue, refusal: .linkLost))
            return
        }
        links[handle]?.hold.record(spsm: spsm, tag: id.rawValue)
        performOnLink(links[handle]?.l2cap.open(spsm: spsm, tag: id.rawValue, at: now) ?? [], handle)
        pump(at: now)
    }

    /// Queues an SDU; false if there is no room. ``ChannelEvent/ready(_:)`` follows then, unless the SDU exceeds the
    /// peer's MTU or the channel is gone.
    package mutating func send(_ octets: [UInt8], on channel: ChannelID, at now: MonotonicTime) -> Bool {
        guard let place = channels.places[channel]?.place,
            links[place.handle]?.l2cap.send(octets, on: place.channel) == true
        else { return false }
        pump(at: now)
        return true
    }

    /// The client has used up this number of received octets.
    package mutating func consumed(_ octets: Int, on channel: ChannelID, at now: MonotonicTime) {
        guard let place = channels.places[channel]?.place else { return }
        performOnLink(links[place.handle]?.l2cap.consumed(octets, on: place.channel) ?? [], place.handle)
        pump(at: now)
    }

    /// Closes a channel after its queued SDUs and the SDUs in `rest`. There is always room for `rest`.
    package mutating func close(_ channel: ChannelID, sending rest: [[UInt8]] = [], at now: MonotonicTime) {
        guard let place = channels.places[channel]?.place else { return }
        performOnLink(links[place.handle]?.l2cap.close(place.channel, sending: rest, at: now) ?? [], place.handle)
        pump(at: now)
    }

    // MARK: Clients

    /// `client` lets go of a link.
    mutating func closeChannels(of client: ClientID, on handle: UInt16, at now: MonotonicTime) {
        for (channel, entry) in channels.places where entry.client == client && entry.place.handle == handle {
            close(channel, at: now)
        }
    }

    /// `client` is gone.
    mutating func removeChannels(of client: ClientID, at now: MonotonicTime) {
        for (spsm, owner) in channels.publications where owner == client { unpublish(spsm: spsm, for: client) }
        for (channel, entry) in channels.places where entry.client == client { close(channel, at: now) }
        for handle in links.keys {
            links[handle]?.l2cap.abandon { GATTRequestID(rawValue: $0).client == client }
            links[handle]?.hold.abandonChannels { GATTRequestID(rawValue: $0).client == client }
        }
    }

    // MARK: From peers

    mutating func receivedSignalling(_ payload: RawSpan, on handle: UInt16, at now: MonotonicTime) {
        let (frame, security) = (payload.array(0..<payload.byteCount), provenSecurity(on: handle))
        var effects = links[handle]?.l2cap.receivedSignalling(
            frame[...], listeners: channels.requirements, security: security, at: now)
        effects?.removeAll { repeats($0, on: handle, at: now) }
        perform(effects ?? [], on: handle)
        // L2CAP counts its pause from the refusal, not from the request.
        if effects?.contains(.parametersAnswered(.refused)) == true {
            links[handle]?.parameters.pause(until: now + Self.parametersRetry)
        }
        pump(at: now)
    }

    mutating func receivedChannel(
        _ payload: RawSpan, on channel: ChannelIdentifier, of handle: UInt16, at now: MonotonicTime
    ) {
        guard let effects = links[handle]?.l2cap.received(payload, on: channel, at: now) else {
            counters.unknownChannels += 1
            return
        }
        performOnLink(effects, handle)
        if !effects.isEmpty { pump(at: now) }
    }

    /// `fragment`: the beginning of a frame too long for any channel.
    mutating func receivedOverlong(
        _ fragment: RawSpan, on channel: ChannelIdentifier, of handle: UInt16, at now: MonotonicTime
    ) {
        let beginning = fragment.array(L2CAPFrame.headerLength..<fragment.byteCount)
        let effects = links[handle]?.l2cap.receivedOverlong(beginning[...], on: channel, at: now)
        guard let effects else { return }
        performOnLink(effects, handle)
        pump(at: now)
    }

    // MARK: Time and room

    mutating func advanceChannels(to now: MonotonicTime) {
        for handle in links.due(at: now) {
            guard let deadline = links[handle]?.l2cap.deadline, deadline <= now else { continue }
            perform(links[handle]?.l2cap.expire(at: now) ?? [], on: handle)
        }
    }

    /// Frames of channels that may wait in the layer below. The number is small, so an attribute request does not wait
    /// behind a file.
    private static let waitingFrames = 4

    mutating func feedChannels(at now: MonotonicTime) {
        guard !channels.links.isEmpty else { return }
        for handle in channels.links { feedChannels(of: handle, at: now) }
    }

    mutating func feedChannels(of handle: UInt16, at now: MonotonicTime) {
        while outbound.waitingPDUs(on: handle) < Self.waitingFrames,
            let (payload, channel, effects) = links[handle]?.l2cap.nextFrame(at: now)
        {
            send(payload, on: channel, to: handle)
            performOnLink(effects, handle)
        }
    }

    // MARK: Effects

    mutating func perform(_ effects: [L2CAPMachine.Effect], on handle: UInt16) {
        for effect in effects {
            switch effect {
            case .channel(let effect): performOnLink([effect], handle)
            case .updateParameters(let parameters): update(handle, to: parameters)
            case .parametersAnswered(let answer):
                if let link = links[handle] { events.append(.parametersAnswered(link.id, answer), for: .all) }
            }
        }
    }

    private mutating func performOnLink(_ effects: [ChannelTable.Effect], _ handle: UInt16) {
        guard !effects.isEmpty, let link = links[handle] else { return }
        perform(effects, on: handle, of: link)
    }

    /// `link`: the link of `handle`, which may have just ended.
    mutating func perform(_ effects: [ChannelTable.Effect], on handle: UInt16, of link: Link) {
        for effect in effects {
            switch effect {
            case .send(let pdu): send(pdu.encoded, on: .leSignalling, to: handle)
            case .opened(let local, let tag): opened(local, tag, on: handle, of: link)
            case .failed(let tag, let failure):
                let id = GATTRequestID(rawValue: tag)
                events.append(.channel(.failed(id, failure)), for: ClientSet(id.client))
            case .received(let local, let octets):
                guard let id = channels.id(of: .init(handle: handle, channel: local)),
                    let client = channels.places[id]?.client
                else { continue }
                events.appendChannelData(id, octets, for: client)
            case .ready(let local): tell(local, on: handle) { .ready($0) }
            case .closed(let local, let end):
                tell(local, on: handle) { .closed($0, end) }
                if let id = channels.id(of: .init(handle: handle, channel: local)) { channels.remove(id) }
            }
        }
    }

    private mutating func opened(
        _ local: ChannelIdentifier, _ tag: UInt64?, on handle: UInt16, of link: Link
    ) {
        guard let channel = links[handle]?.l2cap[local] else { return }
        let request = tag.map { GATTRequestID(rawValue: $0) }
        guard let client = request?.client ?? channels.publications[channel.spsm] else { return }
        let id = channels.add(.init(handle: handle, channel: local), for: client)
        let opening = ChannelOpening(
            channel: id, link: link.id, peer: link.peer, client: client, request: request, spsm: channel.spsm,
            peerMTU: channel.peerMTU)
        events.append(.channel(.opened(opening)), for: ClientSet(client))
    }

    private mutating func tell(
        _ local: ChannelIdentifier, on handle: UInt16, _ event: (ChannelID) -> ChannelEvent
    ) {
        guard let id = channels.id(of: .init(handle: handle, channel: local)),
            let client = channels.places[id]?.client
        else { return }
        events.append(.channel(event(id)), for: ClientSet(client))
    }
}
