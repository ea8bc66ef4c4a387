// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation

/// A remote device.
open class CBPeer: NSObject, NSCopying, @unchecked Sendable {
    // Sound: immutable here; subclasses keep what changes behind a Mutex.
    let peerAddress: DeviceAddress

    /// Stands for the device; random, kept for devices that were connected, and not its address.
    public let identifier: UUID

    init(address: DeviceAddress, identifier: UUID) {
        peerAddress = address
        self.identifier = identifier
    }

    public func copy(with zone: NSZone? = nil) -> Any { self }
}
