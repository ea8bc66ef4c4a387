// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// The surroundings of a ``GATTServerMachine`` for one step: the table, the link, the clock.
package struct ServerContext: Sendable {
    package var database: GATTDatabase
    package var security: LinkSecurity
    package var now: MonotonicTime

    package init(database: GATTDatabase, security: LinkSecurity, now: MonotonicTime) {
        self.database = database
        self.security = security
        self.now = now
    }
}

/// The number of a question to an owner; unique within its machine.
package struct ServerRequestID: Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// An owner is asked for a value.
package struct ServerRead: Hashable, Sendable {
    package let id: ServerRequestID
    package let owner: ServerOwner
    package let handle: UInt16
    /// The owner answers with the rest of the value from this octet on.
    package let offset: Int

    package init(id: ServerRequestID, owner: ServerOwner, handle: UInt16, offset: Int) {
        self.id = id
        self.owner = owner
        self.handle = handle
        self.offset = offset
    }
}

package struct WriteItem: Hashable, Sendable {
    package let handle: UInt16
    package let offset: Int
    package let value: [UInt8]

    package init(handle: UInt16, offset: Int, value: [UInt8]) {
        self.handle = handle
        self.offset = offset
        self.value = value
    }
}

/// An owner is given values: it takes all of them or none.
package struct ServerWrite: Hashable, Sendable {
    /// Nil for a command, which is not answered.
    package let id: ServerRequestID?
    package let owner: ServerOwner
    /// In the order in which they came; long values in their parts.
    package let items: [WriteItem]

    package init(id: ServerRequestID?, owner: ServerOwner, items: [WriteItem]) {
        self.id = id
        self.owner = owner
        self.items = items
    }
}

/// How a client gets the values of a characteristic.
package enum SubscriptionKind: Hashable, Sendable {
    case notification
    case indication
}

/// The result of an update for one client.
package enum UpdateOutcome: Hashable, Sendable {
    case sent
    /// The indication waits for the confirmation of the one before.
    case queued
    /// Too many indications wait.
    case queueFull
    case notSubscribed
    /// The link is not, or no longer, secure enough for this characteristic.
    case notPermitted
    /// The client does not know yet that the database has changed. Core 5.4, Vol 3, Part G, 2.5.2.1.
    case changeUnaware
    /// The database lacks the value.
    case noAttribute
    /// A transaction timed out: nothing more is sent on this bearer.
    case closed
}

/// The host's kept state of a bonded client between links. Core 5.4, Vol 3, Part G, 2.5.2 and 3.3.3.3.
package struct ClientState: Codable, Hashable, Sendable {
    /// Client Characteristic Configurations that are not 0, by the handle of the value.
    package var configurations: [UInt16: UInt16]
    package var supportedFeatures: UInt8
    package var isChangeAware: Bool
    /// The Database Hash at the time of this state.
    package var databaseHash: [UInt8]
    /// The first and the last handle of a change without a confirmed indication.
    package var unconfirmedChange: [UInt16]

    package init(
        configurations: [UInt16: UInt16] = [:], supportedFeatures: UInt8 = 0, isChangeAware: Bool = true,
        databaseHash: [UInt8] = [], unconfirmedChange: [UInt16] = []
    ) {
        self.configurations = configurations
        self.supportedFeatures = supportedFeatures
        self.isChangeAware = isChangeAware
        self.databaseHash = databaseHash
        self.unconfirmedChange = unconfirmedChange
    }
}

/// The limits of the server's state for one client.
package struct ServerLimits: Hashable, Sendable {
    /// Requests that wait because the client did not wait for a response.
    package var waitingRequests: Int
    package var preparedWrites: Int
    package var preparedOctets: Int
    package var waitingIndications: Int

    package init(
        waitingRequests: Int = 8, preparedWrites: Int = 128, preparedOctets: Int = 4096, waitingIndications: Int = 32
    ) {
        self.waitingRequests = waitingRequests
        self.preparedWrites = preparedWrites
        self.preparedOctets = preparedOctets
        self.waitingIndications = waitingIndications
    }
}

/// Counts of a client's PDUs that the server ignored.
package struct ServerCounters: Hashable, Sendable {
    /// Requests beyond ``ServerLimits/waitingRequests``.
    package var droppedRequests: UInt64 = 0
    /// Write commands that were not permitted, too long, malformed, or from a change-unaware client.
    package var ignoredCommands: UInt64 = 0
    package var signedWrites: UInt64 = 0
    package var unexpectedConfirmations: UInt64 = 0
    /// Responses, which are not for a server.
    package var strayPDUs: UInt64 = 0

    package init() {}
}
