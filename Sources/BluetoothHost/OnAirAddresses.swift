// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The addresses that a link was made with, as both sides had them on the air: the Security Manager's functions take
/// these, not those of the identities. Core 5.4, Vol 3, Part H, 2.2.3, 2.2.7 and 2.2.8.
package struct OnAirAddresses: Equatable, Sendable {
    package var local: DeviceAddress
    package let peer: DeviceAddress

    package init(local: DeviceAddress, peer: DeviceAddress) {
        self.local = local
        self.peer = peer
    }
}
