// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// A request of the client that waits for an owner.
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
    /// Of the error, where the owner refuses and names no other.
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

/// What a client has prepared to be written. Core 5.4, Vol 3, Part F, 3.4.6.
struct PreparedQueue: Sendable {
    private(set) var entries: [(item: WriteItem, generation: UInt64)] = []
    private(set) var octets = 0

    mutating func append(_ item: WriteItem, generation: UInt64) {
        entries.append((item, generation))
        octets += item.value.count
    }
}

/// What the server knows of its client.
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
    /// What the next Service Changed indication tells of.
    var unconfirmedChange: ATTPDU.HandleRange?

    static let robustCaching: UInt8 = 0x01
    static let multipleNotifications: UInt8 = 0x04
    /// Robust Caching, Enhanced ATT Bearer, Multiple Handle Value Notifications.
    static let knownFeatures: UInt8 = 0x07

    /// Only a client that has asked for robust caching is held to it.
    var isUnaware: Bool { supportedFeatures & Self.robustCaching != 0 && !isChangeAware }
}

/// Indications: one on its way, the others in order behind it.
struct IndicationQueue: Sendable {
    struct Outstanding: Sendable {
        let handle: UInt16
        let owner: ServerOwner
        let deadline: MonotonicTime
        /// The handles that it tells of, where it is Service Changed.
        let change: ATTPDU.HandleRange?
    }

    var outstanding: Outstanding?
    var waiting: [Waiting] = []

    /// The owner is kept with the value: the handle may be somebody else's, or nobody's, by the time it goes.
    struct Waiting: Sendable {
        let handle: UInt16
        let owner: ServerOwner
        let value: [UInt8]
    }
}
