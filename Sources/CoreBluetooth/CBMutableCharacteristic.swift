// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// What centrals may do with a characteristic's value.
public struct CBAttributePermissions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// It can be read.
    public static let readable = Self(rawValue: 0x01)
    /// It can be written.
    public static let writeable = Self(rawValue: 0x02)
    /// It can be read over encrypted connections.
    public static let readEncryptionRequired = Self(rawValue: 0x04)
    /// It can be written over encrypted connections.
    public static let writeEncryptionRequired = Self(rawValue: 0x08)
    /// Additive: whatever needs encryption, updates included, needs a key of a pairing that was protected against
    /// somebody in the middle.
    public static let authenticationRequired = Self(rawValue: 0x1_0000)
    /// Additive: whatever needs encryption, updates included, needs such a key of LE Secure Connections.
    public static let secureConnectionsRequired = Self(rawValue: 0x2_0000)
}

/// A characteristic of a service to publish.
open class CBMutableCharacteristic: CBCharacteristic, @unchecked Sendable {
    // Sound: what changes is behind a Mutex, here or in the superclass.

    private struct Local {
        var permissions: CBAttributePermissions
        var subscribers: [CBCentral] = []
        /// The value with which it was published first, nil within: the delegate is asked. What is set later, as by a
        /// delegate that keeps what was written, changes neither.
        var published: Data??
    }

    private let local: Mutex<Local>

    /// `value`: what every central reads, and then the characteristic can be read, whatever `properties` and `permissions`
    /// say, and nothing else; nil has the manager's delegate asked each time.
    public init(
        type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?, permissions: CBAttributePermissions
    ) {
        local = Mutex(Local(permissions: permissions))
        super.init(local: UUID, properties: properties, value: value)
    }

    /// What centrals may do. What is published stays as it was then.
    open var permissions: CBAttributePermissions {
        get { local.withLock { $0.permissions } }
        set { local.withLock { $0.permissions = newValue } }
    }

    /// What can be done with it. What is published stays as it was then.
    open override var properties: CBCharacteristicProperties {
        get { super.properties }
        set { super.properties = newValue }
    }

    /// What every central reads; nil has the delegate asked.
    open override var value: Data? {
        get { super.value }
        set { super.value = newValue }
    }

    /// Its descriptors beside those that the host makes.
    open override var descriptors: [CBDescriptor]? {
        get { super.descriptors }
        set {
            for descriptor in super.descriptors ?? [] { descriptor.setCharacteristic(nil) }
            for descriptor in newValue ?? [] { descriptor.setCharacteristic(self) }
            super.descriptors = newValue
        }
    }

    /// The centrals that want notifications or indications of the value now.
    open var subscribedCentrals: [CBCentral]? { local.withLock { $0.subscribers } }

    /// False when it is so already.
    func setSubscribed(_ isSubscribed: Bool, _ central: CBCentral) -> Bool {
        local.withLock { local in
            let index = local.subscribers.firstIndex { $0 === central }
            switch (index, isSubscribed) {
            case (nil, true): local.subscribers.append(central)
            case (let index?, false): local.subscribers.remove(at: index)
            default: return false
            }
            return true
        }
    }

    /// The value to publish: that of the first time.
    func frozenValue() -> Data? {
        let present = value
        return local.withLock { local in
            if let published = local.published { return published }
            local.published = .some(present)
            return present
        }
    }

    func unsubscribeAll() { local.withLock { $0.subscribers = [] } }
}
