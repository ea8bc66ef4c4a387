// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The facts about a peer of our server on this link; a value.
struct ServedPeer: Sendable {
    /// The link's server has the kept state of the bonded client.
    private var isRestored = false
    /// The Central was refused with Insufficient Encryption. One that has the key uses it then; one that has lost it asks
    /// again, and has to hear that it must pair.
    private(set) var wasToldToEncrypt = false

    private(set) var lastRequest: MonotonicTime?

    mutating func asked(at now: MonotonicTime) { lastRequest = now }

    /// False where it was given before.
    mutating func restore() -> Bool {
        defer { isRestored = true }
        return !isRestored
    }

    mutating func refusedForEncryption() { wasToldToEncrypt = true }
}
