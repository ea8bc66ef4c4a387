// SPDX-License-Identifier: Apache-2.0

/// Whether there is a connection, whether the broker retains messages on the connection, and whether the goodbye is
/// sent; a value.
struct BrokerSession {
    private(set) var isConnected = false
    /// The broker accepts retained messages, and the configuration wants them.
    private(set) var retains = true
    /// Nothing more may be sent: the broker has the goodbye, or refuses it.
    private(set) var isOffline = false

    mutating func begin(retains: Bool) {
        isConnected = true
        self.retains = retains
        isOffline = false
    }

    mutating func end() { isConnected = false }

    /// The goodbye is settled.
    mutating func goOffline() { isOffline = true }
}
