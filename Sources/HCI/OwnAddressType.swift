// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// What the controller scans and initiates with. Core 5.4, Vol 4, Part E, 7.8.10 and 7.8.12.
package struct OwnAddressType: Hashable, Sendable {
    package let rawValue: UInt8

    package static let `public` = Self(.public)
    package static let random = Self(.random)

    /// One of the controller's two addresses. `isMade`: only towards peers for whom its resolving list has no key of ours;
    /// towards the others it makes private ones.
    package init(_ kind: DeviceAddress.Kind, isMade: Bool = false) { rawValue = kind.rawValue | (isMade ? 2 : 0) }
}
