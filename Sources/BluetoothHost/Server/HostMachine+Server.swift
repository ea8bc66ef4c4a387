// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import HCI
import L2CAP

/// A peer's pending request, on its link.
package struct ServerRequest: Hashable, Sendable {
    package let link: LinkID
    package let id: ServerRequestID
}

extension ServerOwner {
    /// 0 is the host itself.
    package init(_ client: ClientID) { self.init(client.rawValue + 1) }

    /// Nil for the host.
    package var client: ClientID? { self == .host ? nil : ClientID(rawValue: rawValue - 1) }
}

/// The attribute server: the services of clients, and the requests of peers. One database serves all clients.
extension HostMachine {
    /// Adds a service, at `start` if an earlier run had it there. A service that this process published before gets its
    /// old handles again if they are free.
    package mutating func publish(
        _ service: LocalService, from start: UInt16? = nil, for client: ClientID, at now: MonotonicTime
    ) -> Result<PublishedService, GATTDatabaseError> {
        do throws(GATTDatabaseError) {
            let published = try server.publish(service, from: start, for: ServerOwner(client))
            reportChange(published.addition, at: now)
            return .success(published)
        } catch {
            return .failure(error)
        }
    }

    package mutating func unpublish(_ start: UInt16, for client: ClientID, at now: MonotonicTime) {
        guard let change = server.unpublish(start, for: ServerOwner(client)) else { return }
        reportChange(change, at: now)
    }

    package mutating func unpublishAll(for client: ClientID, at now: MonotonicTime) {
        for change in server.unpublishAll(for: ServerOwner(client)) { reportChange(change, at: now) }
    }

    private mutating func reportChange(_ change: DatabaseChange, at now: MonotonicTime) {
        for handle in links.keys.sorted() {
            let context = context(of: handle, at: now)
            let effects = links[handle]?.server.databaseChanged(change, in: context) ?? []
            perform(effects, on: handle, at: now)
        }
        pump(at: now)
    }

    // MARK: Answers of clients

    /// False when the request was answered before, or its link is gone.
    @discardableResult
    package mutating func answer(
        read request: ServerRequest, _ result: Result<[UInt8], ATTErrorCode>, at now: MonotonicTime
    ) -> Bool {
        guard let handle = links.handle(of: request.link) else { return false }
        let context = context(of: handle, at: now)
        guard
            let (isTaken, effects) = links[handle]?.server.answerRead(
                request.id, result, in: context)
        else { return false }
        perform(effects, on: handle, at: now)
        pump(at: now)
        return isTaken
    }

    /// `error`: nil if every item was accepted. False if the request was answered before, or its link is gone.
    @discardableResult
    package mutating func answer(write request: ServerRequest, _ error: ATTErrorCode?, at now: MonotonicTime) -> Bool {
        guard let handle = links.handle(of: request.link) else { return false }
        let context = context(of: handle, at: now)
        guard
            let (isTaken, effects) = links[handle]?.server.answerWrite(
                request.id, error: error, in: context)
        else { return false }
        perform(effects, on: handle, at: now)
        pump(at: now)
        return isTaken
    }

    /// Handles of the values to which the peer of a link has subscribed.
    package func subscriptions(on link: LinkID) -> Set<UInt16> {
        links.handle(of: link).flatMap { links[$0]?.server.subscriptions } ?? []
    }

    /// Sends a value to subscribed peers. The client gets ``ServerEvent/updateFinished(_:)`` for each peer when the
    /// value has left, was confirmed, or never will be.
    package mutating func update(
        _ valueHandle: UInt16, _ value: [UInt8], on targets: [LinkID], for client: ClientID, at now: MonotonicTime
    ) {
        for link in targets {
            guard let handle = links.handle(of: link), links[handle]?.isEnding == false else {
                tell(ServerOwner(client), .updateFinished(link))
                continue
            }
            send(value, of: valueHandle, on: handle, for: client, at: now)
        }
        pump(at: now)
    }

    /// Replaces the key material of ``HostServices``, and indicates the new one to each client with a subscription. No
    /// effect on a host without key material.
    package mutating func setKeyMaterial(_ octets: [UInt8], for client: ClientID, at now: MonotonicTime) {
        guard let handle = server.setKeyMaterial(octets) else { return }
        update(handle, octets, on: links.values.map(\.id), for: client, at: now)
    }

    private mutating func send(
        _ value: [UInt8], of valueHandle: UInt16, on handle: UInt16, for client: ClientID, at now: MonotonicTime
    ) {
        let context = context(of: handle, at: now)
        guard let link = links[handle]?.id,
            let (outcome, effects) = links[handle]?.server.notify(
                value, of: valueHandle, in: context)
        else { return }
        switch outcome {
        case .sent, .queued: deliver(effects, on: handle, of: link, for: client, at: now)
        case .queueFull, .notSubscribed, .notPermitted, .changeUnaware, .noAttribute, .closed:
            dropUpdate(of: client, on: link)
        }
    }

    /// Sends several values to one peer, in as few PDUs as possible. For the client, each PDU counts as one value.
    package mutating func update(
        _ values: [(handle: UInt16, value: [UInt8])], on target: LinkID, for client: ClientID, at now: MonotonicTime
    ) {
        guard let handle = links.handle(of: target), links[handle]?.isEnding == false else {
            tell(ServerOwner(client), .updateFinished(target))
            return
        }
        let context = context(of: handle, at: now)
        guard let (outcomes, effects) = links[handle]?.server.notify(multiple: values, in: context) else { return }
        deliver(effects, on: handle, of: target, for: client, at: now)
        for outcome in outcomes where outcome != .sent && outcome != .queued {
            dropUpdate(of: client, on: target)
        }
        pump(at: now)
    }

