// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import HCI
import L2CAP

/// Requests of clients.
extension HostMachine {
    /// Replaces the scan demand of `client`; nil: none any more.
    package mutating func setScan(_ demand: ScanDemand?, for client: ClientID, at now: MonotonicTime) {
        scan.set(demand, for: client)
        pump(at: now)
    }

    /// Wants a link to `peer`. The wish lasts until the link comes, or until ``disconnect(_:for:at:)``.
    package mutating func connect(_ peer: DeviceAddress, for client: ClientID, at now: MonotonicTime) {
        let (peer, member) = (wishes.currentName(of: peer), ClientSet(client))
        guard state == .ready else {
            events.append(.connectionFailed(peer, member, .hardwareFailure), for: member)
            return
        }
        if let (handle, link) = links.first(where: { $0.value.peer == peer && !$0.value.isEnding && isProven($0.value) }
        ) {
            links[handle]?.clients.insert(member)
            events.append(.connected(link.id, peer, member), for: member)
            if link.gatt.mtu != GATTClientMachine.defaultMTU {
                events.append(.mtuExchanged(link.id, link.gatt.mtu), for: member)
            }
            if link.clients.isEmpty { recordPresence(of: peer, isConnected: true) }
            startClient(on: handle, at: now)
            pump(at: now)
            return
        }
        wishes.add(member, for: peer)
        want(peer)
        if let (handle, _) = links.first(where: { $0.value.peer == peer && !$0.value.isEnding }) {
            testBond(on: handle, at: now)
        }
        pump(at: now)
    }

    /// Lets go of a link, or of the wish for a link. The link ends when no client holds it any more.
    package mutating func disconnect(_ peer: DeviceAddress, for client: ClientID, at now: MonotonicTime) {
        let (peer, member) = (wishes.currentName(of: peer), ClientSet(client))
        let remainder = wishes.remove(member, for: peer)
        if remainder == .unwanted { unwant(peer) }
        if remainder != .none {
            events.append(.disconnected(nil, peer, member, LinkEnd(.localHostTerminated)), for: member)
        }
        for (handle, link) in links where link.peer == peer && link.clients.contains(member) {
            // A link made by the peer stays without a client.
            if link.clients == member, link.role == .central {
                end(handle)
            } else {
                links[handle]?.clients.remove(member)
                closeChannels(of: client, on: handle, at: now)
                confirm(link.id, for: client, at: now)
                unsubscribe(member, from: handle, at: now)
                events.append(.disconnected(link.id, peer, member, LinkEnd(.localHostTerminated)), for: member)
            }
        }
        pump(at: now)
    }

    /// Switches off notifications that no other client wants, at the peer.
    private mutating func unsubscribe(_ member: ClientSet, from handle: UInt16, at now: MonotonicTime) {
        for (valueHandle, end) in links[handle]?.subscriptions.leave(member) ?? [] {
            let request = GATTRequest.configure(valueHandle: valueHandle, endHandle: end, .none)
            let effects = links[handle]?.gatt.request(request, id: .own, at: now) ?? []
            perform(effects, on: handle, at: now)
        }
    }

    /// Ends everything that `client` holds, because the client is gone.
    package mutating func removeClient(_ client: ClientID, at now: MonotonicTime) {
        scan.set(nil, for: client)
        advertising.set(nil, for: client, at: now)
        unpublishAll(for: client, at: now)
        removeChannels(of: client, at: now)
        let member = ClientSet(client)
        for peer in wishes.peers(of: member) { disconnect(peer, for: client, at: now) }
        for (handle, link) in links where link.clients.contains(member) {
            disconnect(link.peer, for: client, at: now)
            // By the end of the link, the number may belong to a new client, which never held this link.
            guard links[handle]?.clients.remove(member) != nil, links[handle]?.clients.isEmpty == true else { continue }
            recordPresence(of: link.peer, isConnected: false)
        }
        pump(at: now)
    }

