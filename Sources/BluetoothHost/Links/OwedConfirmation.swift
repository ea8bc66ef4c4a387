// SPDX-License-Identifier: Apache-2.0

/// The clients that have not yet confirmed the peer's last indication; a value.
struct OwedConfirmation: Sendable {
    private var clients: ClientSet = []
    /// The number of that indication.
    private var last = IndicationNumber(rawValue: 0)

    /// Takes an indication that `clients` have to take care of. A peer has one outstanding at most (Vol 3, Part F,
    /// 3.3.2); of one that does not keep to that, the last one counts, so that it is never told twice to go on.
    mutating func record(for clients: ClientSet) -> IndicationNumber {
        last = IndicationNumber(rawValue: last.rawValue &+ 1)
        self.clients = clients
        return last
    }

    /// A client has taken care of an indication, the last one where no number is given.
    ///
    /// - Returns: True when the peer is to be told: all have.
    mutating func confirm(_ number: IndicationNumber?, by client: ClientSet) -> Bool {
        guard clients.contains(client), number == nil || number == last else { return false }
        clients.remove(client)
        return clients.isEmpty
    }
}