    /// A notification is finished when the controller has it, an indication when it is confirmed.
    private mutating func deliver(
        _ effects: [GATTServerMachine.Effect], on handle: UInt16, of link: LinkID, for client: ClientID,
        at now: MonotonicTime
    ) {
        for effect in effects {
            guard case .send(let pdu) = effect, let opcode = pdu.first.map(ATTOpcode.init(rawValue:)),
                opcode == .notification || opcode == .multipleHandleValueNotification
            else {
                perform([effect], on: handle, at: now)
                continue
            }
            guard send(pdu, on: .attributeProtocol, to: handle, as: .update(client)) else {
                dropUpdate(of: client, on: link)
                continue
            }
        }
    }

    private mutating func dropUpdate(of client: ClientID, on link: LinkID) {
        counters.updatesDropped += 1
        tell(ServerOwner(client), .updateFinished(link))
    }

    // MARK: From the peer

    mutating func receivedRequest(_ octets: ArraySlice<UInt8>, on handle: UInt16, at now: MonotonicTime) {
        // No answer leaves on a link that ends, so nothing is done either.
        guard links[handle]?.isEnding == false else { return }
        links[handle]?.served.asked(at: now)
        let context = context(of: handle, at: now)
        let effects = links[handle]?.server.received(octets, in: context) ?? []
        perform(effects, on: handle, at: now)
    }

    mutating func expireServer(of handle: UInt16, at now: MonotonicTime) {
        let context = context(of: handle, at: now)
        let awaited = links[handle]?.server.awaited
        let effects = links[handle]?.server.expire(in: context) ?? []
        if effects.contains(.closeBearer), let awaited {
            counters.requestsUnanswered += 1
            tell(awaited.owner, .requestUnanswered(handle: awaited.handle))
        }
        perform(effects, on: handle, at: now)
    }

    func context(of handle: UInt16, at now: MonotonicTime) -> ServerContext {
        ServerContext(database: server.database, security: provenSecurity(on: handle), now: now)
    }

    mutating func perform(_ effects: [GATTServerMachine.Effect], on handle: UInt16, at now: MonotonicTime) {
        guard let link = links[handle] else { return }
        for effect in effects {
            switch effect {
            case .send(let pdu):
                if pdu.isInsufficientEncryption, link.role == .peripheral {
                    links[handle]?.served.refusedForEncryption()
                }
                send(pdu, on: .attributeProtocol, to: handle)
            case .read(let read): ask(read, of: link)
            case .write(let write) where write.owner == .host: writeHostValues(write, on: handle, at: now)
            case .write(let write): hand(write, of: link)
            case .subscribed(let valueHandle, let owner, _):
                tell(owner, .subscription(link.id, handle: valueHandle, isOn: true))
            case .unsubscribed(let valueHandle, let owner):
                tell(owner, .subscription(link.id, handle: valueHandle, isOn: false))
            case .mtuExchanged(let mtu):
                links[handle]?.gatt.setMTU(mtu)
                events.append(.mtuExchanged(link.id, mtu), for: .all)
            case .confirmed(_, let owner): tell(owner, .updateFinished(link.id))
            case .indicationDropped(_, let owner):
                counters.updatesDropped += 1
                tell(owner, .updateFinished(link.id))
            case .indicationTimedOut(_, let owner):
                tell(owner, .updateFinished(link.id))
                end(handle)
            case .closeBearer: end(handle)
            case .stateChanged(let state): keep(state, of: link)
            }
        }
    }

    private mutating func ask(_ read: ServerRead, of link: Link) {
        let request = ServerRequest(link: link.id, id: read.id)
        tell(read.owner, .read(request, handle: read.handle, offset: read.offset))
    }

    private mutating func hand(_ write: ServerWrite, of link: Link) {
        tell(write.owner, .write(link.id, write.id.map { ServerRequest(link: link.id, id: $0) }, write.items))
    }

    /// Among the host's own values, peers may write only the name and the appearance, and only if ``HostServices``
    /// allows it.
    private mutating func writeHostValues(_ write: ServerWrite, on handle: UInt16, at now: MonotonicTime) {
        for item in write.items {
            switch item.handle {
            case GATTDatabase.nameHandle: server.writeName(item.value, at: item.offset)
            case GATTDatabase.appearanceHandle: server.writeAppearance(item.value, at: item.offset)
            default: break
            }
        }
        guard let id = write.id else { return }
        let context = context(of: handle, at: now)
        if let effects = links[handle]?.server.answerWrite(id, error: nil, in: context).effects {
            perform(effects, on: handle, at: now)
        }
    }

    private mutating func tell(_ owner: ServerOwner, _ event: ServerEvent) {
        guard let client = owner.client else { return }
        events.append(.server(client, event), for: ClientSet(client))
    }
}

extension [UInt8] {
    /// An Error Response that tells the client to encrypt the link. Core 5.4, Vol 3, Part F, 3.4.1.1.
    fileprivate var isInsufficientEncryption: Bool {
        count == 5 && first == ATTOpcode.errorResponse.rawValue
            && last == ATTErrorCode.insufficientEncryption.rawValue
    }
}
