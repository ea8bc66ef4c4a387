// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Dispatch
import GATT
import Synchronization

/// Asks connected peripherals for all their services, if no earlier discovery tells whether they have the wanted
/// services.
final class ServiceSearch: Sendable {
    /// The longest time that the caller waits.
    private static let patience = DispatchTimeInterval.seconds(2)

    private let client: ClientID
    private let waiting = Mutex<Set<UInt64>>([])
    private let done = DispatchSemaphore(value: 0)

    private init(_ client: ClientID) { self.client = client }

    /// Returns when all answers have come; at once if no peripheral has to be asked.
    static func run(on host: BluetoothHost, for wanted: Set<BluetoothUUID>) {
        guard host.connected.values.contains(where: { $0.isDisjoint(with: wanted) }), let client = host.makeClient()
        else { return }
        let search = ServiceSearch(client)
        host.perform { search.begin(on: $0, wanted) }
        _ = search.done.wait(timeout: .now() + patience)
        host.perform { $0.removeClient(client) }
    }

    private func begin(on host: isolated BluetoothHost, _ wanted: Set<BluetoothUUID>) {
        // The answer comes on the radio thread, since the waiting caller may hold the manager's queue.
        host.addClient(client, isPassive: true) { [self, host = host as BluetoothHost] batch in
            for case .completed(let id, _) in batch.others.lazy.map(\.event) where id.client == client { ended(id) }
            host.handled(by: client)
        }
        // Begins anywhere: answers to one search must not be taken for answers to the next.
        let first = UInt64.random(in: 1...(1 << 48))
        let asked = host.withMachine { machine, _ in machine.takeUnsearched(without: wanted) }
        let requests = asked.enumerated().map { offset, link in
            (link: link, id: GATTRequestID(client: client, number: first + UInt64(offset)))
        }
        waiting.withLock { $0 = Set(requests.map(\.id.number)) }
        if requests.isEmpty { done.signal() }
        for (link, id) in requests {
            host.withMachine { machine, now in machine.request(.discoverServices(nil), id: id, on: link, at: now) }
        }
    }

    private func ended(_ id: GATTRequestID) {
        let isLast = waiting.withLock { $0.remove(id.number) != nil && $0.isEmpty }
        if isLast { done.signal() }
    }
}
