// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import HCI
import L2CAP

/// Links coming, working and going.
extension HostMachine {
    /// Connections in a row that fail to be established before the client is told. The air is like that; most succeed
    /// at the second try.
    static let failureLimit = 9
    /// Peers whose services are remembered.
    static let knownServicesLimit = 512

    mutating func connectionCompleted(_ completion: LEConnectionComplete, at now: MonotonicTime) {
        // Left over from before a reset: the controller has forgotten it since.
        guard state == .ready else { return }
        // A connection that a peer made to us: we do not advertise, so it is the controller's error.
        guard completion.isCentral || completion.status != .success else {
            submit(Disconnect(handle: completion.handle))
            return
        }
        initiator.completed(completion.status, peer: completion.peer, at: now)
        guard completion.status == .success else {
            noteFailure(of: completion.peer, completion.status)
            return
        }
        // The controller gives a handle twice: it has lost the first link without saying so.
        if links[completion.handle] != nil { removeLink(completion.handle, reason: .connectionTimeout) }
        failures.removeValue(forKey: completion.peer)
        let clients = interests.removeValue(forKey: completion.peer) ?? []
        let link = Link(id: LinkID(rawValue: nextLink), peer: completion.peer, clients: clients)
        nextLink &+= 1
        counters.connections += 1
        links[completion.handle] = link
        handles[link.id] = completion.handle
        acl.connected(completion.handle)
        guard !clients.isEmpty else {
            // Whoever wanted it has let go of it meanwhile.
            end(completion.handle)
            return
        }
        events.append(.connected(link.id, link.peer, clients), for: clients)
        notePresence(of: link.peer, isConnected: true)
        let effects = links[completion.handle]?.gatt.start(at: now) ?? []
        perform(effects, on: completion.handle, at: now)
    }

    private mutating func noteFailure(of peer: DeviceAddress, _ status: HCIStatus) {
        // Unknown connection identifier is the end of a cancelled attempt.
        guard status != .unknownConnectionIdentifier, let clients = interests[peer] else { return }
        let count = (failures[peer] ?? 0) + 1
        let isFinal = status == .connectionLimitExceeded || status == .connectionRejectedLimitedResources
        guard isFinal || count >= Self.failureLimit else {
            failures[peer] = count
            return
        }
        failures.removeValue(forKey: peer)
        interests.removeValue(forKey: peer)
        initiator.unwant(peer)
        events.append(.connectionFailed(peer, clients, status), for: clients)
    }

    mutating func removeLink(_ handle: UInt16, reason: HCIStatus) {
        guard var link = links.removeValue(forKey: handle) else { return }
        counters.disconnections += 1
        handles.removeValue(forKey: link.id)
        acl.disconnected(handle)
        for case .completed(let id, let result) in link.gatt.fail(.disconnected) { complete(id, result) }
        guard !link.clients.isEmpty else { return }
        let clients = link.clients
        events.append(.disconnected(link.id, link.peer, clients, reason), for: clients)
        notePresence(of: link.peer, isConnected: false)
    }

    private mutating func noteServices(_ found: [RemoteService], on handle: UInt16) {
        guard let peer = links[handle]?.peer else { return }
        links[handle]?.services.formUnion(found.map(\.uuid))
        if knownServices.count >= Self.knownServicesLimit { knownServices = [:] }
        knownServices[peer, default: []].formUnion(found.map(\.uuid))
    }

    private mutating func notePresence(of peer: DeviceAddress, isConnected: Bool) {
        let services = knownServices[peer] ?? []
        events.append(.presence(peer, isConnected: isConnected, services: services), for: .all)
    }

    // MARK: Parameters

    /// Changes a link's parameters, one change at a time: of those that a peer asks for meanwhile, the last counts.
    mutating func update(_ handle: UInt16, to parameters: ConnectionParameters) {
        guard let link = links[handle], !link.isEnding else { return }
        guard !link.isUpdating else {
            links[handle]?.wantedParameters = parameters
            return
        }
        links[handle]?.isUpdating = true
        updatesAsked.append(handle)
        submit(LEConnectionUpdate(handle: handle, parameters: parameters))
    }

    /// A change was made, or refused.
    mutating func updated(_ handle: UInt16) {
        guard links[handle] != nil else { return }
        links[handle]?.isUpdating = false
        guard let next = links[handle]?.wantedParameters else { return }
        links[handle]?.wantedParameters = nil
        update(handle, to: next)
    }

    mutating func end(_ handle: UInt16) {
        guard links[handle]?.isEnding == false else { return }
        links[handle]?.isEnding = true
        hasNewlyEnding = true
        submit(Disconnect(handle: handle))
    }

    mutating func perform(_ effects: [GATTClientMachine.Effect], on handle: UInt16, at now: MonotonicTime) {
        for effect in effects {
            switch effect {
            case .send(let pdu): send(pdu.encoded, on: .attributeProtocol, to: handle)
            case .completed(let id, let result):
                if let valueHandle = links[handle]?.configuring.removeValue(forKey: id), case .failure = result {
                    // Nobody else may take it for switched on.
                    links[handle]?.subscribers[valueHandle]?.remove(ClientSet(id.client))
                }
                if case .success(.services(let found)) = result {
                    noteServices(found, on: handle)
                }
                complete(id, result)
            case .mtuExchanged(let mtu):
                if let link = links[handle] { events.append(.mtuExchanged(link.id, mtu), for: link.clients) }
            case .closeBearer: end(handle)
            }
        }
    }

    /// Queues a PDU of our own; `client` where it is a client's write command.
    @discardableResult
    mutating func send(
        _ payload: [UInt8], on channel: ChannelIdentifier, to handle: UInt16, from client: ClientID? = nil
    ) -> Bool {
        guard acl.enqueue(L2CAPFrame.encode(payload, on: channel), on: handle) else {
            // A peer that makes us answer faster than it listens.
            if client == nil { end(handle) }
            return false
        }
        links[handle]?.queued.append(client)
        return true
    }

    mutating func complete(_ id: GATTRequestID, _ result: Result<GATTResponse, GATTError>) {
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

    package var client: ClientID { ClientID(rawValue: UInt8(truncatingIfNeeded: rawValue >> 56)) }
}
