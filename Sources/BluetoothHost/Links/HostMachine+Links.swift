// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import HCI
import L2CAP

/// Links coming, working and going.
extension HostMachine {
    /// How long after a refusal the controller is asked again to end a link.
    static let endRetry: Duration = .seconds(2)
    /// A client has this time to connect with the place of an idle stranger.
    static let roomTime: Duration = .seconds(15)

    /// Some controllers report a connection twice (the older event beside the newer event), within this time.
    static let repetition: Duration = .seconds(1)

    private mutating func isRepeated(_ completion: LEConnectionComplete, at now: MonotonicTime) -> Bool {
        guard completion.status == .success, let known = links[completion.handle] else { return false }
        let isOfLink = [known.peer, known.addresses.peer].contains {
            [completion.peer, bonds.identity(of: completion.peer)].contains($0)
        }
        return isOfLink && (known.role == .central) == completion.isCentral
            && now - known.information.connectedAt < Self.repetition
    }

    mutating func connectionCompleted(_ completion: LEConnectionComplete, at now: MonotonicTime) {
        // An event from before a reset: the controller has forgotten the link since.
        guard state == .ready, !isRepeated(completion, at: now) else { return }
        // The end of high duty cycle directed advertising, not of an attempt of ours.
        guard completion.status != .advertisingTimeout || initiator.isInitiating && !advertising.isHighDuty else {
            legacyAdvertisingEnded()
            directedAdvertisingTimedOut(at: 0, at: now)
            return
        }
        guard completion.isCentral || completion.status != .success else {
            centralConnected(completion, at: now)
            return
        }
        initiator.completed(completion.status, peer: completion.peer, at: now)
        let peer = bonds.identity(of: completion.peer)
        guard completion.status == .success else {
            if ConnectionWishes.isLimit(completion.status) { radio.refusedLink(beside: links.count) }
            recordFailure(of: peer, completion.status)
            if completion.status == .advertisingTimeout, radio.failedToInitiate() {
                fail("the controller fails each connection with Advertising Timeout (0x3C)")
            }
            return
        }
        unwant(peer)
        let clients = wishes.take(peer) ?? []
        let link = addLink(completion, to: peer, role: .central, clients: clients, at: now)
        radio.initiated(links: links.count, at: now)
        guard !clients.isEmpty else {
            // All clients that wanted the link have let go of it meanwhile.
            end(completion.handle)
            return
        }
        events.append(.connected(link, peer, clients), for: clients)
        recordPresence(of: peer, isConnected: true)
        encryptNewLink(completion.handle, at: now)
        stepLinkLayer(of: completion.handle, at: now)
        startClient(on: completion.handle, at: now)
        receiveEarlyData(of: completion.handle, at: now)
    }

    /// A peer connected to us. The peer's connection switched the advertiser off; the plan switches it on again if
    /// possible.
    private mutating func centralConnected(_ completion: LEConnectionComplete, at now: MonotonicTime) {
        counters.centralConnections += 1
        let peer = bonds.identity(of: completion.peer)
        let isInvited = advertising.isInvited(completion.handle)
        _ = addLink(completion, to: peer, role: .peripheral, clients: [], at: now)
        // Only now: the link has the advertiser's address.
        legacyAdvertisingEnded()
        guard isInvited else {
            counters.uninvitedConnections += 1
            end(completion.handle)
            return
        }
        shareLink(completion.handle, at: now)
        testBond(on: completion.handle, at: now)
        receiveEarlyData(of: completion.handle, at: now)
    }

    /// Any device may use a bonded peer's address. A link that the peer has made therefore counts as the bonded peer's
    /// only after encryption under the bond's key.
    func isProven(_ link: Link) -> Bool {
        link.role == .central || link.encryption.usesBond || !bonds.contains(link.bondAddress)
    }

    /// Clients that want a peer share the link that the peer has made to us.
    mutating func shareLink(_ handle: UInt16, at now: MonotonicTime) {
        guard let link = links[handle], link.role == .peripheral, !link.isEnding, isProven(link),
            let clients = wishes.take(link.peer)
        else { return }
        unwant(link.peer)
        links[handle]?.clients.formUnion(clients)
        events.append(.connected(link.id, link.peer, clients), for: clients)
        recordPresence(of: link.peer, isConnected: true)
        startClient(on: handle, at: now)
    }

