// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import HCI
import L2CAP

/// What clients ask for.
extension HostMachine {
    /// Replaces what `client` scans for; nil: nothing.
    package mutating func setScan(_ demand: ScanDemand?, for client: ClientID, at now: MonotonicTime) {
        scan.set(demand, for: client)
        pump(at: now)
    }

    /// Wants a link to `peer`; it may take for ever, until it comes or ``disconnect(_:for:at:)``.
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
            if link.clients.isEmpty { notePresence(of: peer, isConnected: true) }
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

    /// Lets go of a link, or of the wish for one. The link ends when nobody holds it any more.
    package mutating func disconnect(_ peer: DeviceAddress, for client: ClientID, at now: MonotonicTime) {
        let (peer, member) = (wishes.currentName(of: peer), ClientSet(client))
        let remainder = wishes.remove(member, for: peer)
        if remainder == .unwanted { unwant(peer) }
        if remainder != .none {
            events.append(.disconnected(nil, peer, member, .localHostTerminated), for: member)
        }
        for (handle, link) in links where link.peer == peer && link.clients.contains(member) {
            // The peer's own link stays when nobody here holds it.
            if link.clients == member, link.role == .central {
                end(handle)
            } else {
                links[handle]?.clients.remove(member)
                closeChannels(of: client, on: handle, at: now)
                confirm(link.id, for: client, at: now)
                unsubscribe(member, from: handle, at: now)
                events.append(.disconnected(link.id, peer, member, .localHostTerminated), for: member)
            }
        }
        pump(at: now)
    }

    /// What nobody else wants is switched off at the peer.
    private mutating func unsubscribe(_ member: ClientSet, from handle: UInt16, at now: MonotonicTime) {
        for (valueHandle, end) in links[handle]?.subscriptions.leave(member) ?? [] {
            let request = GATTRequest.configure(valueHandle: valueHandle, endHandle: end, .none)
            let effects = links[handle]?.gatt.request(request, id: .own, at: now) ?? []
            perform(effects, on: handle, at: now)
        }
    }

    /// Ends everything that `client` holds: it is gone.
    package mutating func removeClient(_ client: ClientID, at now: MonotonicTime) {
        scan.set(nil, for: client)
        advertising.set(nil, for: client, at: now)
        unpublishAll(for: client, at: now)
        removeChannels(of: client, at: now)
        let member = ClientSet(client)
        for peer in wishes.peers(of: member) { disconnect(peer, for: client, at: now) }
        for (handle, link) in links where link.clients.contains(member) {
            disconnect(link.peer, for: client, at: now)
            // When the link is gone at last, the number may be that of another client, whose link it never was.
            guard links[handle]?.clients.remove(member) != nil, links[handle]?.clients.isEmpty == true else { continue }
            notePresence(of: link.peer, isConnected: false)
        }
        pump(at: now)
    }

    package mutating func request(
        _ request: GATTRequest, id: GATTRequestID, on link: LinkID, at now: MonotonicTime
    ) {
        guard let handle = links.handle(of: link), links[handle]?.isEnding == false else {
            complete(id, .failure(.disconnected))
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
        noteRequest(request, id: id, on: handle)
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

    /// `client` took care of an indication, the last one where no number is given; when everybody has, the peer is told.
    /// Until then the rest of the link goes on. What is confirmed again, or too late, changes nothing.
    package mutating func confirm(
        _ link: LinkID, _ indication: IndicationNumber? = nil, for client: ClientID, at now: MonotonicTime
    ) {
        guard let handle = links.handle(of: link),
            links[handle]?.owed.confirm(indication, by: ClientSet(client)) == true
        else { return }
        send(ATTPDU.confirmation.encoded, on: .attributeProtocol, to: handle)
        pump(at: now)
    }

    /// RSSI readings that may wait.
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
        // An answer that nobody has to have must not fill the queue of the commands that have to be sent.
        guard outbound.readingsOfRSSI < Self.rssiRequestLimit else {
            complete(rssi: id, .failure(.controllerBusy))
            return
        }
        submit(ReadRSSI(handle: handle), for: .rssi(link, id))
        pump(at: now)
    }

    /// Peers with a link now, and the services that were found on them.
    package var connected: [DeviceAddress: Set<BluetoothUUID>] {
        let shown = links.values.filter { !$0.isEnding && ($0.role == .central || !$0.clients.isEmpty) }
        return Dictionary(shown.map { ($0.peer, $0.discovery.services) }) { first, _ in first }
    }

    /// Links of ``connected`` on which none of these services was found, and whose peers were not asked for all they have
    /// by this: each once.
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
