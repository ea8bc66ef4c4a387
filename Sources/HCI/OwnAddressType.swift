// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The address that the controller uses to scan and to initiate. Core 5.4, Vol 4, Part E, 7.8.10 and 7.8.12.
package struct OwnAddressType: Hashable, Sendable {
    package let rawValue: UInt8

    package static let `public` = Self(.public)
    package static let random = Self(.random)

    /// One of the controller's two addresses. `isMade`: the controller makes private addresses for peers for which its
    /// resolving list has a key of ours, and uses this address for all other peers.
    package init(_ kind: DeviceAddress.Kind, isMade: Bool = false) { rawValue = kind.rawValue | (isMade ? 2 : 0) }
}
