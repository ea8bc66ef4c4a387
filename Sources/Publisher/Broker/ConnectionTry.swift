// SPDX-License-Identifier: Apache-2.0

import MQTT

/// One try to connect: how far it has come, and the address that it has reached; a value.
struct ConnectionTry {
    /// The address that a try has reached.
    struct Dialed: Equatable {
        /// In digits.
        let host: String
        /// The broker's name has another one to try.
        let hasOthers: Bool
    }

    private(set) var step = BrokerStep.name
    private(set) var dialed: Dialed?
    /// The broker has accepted the connection.
    private(set) var wasAccepted = false
    /// Addresses of one broker that were tried without a wait, since the last one.
    private var addresses = 0

    mutating func begin() { (step, dialed, wasAccepted) = (.name, nil, false) }
    mutating func begin(_ step: BrokerStep) { self.step = step }
    mutating func reached(_ dialed: Dialed?) { self.dialed = dialed }
    mutating func accepted() { wasAccepted = true }
    /// The next try comes after a wait.
    mutating func roundIsOver() { addresses = 0 }

    /// A try has ended before CONNACK. The address has failed, unless the broker has spoken for all of its addresses.
    ///
    /// - Returns: The address that has failed, and whether another one of the broker is to be tried at once.
    mutating func blame(for failure: MQTTFailure) -> (host: String, triesNext: Bool)? {
        guard !wasAccepted, let dialed, !failure.isWordOfBroker else { return nil }
        guard dialed.hasOthers, addresses < NameLookup.limit else { return (dialed.host, false) }
        addresses += 1
        return (dialed.host, true)
    }
}
