// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Synchronization

/// A remote device.
open class CBPeer: NSObject, NSCopying, @unchecked Sendable {
    // Sound: what changes is behind a Mutex, here and in subclasses.
    private let place: Mutex<DeviceAddress>
    private let fixedIdentifier: UUID

    init(address: DeviceAddress, identifier: UUID) {
        place = Mutex(address)
        fixedIdentifier = identifier
    }

    /// Stands for the device; random, kept for devices that were connected, and not its address.
    open var identifier: UUID { fixedIdentifier }

    /// What the host knows the device by: its identity address, as soon as that is known.
    var peerAddress: DeviceAddress { place.withLock { $0 } }

    /// Nobody can tell who it is: the address will be another one soon.
    package var hasPrivateAddress: Bool { !peerAddress.isIdentity }

    /// It was paired with, and has told who it is.
    func move(to identity: DeviceAddress) { place.withLock { $0 = identity } }

    open func copy(with zone: NSZone? = nil) -> Any { self }
}
