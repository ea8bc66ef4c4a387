// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A command on the LE signalling channel. Core 5.4, Vol 3, Part A, 4.
///
/// The enhanced credit based commands (0x17…0x1A) are not among them. A peer that sends an enhanced command is told
/// that the command is not understood, and falls back to the commands here, as 4.1 demands.
package enum SignallingPDU: Equatable, Sendable {
    case commandReject(identifier: UInt8, reason: CommandRejectReason, data: [UInt8])
    case disconnectionRequest(identifier: UInt8, destination: ChannelIdentifier, source: ChannelIdentifier)
    case disconnectionResponse(identifier: UInt8, destination: ChannelIdentifier, source: ChannelIdentifier)
    case parameterUpdateRequest(identifier: UInt8, ParameterUpdate)
    case parameterUpdateResponse(identifier: UInt8, accepted: Bool)
    case creditBasedConnectionRequest(identifier: UInt8, spsm: UInt16, ChannelOffer)
    case creditBasedConnectionResponse(identifier: UInt8, ChannelOffer, result: ConnectionResult)
    /// `channel`: the sender's end.
    case flowControlCredit(identifier: UInt8, channel: ChannelIdentifier, credits: UInt16)
    case unknown(code: UInt8, identifier: UInt8, data: [UInt8])

    /// Longest command that every LE device takes, and the longest that we take, in octets. 4.
    package static let maximumLength = 23

    /// Connection Parameter Update Request, 4.20; values as the peer sent them.
    package struct ParameterUpdate: Equatable, Sendable {
        package let minimumInterval: UInt16
        package let maximumInterval: UInt16
        package let latency: UInt16
        package let timeout: UInt16

        package init(minimumInterval: UInt16, maximumInterval: UInt16, latency: UInt16, timeout: UInt16) {
            self.minimumInterval = minimumInterval
            self.maximumInterval = maximumInterval
            self.latency = latency
            self.timeout = timeout
        }

        package init(_ parameters: ConnectionParameters) {
            self.init(
                minimumInterval: parameters.minimumInterval.units, maximumInterval: parameters.maximumInterval.units,
                latency: parameters.latency.events, timeout: parameters.timeout.units)
        }
    }

    /// 4.1.
    package enum CommandRejectReason: UInt16, Sendable {
        case notUnderstood = 0
        case mtuExceeded = 1
        case invalidChannel = 2
    }

    /// Whether a command with this code is an answer: the machine must never answer an answer.
    package static func isResponse(_ code: UInt8) -> Bool {
        switch code {
        case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x15, 0x18, 0x1A: true
        default: false
        }
    }
}
