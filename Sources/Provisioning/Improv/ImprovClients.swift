// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// The users of the Improv service: each user's number and subscriptions, and updates that wait for the radio.
struct ImprovClients {
    /// Waiting updates of all clients together. If a client reads nothing, its oldest updates are dropped.
    static let updateLimit = 64
    /// Remembered numbers. A central that never subscribes has no end, so the list needs a limit.
    static let limit = 32

    private struct Client {
        var number: ImprovMachine.Client
        var central: CBCentral
        var items: Set<Improv.Item> = []
    }

    private var clients: [Client] = []
    private var updates: [(data: Data, item: Improv.Item, central: CBCentral)] = []
    private var last: ImprovMachine.Client = 0

    /// The longest update that fits every client in one piece.
    var shortestUpdate: Int { clients.map(\.central.maximumUpdateValueLength).min() ?? 20 }

    mutating func number(of central: CBCentral) -> ImprovMachine.Client { clients[index(of: central)].number }

    func subscribers(of item: Improv.Item) -> [CBCentral] {
        clients.filter { $0.items.contains(item) }.map(\.central)
    }

    mutating func subscribed(_ central: CBCentral, _ item: Improv.Item) {
        clients[index(of: central)].items.insert(item)
    }

    /// The number of a central without a subscription: the central is gone, or begins anew.
    mutating func unsubscribed(_ central: CBCentral, _ item: Improv.Item) -> ImprovMachine.Client? {
        guard let index = clients.firstIndex(where: { $0.central.identifier == central.identifier }) else { return nil }
        clients[index].items.remove(item)
        updates.removeAll { $0.central.identifier == central.identifier && $0.item == item }
        return clients[index].items.isEmpty ? clients.remove(at: index).number : nil
    }

    mutating func removeAll() -> [ImprovMachine.Client] {
        defer { (clients, updates) = ([], []) }
        return clients.map(\.number)
    }

    private mutating func index(of central: CBCentral) -> Int {
        if let index = clients.firstIndex(where: { $0.central.identifier == central.identifier }) {
            clients[index].central = central
            return index
        }
        if clients.count == Self.limit { clients.remove(at: clients.firstIndex { $0.items.isEmpty } ?? 0) }
        last += 1
        clients.append(Client(number: last, central: central))
        return clients.count - 1
    }

    // MARK: Updates

    mutating func enqueue(_ data: Data, _ item: Improv.Item, to central: CBCentral) {
        if updates.count == Self.updateLimit { updates.removeFirst() }
        updates.append((data, item, central))
    }

    /// Sends updates in order, as long as `send` accepts them. A full client does not delay the others.
    mutating func flush(_ send: (Data, Improv.Item, CBCentral) -> Bool) {
        var full: Set<UUID> = []
        updates.removeAll { update in
            guard !full.contains(update.central.identifier) else { return false }
            if send(update.data, update.item, update.central) { return true }
            full.insert(update.central.identifier)
            return false
        }
    }
}
