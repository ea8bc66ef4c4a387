// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import HCI

/// Why the host has sent a command: what to do with the answer, which names neither link nor advertiser.
enum CommandPurpose: Equatable, Sendable {
    /// Its opcode says enough.
    case plain
    /// Of the advertiser at this place of the roster.
    case advertiser(Int)
    /// Another random address for the controller, which an advertiser needs, by its place, or privacy.
    case randomAddress(DeviceAddress, advertiser: Int?)
    case rssi(LinkID, GATTRequestID)
    case encryption(LinkID)
    case end(LinkID)
    case update(LinkID)
    /// The answer to a peer's wish for parameters.
    case parameterReply(LinkID)
    case linkLayer(LinkID, LinkLayerMachine.Effect)
}
