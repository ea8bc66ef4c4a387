// SPDX-License-Identifier: Apache-2.0

/// Why a channel that we requested did not open.
package enum ChannelFailure: Error, Equatable, Sendable {
    case refused(ConnectionResult)
    /// The peer does not support credit based channels.
    case notSupported
    /// No answer in time.
    case timedOut
    /// The answer is invalid, so no channel opens.
    case badAnswer
    /// The link has reached its limit of channels or of requests.
    case tooManyChannels
    /// The client has gone before the channel opened.
    case abandoned
    case linkLost
}

/// Why an open channel ended.
package enum ChannelEnd: Equatable, Sendable {
    case closedByUs
    case closedByPeer
    case linkLost
    /// The peer broke the rules of the channel.
    case broken(CreditBasedChannelMachine.Fault)
}
