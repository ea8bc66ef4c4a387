// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The peer's identity beyond the address of this link; a value.
struct LinkIdentity: Sendable {
    /// Peer and host have a bond: what either side keeps for the other outlives the link.
    private(set) var isBonded = false
    /// The address that stays with the device, where that is known: what is kept of the peer is kept under it.
    private(set) var address: DeviceAddress?

    init(of peer: DeviceAddress) { address = peer.isIdentity ? peer : nil }

    mutating func knownBefore(isBonded: Bool) { self.isBonded = isBonded }

    /// A bond tells who it is.
    mutating func learned(_ address: DeviceAddress) { (isBonded, self.address) = (true, address) }
}