    package mutating func request(
        _ request: GATTRequest, id: GATTRequestID, on link: LinkID, at now: MonotonicTime
    ) {
        guard let handle = links.handle(of: link), links[handle]?.isEnding == false else {
            complete(id, .failure(.notSent))
            return
        }
        if case .configure(let valueHandle, let end, let configuration) = request {
            // The descriptor may already say what it should, because of other clients.
            let isChange = links[handle]?.subscriptions.change(
                of: valueHandle, configuration, for: ClientSet(id.client))
            guard isChange == true else {
                complete(id, .success(.written))
                return
            }
            if configuration != .none {
                links[handle]?.subscriptions.asked(id, for: valueHandle, end: end)
            }
        }
        recordRequest(request, id: id, on: handle)
        let effects = links[handle]?.gatt.request(request, id: id, at: now) ?? []
        perform(effects, on: handle, at: now)
        pump(at: now)
    }

    /// Sends a Write Command. One that is longer than the link's MTU lets it be, or finds the link's queue full, is
    /// dropped and counted; the client hears that it was sent either way, so that its own count stays right.
    package mutating func writeCommand(
        _ value: [UInt8], to attribute: UInt16, on link: LinkID, for client: ClientID, at now: MonotonicTime
    ) {
        let pdu = ATTPDU.writeCommand(handle: attribute, value: value)
        guard let handle = links.handle(of: link), let mtu = links[handle]?.gatt.mtu, value.count <= mtu - 3,
            send(pdu.encoded, on: .attributeProtocol, to: handle, as: .writeCommand(client))
        else {
            counters.writeCommandsDropped += 1
            events.append(.writeCommandSent(link, client), for: ClientSet(client))
            return
        }
        pump(at: now)
    }

    /// `client` has handled an indication: the last indication, if no number is given. After all clients have handled
    /// it, the peer gets a confirmation. The rest of the link goes on meanwhile. A repeated or late call changes
    /// nothing.
    package mutating func confirm(
        _ link: LinkID, _ indication: IndicationNumber? = nil, for client: ClientID, at now: MonotonicTime
    ) {
        guard let handle = links.handle(of: link),
            links[handle]?.owed.confirm(indication, by: ClientSet(client)) == true
        else { return }
        send(ATTPDU.confirmation.encoded, on: .attributeProtocol, to: handle)
        pump(at: now)
    }

    /// Limit of waiting RSSI readings.
    static let rssiRequestLimit = 32

    package mutating func readRSSI(of link: LinkID, id: GATTRequestID, at now: MonotonicTime) {
        guard let handle = links.handle(of: link) else {
            complete(rssi: id, .failure(.unknownConnectionIdentifier))
            return
        }
        guard !radio.commands.isLeftOut(.readRSSI) else {
            complete(rssi: id, .failure(.unsupportedFeature))
            return
        }
        // Optional RSSI readings must not fill the queue for necessary commands.
        guard outbound.readingsOfRSSI < Self.rssiRequestLimit else {
            complete(rssi: id, .failure(.controllerBusy))
            return
        }
        submit(ReadRSSI(handle: handle), for: .rssi(link, id))
        pump(at: now)
    }

    /// Peers with a link now, and the services found on them.
    package var connected: [DeviceAddress: Set<BluetoothUUID>] {
        let shown = links.values.filter { !$0.isEnding && ($0.role == .central || !$0.clients.isEmpty) }
        return Dictionary(shown.map { ($0.peer, $0.discovery.services) }) { first, _ in first }
    }

    /// Links of ``connected`` without any of these services, for a full search of their peers. Each link is returned
    /// once.
    package mutating func takeUnsearched(without wanted: Set<BluetoothUUID>) -> [LinkID] {
        let found = links.values.filter { link in
            !link.isEnding && (link.role == .central || !link.clients.isEmpty) && !link.discovery.isSearched
                && link.discovery.services.isDisjoint(with: wanted)
        }.map(\.id)
        for link in found { if let handle = links.handle(of: link) { links[handle]?.discovery.search() } }
        return found
    }

    /// Ends every link and the scan, before the transport is closed.
    package mutating func shutDown(at now: MonotonicTime) {
        wishes.drop()
        initiator = freshInitiator
        for client in advertising.clients { advertising.set(nil, for: client, at: now) }
        guard state == .ready else { return }
        for handle in links.keys { end(handle) }
        pump(at: now)
    }

    package var hasLinks: Bool { !links.isEmpty }
}
