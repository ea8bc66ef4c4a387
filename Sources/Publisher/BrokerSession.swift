// SPDX-License-Identifier: Apache-2.0

/// Whether there is a connection, what the broker retains on it, and whether the goodbye has been said; a value.
struct BrokerSession {
    private(set) var isConnected = false
    /// The broker takes retained messages, and is to.
    private(set) var retains = true
    /// Nothing more is to be said: the broker has the goodbye, or will not take it.
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
