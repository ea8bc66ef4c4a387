// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import L2CAP

/// Names a credit based channel; never reused.
package struct ChannelID: Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// What happens to credit based channels; each event is for the channel's client alone.
package enum ChannelEvent: Equatable, Sendable {
    case opened(ChannelOpening)
    /// The answer to ``HostMachine/openChannel(spsm:on:id:at:)``.
    case failed(GATTRequestID, ChannelFailure)
    /// An SDU; when it is used up, ``HostMachine/consumed(_:on:at:)`` has to say so.
    case data(ChannelID, [UInt8])
    /// A ``HostMachine/send(_:on:at:)`` that was refused may be tried again.
    case ready(ChannelID)
    case closed(ChannelID, ChannelEnd)

    /// Nil for a channel that never was.
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
    /// Who asked for it, or published it.
    package let client: ClientID
    /// Of the request; nil where the peer opened a published channel.
    package let request: GATTRequestID?
    package let spsm: UInt16
    /// Longest SDU that the peer takes, in octets.
    package let peerMTU: Int
}
