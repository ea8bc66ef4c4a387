// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT

/// Which clients are subscribed to which values of a peer: a configuration is written for the first, and taken back with the last.
///
/// A characteristic is known by the handle of its value.
struct LinkSubscriptions: Sendable {
    private var subscribers: [UInt16: ClientSet] = [:]
    /// The last handles of those characteristics, where their configurations are.
    private var ends: [UInt16: UInt16] = [:]
    /// Subscriptions that the peer has not answered yet.
    private var unanswered: [GATTRequestID: UInt16] = [:]

    func clients(of value: UInt16) -> ClientSet { subscribers[value] ?? [] }

    /// Notes a client's wish.
    ///
    /// - Returns: Whether the peer has to be told: nobody else is subscribed.
    mutating func change(of value: UInt16, _ configuration: ClientCharacteristicConfiguration, for member: ClientSet)
        -> Bool
    {
        let others = clients(of: value).subtracting(member)
        subscribers[value] = configuration == .none ? others : others.union(member)
        return others.isEmpty
    }

    /// The peer is asked for the first subscription.
    mutating func asked(_ id: GATTRequestID, for value: UInt16, end: UInt16) {
        unanswered[id] = value
        ends[value] = end
    }

    /// The peer has answered. After a refusal no other client may take the value for switched on.
    mutating func answered(_ id: GATTRequestID, isRefusal: Bool, for member: ClientSet) {
        guard let value = unanswered.removeValue(forKey: id), isRefusal else { return }
        subscribers[value]?.remove(member)
    }

    /// A client lets go of the link. Gives the values that nobody else wants, with the last handles of their characteristics.
    mutating func leave(_ member: ClientSet) -> [(value: UInt16, end: UInt16)] {
        subscribers.keys.sorted().compactMap { value in
            guard subscribers[value]?.remove(member) != nil, subscribers[value]?.isEmpty == true else { return nil }
            return ends[value].map { (value, $0) }
        }
    }

    /// Services have changed there: a configuration that moved away is off again.
    mutating func forget(_ handles: ClosedRange<UInt16>) {
        subscribers = subscribers.filter { !handles.contains($0.key) }
    }
}