    private mutating func addLink(
        _ completion: LEConnectionComplete, to peer: DeviceAddress, role: LinkRole, clients: ClientSet,
        at now: MonotonicTime
    ) -> LinkID {
        // The controller has assigned a handle twice, so it has lost the first link without an event.
        if links[completion.handle] != nil { removeLink(completion.handle, reason: .connectionTimeout, at: now) }
        wishes.connected(peer)
        let procedures = LinkLayerMachine(
            role: role, features: controller.features, possible: possibleProcedures(with: peer, at: now),
            asksForLength: role == .central && asksForLength, at: now)
        var link = Link(
            id: links.makeID(),
            information: LinkInformation(
                of: peer, role: role, interval: completion.interval, latency: completion.latency,
                timeout: completion.timeout, at: now),
            addresses: OnAirAddresses(
                local: completion.localPrivateAddress ?? onAirAddress(as: role),
                peer: completion.peerPrivateAddress ?? completion.peer),
            linkLayer: procedures, clients: clients, mtu: linkDefaults.mtu)
        link.known.knownBefore(isBonded: bonds.bond(for: peer) != nil)
        if !acceptsParameters(of: peer, at: now) { link.l2cap.refuseParameters() }
        if let cache = link.identity.flatMap({ peers.cache(of: $0) }) {
            link.discovery.remember(Set(cache.services.map(\.uuid)))
        }
        counters.connections += 1
        links[completion.handle] = link
        suggestDataLength(at: now)
        radio.bears(links.count)
        outbound.connected(completion.handle)
        events.append(.linkUp(link.id, peer, role), for: .all)
        return link.id
    }

    /// The first client on a link begins to use the link.
    mutating func startClient(on handle: UInt16, at now: MonotonicTime) {
        guard links[handle]?.discovery.begin() == true else { return }
        let cache = links[handle]?.identity.flatMap { peers.cache(of: $0) }
        let isBonded = links[handle]?.isBonded ?? false
        let omitted = links[handle].map { Set(peers.omitted(with: $0.peer, at: now)) } ?? []
        let effects = links[handle]?.gatt.start(with: cache, isBonded: isBonded, without: omitted, at: now) ?? []
        perform(effects, on: handle, at: now)
    }

    /// A link left ``connected`` since the last call, though no event tells its end yet.
    package mutating func takeNewlyEnding() -> Bool { links.takeNewlyEnding() }

    /// The peer of a link; nil without a link of this handle.
    package func peer(of handle: UInt16) -> DeviceAddress? { links[handle]?.peer }

    package var slots: ConnectionSlots { ConnectionSlots(used: links.count, limit: radio.linkLimit) }

    /// Ends the oldest link of an idle stranger, so that a client gets the place: nobody may connect for ``roomTime``.
    ///
    /// - Parameter age: Links that are younger stay.
    /// - Returns: The peer; nil: nobody holds a link idly, or a link of another device ends already.
    package mutating func makeRoom(idleFor age: Duration, at now: MonotonicTime) -> DeviceAddress? {
        guard !links.values.contains(where: { $0.role == .peripheral && $0.isEnding }) else { return nil }
        let idle = links.filter { $0.value.isIdleStranger(for: age, at: now) }
        guard let oldest = idle.min(by: { $0.value.information.connectedAt < $1.value.information.connectedAt }) else {
            return nil
        }
        advertising.close(until: now + Self.roomTime)
        end(oldest.key)
        pump(at: now)
        return oldest.value.peer
    }

    /// Ends a link for all clients, as a server may have to.
    package mutating func endLink(_ link: LinkID, at now: MonotonicTime) {
        guard let handle = links.handle(of: link) else { return }
        end(handle)
        pump(at: now)
    }

