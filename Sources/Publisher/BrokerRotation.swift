// SPDX-License-Identifier: Apache-2.0

import MQTT

/// Which of several brokers is tried next: in their order, each once a round, with a wait between the rounds. When a
/// connection that stood for a while ends, the first is tried first again.
struct BrokerRotation: Sendable {
    let addresses: [BrokerAddress]
    private var index = 0

    /// - Parameter addresses: At least one.
    init(_ addresses: [BrokerAddress]) { self.addresses = addresses }

    var current: BrokerAddress { addresses[index] }
    var position: Int { index }

    /// Goes on after a try or a connection has ended.
    ///
    /// - Returns: Whether the next try has to wait: a round is over.
    mutating func goOn(wasStable: Bool) -> Bool {
        index = wasStable ? 0 : (index + 1) % addresses.count
        return index == 0
    }
}
