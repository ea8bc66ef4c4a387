// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import HCI
import HCITransport
import Logging
import Synchronization

/// Clients, and the cut-off of a client that does not handle its events.
extension BluetoothHost {
    package typealias Sink = @Sendable (HostEventBatch) -> Void

    /// The number of bits in a ``ClientSet``.
    package static let clientLimit: UInt8 = 64

    /// A number for a new client; nil when there are ``clientLimit`` already.
    package nonisolated func makeClient() -> ClientID? {
        shared.withLock { shared in
            if let free = shared.freeClients.popLast() { return ClientID(rawValue: free) }
            guard shared.nextClient < Self.clientLimit else { return nil }
            defer { shared.nextClient += 1 }
            return ClientID(rawValue: shared.nextClient)
        }
    }

    /// Sends events to `sink` from now on: first the state and the present links. The client answers each batch with
    /// ``handled(by:)``. `isPassive`: the client only looks on, and handles each batch at once.
    package func addClient(_ client: ClientID, isPassive: Bool = false, sink: @escaping Sink) {
        // Pending events go out first. The new client's first batch lists the present links, and no client must hear of
        // a link twice.
        deliverEvents(at: MonotonicClock.now)
        shared.withLock { $0.deliveries.add(client, isPassive: isPassive) }
        sinks[client] = sink
        var batch = HostEventBatch()
        let (state, reason) = state
        batch.append(.stateChanged(state, reason: reason), for: ClientSet(client))
        machine.reportLinks(to: client, in: &batch)
        deliver(batch, to: client, sink, at: MonotonicClock.now)
    }

    package func removeClient(_ client: ClientID) {
        sinks.removeValue(forKey: client)
        machine.removeClient(client, at: MonotonicClock.now)
        shared.withLock { shared in
            // The client's queue may still answer its batches. These answers must not count as another client's.
            if shared.deliveries.remove(client) { shared.freeClients.append(client.rawValue) }
        }
    }

    /// The client has handled a batch. Any thread.
    package nonisolated func handled(by client: ClientID) {
        let wakes = shared.withLock { shared in
            switch shared.deliveries.handled(by: client, at: MonotonicClock.now) {
            case .none: return false
            case .isNews: return true
            case .isGone:
                shared.freeClients.append(client.rawValue)
                return false
            }
        }
        if wakes { loop.wake() }
    }

    /// Batches that a client has not handled yet.
    package nonisolated func unhandled(by client: ClientID) -> Int {
        shared.withLock { $0.deliveries.unhandled(by: client) }
    }

    func deliver(_ batch: HostEventBatch, to client: ClientID, _ sink: Sink, at now: MonotonicTime) {
        guard shared.withLock({ $0.deliveries.deliver(to: client, at: now) }) else {
            machine.counters.batchesWithheld += 1
            return
        }
        sink(batch)
    }

    // MARK: Clients that stand still

    /// Cuts off clients that stand still, and readmits clients that have caught up.
    func mindDeliveries(at now: MonotonicTime) {
        let (stuck, returning) = shared.withLock { ($0.deliveries.stuck(at: now), $0.deliveries.returning) }
        for client in stuck { cutOff(client, at: now) }
        for client in returning { readmit(client, at: now) }
    }

    /// Asks nothing more of the client, and takes its subscriptions, services and advertisements off the air. There
    /// they would wait for the client in vain.
    private func cutOff(_ client: ClientID, at now: MonotonicTime) {
        logger.error(
            "a part of the program stands still: its connections are ended, so that the others can go on",
            metadata: ["client": "\(client.rawValue)", "seconds": "\(ClientDeliveries.patience.components.seconds)"])
        deliverEvents(at: now)
        shared.withLock { $0.deliveries.cutOff(client) }
        machine.counters.clientsCutOff += 1
        takenBack[client] = machine.holdings(of: client)
        machine.removeClient(client, at: now)
        deliverEvents(at: now)
    }

    /// Reports to the client everything it has lost, as after the loss of a controller, and then the state to begin
    /// anew with.
    private func readmit(_ client: ClientID, at now: MonotonicTime) {
        guard let sink = sinks[client] else { return }
        // Another thread of the client may have asked for something meanwhile.
        let holdings = (takenBack.removeValue(forKey: client) ?? []) + machine.holdings(of: client)
        machine.removeClient(client, at: now)
        deliverEvents(at: now)
        shared.withLock { $0.deliveries.readmit(client) }
        logger.notice("it goes on: it has to begin anew", metadata: ["client": "\(client.rawValue)"])
        var batch = HostEventBatch()
        let member = ClientSet(client)
        for holding in holdings {
            switch holding {
            case .connection(let link, let peer):
                batch.append(.disconnected(link, peer, member, LinkEnd(.hardwareFailure)), for: member)
            case .link(let link): batch.append(.linkDown(link, .hardwareFailure), for: member)
            }
        }
        batch.append(
            .stateChanged(.resetting, reason: "this part of the program stood still, and was cut off"), for: member)
        let (state, reason) = state
        batch.append(.stateChanged(state, reason: reason), for: member)
        machine.reportLinks(to: client, in: &batch)
        deliver(batch, to: client, sink, at: now)
    }
}

/// A connection or link whose end a cut-off client has to hear of.
enum ClientHolding: Sendable {
    /// The client's own connection; nil: the client waits for a connection.
    case connection(LinkID?, DeviceAddress)
    /// Any link.
    case link(LinkID)
}

extension HostMachine {
    /// Connections and links whose end `client` has to hear of.
    func holdings(of client: ClientID) -> [ClientHolding] {
        let member = ClientSet(client)
        let sorted = links.values.sorted { $0.id.rawValue < $1.id.rawValue }
        return sorted.map { .link($0.id) }
            + sorted.filter { $0.clients.contains(member) }.map { .connection($0.id, $0.peer) }
            + wishes.peers(of: member).sorted { $0.compact < $1.compact }
            .map { .connection(nil, $0) }
    }
}