    /// Tells a new client about the present links.
    package func reportLinks(to client: ClientID, in batch: inout HostEventBatch) {
        for link in links.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) where !link.isEnding {
            batch.append(.linkUp(link.id, link.peer, link.role), for: ClientSet(client))
            guard link.server.mtu != GATTServerMachine.defaultMTU else { continue }
            batch.append(.mtuExchanged(link.id, link.server.mtu), for: ClientSet(client))
        }
    }

    private mutating func recordFailure(of peer: DeviceAddress, _ status: HCIStatus) {
        guard let clients = wishes.failed(peer, status) else { return }
        unwant(peer)
        events.append(.connectionFailed(peer, clients, status), for: clients)
    }

    /// The controller began no connection. If it has no room for another link, all waiting clients are told.
    mutating func recordLimit(_ status: HCIStatus) {
        // Without a link, the status shows a fault, not a limit.
        guard ConnectionWishes.isLimit(status), links.count > 0 else { return }
        radio.refusedLink(beside: links.count)
        for peer in wishes.peers { recordFailure(of: peer, status) }
    }

    /// The controller begins no connection to any peer. All waiting clients are told.
    mutating func refuseConnections(_ status: HCIStatus) {
        for peer in wishes.peers {
            guard let clients = wishes.take(peer) else { continue }
            unwant(peer)
            events.append(.connectionFailed(peer, clients, status), for: clients)
        }
    }

    /// A controller that breaks down with another link is not asked for a further link.
    mutating func refuseLinksBeyondLimit() {
        guard initiator.wantsRadio, !radio.bearsAnother(beside: links.count) else { return }
        for peer in wishes.peers { recordFailure(of: peer, .connectionLimitExceeded) }
    }

    /// `now`: nil if the link is lost with the controller, and no peer is to blame.
    mutating func removeLink(_ handle: UInt16, reason: HCIStatus, at now: MonotonicTime?) {
        guard var link = links.removeValue(forKey: handle) else { return }
        counters.disconnections += 1
        completeRSSI(of: outbound.disconnected(handle), .failure(.unknownConnectionIdentifier))
        let outstanding = recordEnd(of: link, reason: reason, at: now)
        pairingLost(on: &link, reason)
        let reason = encryptionEnded(on: &link, reason)
        perform(link.l2cap.fail(), on: handle, of: link)
        for case .completed(let id, let result) in link.gatt.fail(.disconnected) { complete(id, result) }
        for repetition in link.hold.takeRepetitions() { refuse(repetition, isLinkLost: true) }
        events.append(.linkDown(link.id, reason), for: .all)
        guard !link.clients.isEmpty else { return }
        let clients = link.clients
        events.append(.disconnected(link.id, link.peer, clients, LinkEnd(reason, during: outstanding)), for: clients)
        recordPresence(of: link.peer, isConnected: false)
    }

    private mutating func storeServices(_ found: [RemoteService], on handle: UInt16) {
        guard let link = links[handle] else { return }
        let uuids = Set(found.lazy.map(\.uuid))
        links[handle]?.discovery.found(uuids)
        peers.found(uuids, on: link.peer)
    }

    mutating func recordPresence(of peer: DeviceAddress, isConnected: Bool) {
        let services = peers.services(of: peer)
        events.append(.presence(peer, isConnected: isConnected, services: services), for: .all)
    }

    // MARK: Parameters

    /// Links to some peers end at a change of parameters, also at one that the peer asks for.
    func acceptsParameters(of peer: DeviceAddress, at now: MonotonicTime) -> Bool {
        !peers.omitted(with: peer, at: now).contains(.parameters)
    }

    /// Changes a link's parameters, one change at a time. If a peer asks for several changes meanwhile, the last
    /// counts.
    mutating func update(_ handle: UInt16, to parameters: ConnectionParameters) {
        guard let link = links[handle], !link.isEnding, !radio.commands.isLeftOut(.leConnectionUpdate) else { return }
        guard links[handle]?.parameters.begin(parameters) == true else { return }
        submit(LEConnectionUpdate(handle: handle, parameters: parameters), for: .update(link.id))
    }

    /// A change was made, or refused.
    mutating func updated(_ handle: UInt16) {
        guard let link = links[handle] else { return }
        let next = links[handle]?.parameters.ended()
        peers.outlived([.parameters], with: link.peer)
        guard let next else { return }
        update(handle, to: next)
    }

    mutating func end(_ handle: UInt16, reason: HCIStatus = .remoteUserTerminated) {
        guard links.beginEnding(handle) else { return }
        disconnect(handle, reason)
    }

    private mutating func disconnect(_ handle: UInt16, _ reason: HCIStatus) {
        guard let link = links[handle]?.id else { return }
        submit(Disconnect(handle: handle, reason: reason), for: .end(link))
    }

    /// Disconnect was answered. After a refusal, the link stays useless, and the controller is asked again after a
    /// while.
    mutating func endRefused(_ link: LinkID, _ status: HCIStatus, at now: MonotonicTime) {
        guard status != .success, let handle = links.handle(of: link) else { return }
        guard status != .unknownConnectionIdentifier else {
            return removeLink(handle, reason: .connectionTimeout, at: now)
        }
        links[handle]?.ending.refused(nextAt: now + Self.endRetry)
    }

    mutating func repeatEnd(of handle: UInt16, at now: MonotonicTime) {
        guard links[handle]?.ending.takeDue(at: now) == true else { return }
        disconnect(handle, .remoteUserTerminated)
    }

    mutating func perform(_ effects: [GATTClientMachine.Effect], on handle: UInt16, at now: MonotonicTime) {
        for effect in effects {
            switch effect {
            case .send(let pdu): send(pdu.encoded, on: .attributeProtocol, to: handle)
            case .completed(let id, let result):
                if repeats(id, result, on: handle, at: now) { continue }
                let isRefusal = if case .failure = result { true } else { false }
                links[handle]?.subscriptions.answered(id, isRefusal: isRefusal, for: ClientSet(id.client))
                if case .success(.services(let found)) = result {
                    storeServices(found, on: handle)
                }
                complete(id, result)
            case .mtuExchanged(let mtu):
                links[handle]?.server.setMTU(mtu)
                if let link = links[handle] { events.append(.mtuExchanged(link.id, mtu), for: .all) }
            case .servicesChanged(let range): recordServicesChanged(range, on: handle)
            case .closeBearer: end(handle)
            }
        }
        collectCache(of: handle)
    }

    /// Queues a PDU. If there is no room for a PDU of our own, the link ends.
    @discardableResult
    mutating func send(
        _ payload: [UInt8], on channel: ChannelIdentifier, to handle: UInt16, as kind: QueuedPDU = .own
    ) -> Bool {
        // Once a transaction has timed out, nothing more may be sent. Vol 3, Part F, 3.3.3.
        guard channel != .attributeProtocol || links[handle]?.isEnding == false else { return false }
        if channel == .attributeProtocol, links[handle]?.encryption.holdsData == true {
            return links[handle]?.hold.append(LinkHold.PDU(payload: payload, channel: channel, kind: kind)) ?? false
        }
        guard outbound.enqueue(L2CAPFrame.encode(payload, on: channel), on: handle) else {
            // The peer makes us answer faster than it listens.
            if case .own = kind { end(handle) }
            return false
        }
        links[handle]?.queued.append(kind)
        return true
    }

    mutating func complete(_ id: GATTRequestID, _ result: Result<GATTResponse, GATTError>) {
        guard id != .own else { return }
        events.append(.completed(id, result), for: ClientSet(id.client))
    }

    mutating func complete(rssi id: GATTRequestID, _ result: Result<Int8, HCIStatus>) {
        events.append(.rssi(id, result), for: ClientSet(id.client))
    }
}

extension GATTRequestID {
    /// `number`: unique for the client; its upper 8 bits are not used.
    package init(client: ClientID, number: UInt64) {
        self.init(rawValue: UInt64(client.rawValue) << 56 | number & 0x00FF_FFFF_FFFF_FFFF)
    }

    /// A request of the host itself. No client waits for its end.
    static let own = Self(rawValue: .max)

    package var client: ClientID { ClientID(rawValue: UInt8(truncatingIfNeeded: rawValue >> 56)) }
}
