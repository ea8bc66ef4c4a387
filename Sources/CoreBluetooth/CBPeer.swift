// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Synchronization

/// A remote device.
open class CBPeer: NSObject, NSCopying, @unchecked Sendable {
    // Sound: a Mutex protects the mutable state, here and in subclasses.
    private let place: Mutex<DeviceAddress>
    private let fixedIdentifier: UUID

    init(address: DeviceAddress, identifier: UUID) {
        place = Mutex(address)
        fixedIdentifier = identifier
    }

    /// Identifies the device: a random UUID, independent of the address, and kept for devices that were connected.
    open var identifier: UUID { fixedIdentifier }

    /// The device's address in the host: the identity address, as soon as the host knows it.
    var peerAddress: DeviceAddress { place.withLock { $0 } }

    /// True while the device's identity is unknown: its private address will change soon.
    package var hasPrivateAddress: Bool { !peerAddress.isIdentity }

    /// Changes the address after a pairing has revealed the identity.
    func move(to identity: DeviceAddress) { place.withLock { $0 = identity } }

    open func copy(with zone: NSZone? = nil) -> Any { self }
}
