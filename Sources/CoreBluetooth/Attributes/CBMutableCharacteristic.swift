// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The permissions of centrals for a characteristic's value.
public struct CBAttributePermissions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Centrals can read the value.
    public static let readable = Self(rawValue: 0x01)
    /// Centrals can write the value.
    public static let writeable = Self(rawValue: 0x02)
    /// Centrals can read the value over encrypted connections.
    public static let readEncryptionRequired = Self(rawValue: 0x04)
    /// Centrals can write the value over encrypted connections.
    public static let writeEncryptionRequired = Self(rawValue: 0x08)
    /// Additive: operations with encryption, updates included, need a key from an authenticated pairing: a pairing with
    /// protection against an attacker in the middle.
    public static let authenticationRequired = Self(rawValue: 0x1_0000)
    /// Additive: operations with encryption, updates included, need an authenticated key of LE Secure Connections.
    public static let secureConnectionsRequired = Self(rawValue: 0x2_0000)
}

/// A characteristic of a service to publish.
open class CBMutableCharacteristic: CBCharacteristic, @unchecked Sendable {
    // Sound: what changes is behind a Mutex, here or in the superclass.

    private struct Local {
        var permissions: CBAttributePermissions
        var subscribers: [CBCentral] = []
        /// The value at the first publication. Nil inside: the delegate answers reads. A later change of `value`, for
        /// example by a delegate that keeps written values, has no effect here.
        var published: Data??
    }

    private let local: Mutex<Local>

    /// `value`: a constant for all reads. Centrals can then only read the characteristic, whatever `properties` and
    /// `permissions` say. With nil, the manager's delegate answers each request.
    public init(
        type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?, permissions: CBAttributePermissions
    ) {
        local = Mutex(Local(permissions: permissions))
        super.init(local: UUID, properties: properties, value: value)
    }

    /// The permissions of centrals. A change has no effect on a published characteristic.
    open var permissions: CBAttributePermissions {
        get { local.withLock { $0.permissions } }
        set { local.withLock { $0.permissions = newValue } }
    }

    /// The operations that the characteristic supports. A change has no effect on a published characteristic.
    open override var properties: CBCharacteristicProperties {
        get { super.properties }
        set { super.properties = newValue }
    }

    /// A constant for all reads; nil lets the delegate answer.
    open override var value: Data? {
        get { super.value }
        set { super.value = newValue }
    }

    /// The descriptors of the application; the host adds further ones.
    open override var descriptors: [CBDescriptor]? {
        get { super.descriptors }
        set {
            for descriptor in super.descriptors ?? [] { descriptor.setCharacteristic(nil) }
            for descriptor in newValue ?? [] { descriptor.setCharacteristic(self) }
            super.descriptors = newValue
        }
    }

    /// The centrals with a subscription to notifications or indications.
    open var subscribedCentrals: [CBCentral]? { local.withLock { $0.subscribers } }

    /// False without a change.
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

    /// The value to publish: the value of the first publication.
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
