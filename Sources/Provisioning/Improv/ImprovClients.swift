// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// Who uses the Improv service: a number each, what it is subscribed to, and what waits for a place on the radio.
struct ImprovClients {
    /// Updates that wait for all of them together; the oldest of somebody who reads nothing are dropped.
    static let updateLimit = 64
    /// Numbers that are remembered; those of centrals that never subscribe have no end.
    static let limit = 32

    private struct Client {
        var number: ImprovMachine.Client
        var central: CBCentral
        var items: Set<Improv.Item> = []
    }

    private var clients: [Client] = []
    private var updates: [(data: Data, item: Improv.Item, central: CBCentral)] = []
    private var last: ImprovMachine.Client = 0

    /// What everybody takes in one piece.
    var shortestUpdate: Int { clients.map(\.central.maximumUpdateValueLength).min() ?? 20 }

    mutating func number(of central: CBCentral) -> ImprovMachine.Client { clients[index(of: central)].number }

    func subscribers(of item: Improv.Item) -> [CBCentral] {
        clients.filter { $0.items.contains(item) }.map(\.central)
    }

    mutating func subscribed(_ central: CBCentral, _ item: Improv.Item) {
        clients[index(of: central)].items.insert(item)
    }

    /// The number of a central that has no subscription any more: it is gone, or begins anew.
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

    /// Sends in order what `send` has a place for. Somebody who has none does not hold the others up.
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
