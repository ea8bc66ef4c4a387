// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// A client's request that waits for an owner.
struct AskedOwner: Sendable {
    enum Need: Sendable {
        case read(opcode: ATTOpcode)
        case readByType
        case readMultiple(OwnedMultipleRead)
        case write
        case execute(PreparedExecution)
    }

    let id: ServerRequestID
    let owner: ServerOwner
    /// The handle of an error response, unless the owner names another handle.
    let handle: UInt16
    let need: Need
    let arrival: MonotonicTime

    var deadline: MonotonicTime { arrival + GATTServerMachine.answerTimeout }
}

/// Read Multiple and Read Multiple Variable on their way through the owners.
struct OwnedMultipleRead: Sendable {
    let opcode: ATTOpcode
    var remaining: ArraySlice<UInt16>
    /// The attributes whose values are in `values`.
    var handles: [UInt16] = []
    var values: [UInt8] = []
}

/// An Execute Write on its way through the owners.
struct PreparedExecution: Sendable {
    var remaining: ArraySlice<(owner: ServerOwner, items: [WriteItem])>
    /// Configurations and features, which the machine keeps itself: after all owners have agreed.
    let own: [WriteItem]
}

/// A client's prepared writes. Core 5.4, Vol 3, Part F, 3.4.6.
struct PreparedQueue: Sendable {
    private(set) var entries: [(item: WriteItem, generation: UInt64)] = []
    private(set) var octets = 0

    mutating func append(_ item: WriteItem, generation: UInt64) {
        entries.append((item, generation))
        octets += item.value.count
    }
}

/// The server's record of its client.
struct ClientRecord: Sendable {
    /// Not 0; by the handle of the value.
    var configurations: [UInt16: UInt16] = [:]
    var supportedFeatures: UInt8 = 0
    /// A client without a bond begins change-aware. Core 5.4, Vol 3, Part G, 2.5.2.1.
    var isChangeAware = true
    /// The error 0x12 went out since the last change: the next request makes the client aware.
    var wasToldOutOfSync = false
    /// The hash was read since the last change: the next request makes the client aware.
    var hasReadHash = false
    /// The handles of the next Service Changed indication.
    var unconfirmedChange: ATTPDU.HandleRange?

    static let robustCaching: UInt8 = 0x01
    static let multipleNotifications: UInt8 = 0x04
    /// Robust Caching, Enhanced ATT Bearer, Multiple Handle Value Notifications.
    static let knownFeatures: UInt8 = 0x07

    /// Robust caching applies only to a client that has asked for it.
    var isUnaware: Bool { supportedFeatures & Self.robustCaching != 0 && !isChangeAware }
}

/// The indications of one client: one in flight, the others behind in order.
struct IndicationQueue: Sendable {
    struct Outstanding: Sendable {
        let handle: UInt16
        let owner: ServerOwner
        let deadline: MonotonicTime
        /// The handles in a Service Changed indication; nil for other values.
        let change: ATTPDU.HandleRange?
    }

    var outstanding: Outstanding?
    var waiting: [Waiting] = []

    /// The owner is kept with the value: the handle may have another owner, or none, when the value is sent.
    struct Waiting: Sendable {
        let handle: UInt16
        let owner: ServerOwner
        let value: [UInt8]
    }
}
