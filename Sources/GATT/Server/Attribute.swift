// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// One row of the table of attributes.
package struct Attribute: Sendable {
    package enum Kind: Hashable, Sendable {
        case service(isPrimary: Bool)
        case include
        case characteristic
        case value
        case descriptor
    }

    package enum Content: Hashable, Sendable {
        case fixed([UInt8])
        /// The owner is asked.
        case dynamic
        /// Each client has its own: kept by its ``GATTServerMachine``.
        case clientConfiguration(valueHandle: UInt16)
        case clientSupportedFeatures
    }

    package let handle: UInt16
    package let type: BluetoothUUID
    package let kind: Kind
    package let owner: ServerOwner
    package internal(set) var content: Content
    /// Last handle of the service or characteristic that this declares; else its own handle.
    package internal(set) var groupEnd: UInt16
    package let read: AttributeAccess
    package let write: AttributeAccess
    /// The properties of a characteristic's value; a client's operation needs its bit here.
    package let properties: CharacteristicProperties
    package let notify: AttributeAccess
    package let maximumLength: Int
    /// Distinguishes an attribute from a later one at the same handle.
    package let generation: UInt64

    /// A value of at most 512 octets. Core 5.4, Vol 3, Part F, 3.2.9.
    package static let maximumLength = 512

    init(
        handle: UInt16, type: BluetoothUUID, kind: Kind, owner: ServerOwner, content: Content, generation: UInt64,
        read: AttributeAccess = .open, write: AttributeAccess = .denied, notify: AttributeAccess = .denied,
        properties: CharacteristicProperties = [], maximumLength: Int = Self.maximumLength
    ) {
        self.handle = handle
        self.type = type
        self.kind = kind
        self.owner = owner
        self.content = content
        self.generation = generation
        groupEnd = handle
        self.read = read
        self.write = write
        self.notify = notify
        self.properties = properties
        self.maximumLength = maximumLength
    }

    /// Nil if the owner or the client's machine has the value.
    package var fixedValue: [UInt8]? {
        if case .fixed(let value) = content { value } else { nil }
    }
}

/// Attribute types that the table is made of. Core 5.4, Vol 3, Part G, 3 and 7.
enum TableType {
    static let primaryService = BluetoothUUID(UInt16(0x2800))
    static let secondaryService = BluetoothUUID(UInt16(0x2801))
    static let include = BluetoothUUID(UInt16(0x2802))
    static let characteristic = BluetoothUUID(UInt16(0x2803))
    static let extendedProperties = BluetoothUUID(UInt16(0x2900))
    static let clientConfiguration = BluetoothUUID(UInt16(0x2902))
    static let serverConfiguration = BluetoothUUID(UInt16(0x2903))
    static let databaseHash = BluetoothUUID(UInt16(0x2B2A))

    /// Types of declarations, reserved for the table itself.
    static let declarations: Set<BluetoothUUID> = [primaryService, secondaryService, include, characteristic]
    /// Descriptors that the database makes itself, or that a host does not offer.
    static let ownDescriptors: Set<BluetoothUUID> = [extendedProperties, clientConfiguration, serverConfiguration]
}
