// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The owner of published services, who also answers for them: the host gives each of its users a number.
package struct ServerOwner: Hashable, Sendable {
    package let rawValue: UInt8
    package init(_ rawValue: UInt8) { self.rawValue = rawValue }

    /// The host itself: the GAP and the GATT service.
    package static let host = Self(0)
}

/// A service of a user of the host, before publication.
package struct LocalService: Hashable, Sendable {
    package var uuid: BluetoothUUID
    package var isPrimary: Bool
    /// First handles of included services; the same owner has published them before.
    package var includedServices: [UInt16]
    package var characteristics: [LocalCharacteristic]

    package init(
        uuid: BluetoothUUID, isPrimary: Bool = true, includedServices: [UInt16] = [],
        characteristics: [LocalCharacteristic] = []
    ) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.includedServices = includedServices
        self.characteristics = characteristics
    }
}

/// A characteristic of a service that is published. The Client Characteristic Configuration and the Characteristic
/// Extended Properties descriptor follow from `properties`; the database adds them.
package struct LocalCharacteristic: Hashable, Sendable {
    package var uuid: BluetoothUUID
    package var properties: CharacteristicProperties
    /// The value for reads; nil: the owner is asked each time. At most 512 octets.
    package var value: [UInt8]?
    /// Beside its access, what a client does needs its bit in `properties`.
    package var read: AttributeAccess
    package var write: AttributeAccess
    /// The requirements for a subscription, and for each outgoing notification and indication.
    package var notify: AttributeAccess
    /// The longest value of a write, 1…512 octets.
    package var maximumLength: Int
    /// Bit 0: Reliable Write; bit 1: Writable Auxiliaries. Core 5.4, Vol 3, Part G, 3.3.3.1.
    package var extendedProperties: UInt16
    package var descriptors: [LocalDescriptor]

    package init(
        uuid: BluetoothUUID, properties: CharacteristicProperties, value: [UInt8]? = nil,
        read: AttributeAccess = .open, write: AttributeAccess = .open, notify: AttributeAccess = .open,
        maximumLength: Int = 512, extendedProperties: UInt16 = 1, descriptors: [LocalDescriptor] = []
    ) {
        self.uuid = uuid
        self.properties = properties
        self.value = value
        self.read = read
        self.write = write
        self.notify = notify
        self.maximumLength = maximumLength
        self.extendedProperties = extendedProperties
        self.descriptors = descriptors
    }
}

/// A descriptor beside the database's own: 0x2901 User Description, 0x2904 Presentation Format, 0x2905 Aggregate
/// Format, or a descriptor of the user's own type.
package struct LocalDescriptor: Hashable, Sendable {
    package var uuid: BluetoothUUID
    /// The value for reads; nil: the owner is asked each time. At most 512 octets.
    package var value: [UInt8]?
    package var read: AttributeAccess
    package var write: AttributeAccess

    package init(
        uuid: BluetoothUUID, value: [UInt8]?, read: AttributeAccess = .open, write: AttributeAccess = .denied
    ) {
        self.uuid = uuid
        self.value = value
        self.read = read
        self.write = write
    }
}

/// Core 5.4, Vol 3, Part G, 3.3.1.1.
package struct CharacteristicProperties: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let broadcast = Self(rawValue: 0x01)
    package static let read = Self(rawValue: 0x02)
    package static let writeWithoutResponse = Self(rawValue: 0x04)
    package static let write = Self(rawValue: 0x08)
    package static let notify = Self(rawValue: 0x10)
    package static let indicate = Self(rawValue: 0x20)
    package static let authenticatedSignedWrites = Self(rawValue: 0x40)
    package static let extendedProperties = Self(rawValue: 0x80)
}
