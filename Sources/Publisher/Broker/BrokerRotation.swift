// SPDX-License-Identifier: Apache-2.0

import MQTT

/// Chooses the next of several brokers: in their order, each once a round, with a wait between the rounds. After the
/// end of a stable connection, the first broker comes first again.
struct BrokerRotation: Sendable {
    let addresses: [BrokerAddress]
    private var index = 0

    /// - Parameter addresses: At least one address.
    init(_ addresses: [BrokerAddress]) { self.addresses = addresses }

    var current: BrokerAddress { addresses[index] }
    var position: Int { index }

    /// Continues after the end of an attempt or a connection.
    ///
    /// - Returns: Whether the next attempt has to wait, because a round is over.
    mutating func goOn(wasStable: Bool) -> Bool {
        index = wasStable ? 0 : (index + 1) % addresses.count
        return index == 0
    }
}
