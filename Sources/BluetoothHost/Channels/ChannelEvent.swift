// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import L2CAP

/// Names a credit based channel; never reused.
package struct ChannelID: Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// Events of credit based channels. Each event goes to the channel's client alone.
package enum ChannelEvent: Equatable, Sendable {
    case opened(ChannelOpening)
    /// The answer to ``HostMachine/openChannel(spsm:on:id:at:)``.
    case failed(GATTRequestID, ChannelFailure)
    /// An SDU. The client reports its use with ``HostMachine/consumed(_:on:at:)``.
    case data(ChannelID, [UInt8])
    /// A refused ``HostMachine/send(_:on:at:)`` may be tried again.
    case ready(ChannelID)
    case closed(ChannelID, ChannelEnd)

    /// Nil for a channel that never opened.
    package var channel: ChannelID? {
        switch self {
        case .opened(let opening): opening.channel
        case .failed: nil
        case .data(let channel, _), .ready(let channel), .closed(let channel, _): channel
        }
    }
}

package struct ChannelOpening: Equatable, Sendable {
    package let channel: ChannelID
    package let link: LinkID
    package let peer: DeviceAddress
    /// The client that asked for the channel or published it.
    package let client: ClientID
    /// The request's identifier; nil if the peer opened a published channel.
    package let request: GATTRequestID?
    package let spsm: UInt16
    /// Longest SDU that the peer accepts, in octets.
    package let peerMTU: Int
}
