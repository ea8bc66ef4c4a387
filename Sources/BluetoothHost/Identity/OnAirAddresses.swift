// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The addresses of both sides on the air when a link was made. The Security Manager's functions take these addresses,
/// not the identity addresses. Core 5.4, Vol 3, Part H, 2.2.3, 2.2.7 and 2.2.8.
package struct OnAirAddresses: Equatable, Sendable {
    package var local: DeviceAddress
    package let peer: DeviceAddress

    package init(local: DeviceAddress, peer: DeviceAddress) {
        self.local = local
        self.peer = peer
    }
}
