// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import HCI

/// Why the host has sent a command. The command's answer names neither link nor advertiser.
enum CommandPurpose: Equatable, Sendable {
    /// The opcode says enough.
    case plain
    /// A command to the advertiser at this place of the roster.
    case advertiser(Int)
    /// Sets another random address of the controller: for the advertiser at a place, or for privacy.
    case randomAddress(DeviceAddress, advertiser: Int?)
    case rssi(LinkID, GATTRequestID)
    case encryption(LinkID)
    case end(LinkID)
    case update(LinkID)
    /// The answer to a peer's wish for parameters.
    case parameterReply(LinkID)
    case linkLayer(LinkID, LinkLayerMachine.Effect)
}
