// SPDX-License-Identifier: Apache-2.0

/// The values that one side gives for its end of a credit based channel, as received. Core 5.4, Vol 3, Part A, 4.22 and
/// 4.23.
package struct ChannelOffer: Equatable, Sendable {
    /// The sender's own end: Source CID of a request, Destination CID of a response.
    package let channel: ChannelIdentifier
    /// Longest SDU that the side takes, in octets; at least 23.
    package let mtu: UInt16
    /// Longest frame payload that the side takes, in octets, the SDU length field included: 23…65533.
    package let mps: UInt16
    /// Frames that the other side may send at once.
    package let credits: UInt16

    package init(channel: ChannelIdentifier, mtu: UInt16, mps: UInt16, credits: UInt16) {
        self.channel = channel
        self.mtu = mtu
        self.mps = mps
        self.credits = credits
    }

    /// Sizes outside these ranges are refused as unacceptable.
    package var hasValidSizes: Bool { mtu >= 23 && (23...65533).contains(mps) }
}

/// The answer to a request for a credit based channel. Core 5.4, Vol 3, Part A, table 4.19.
package struct ConnectionResult: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let success = Self(rawValue: 0x0000)
    package static let spsmNotSupported = Self(rawValue: 0x0002)
    package static let noResources = Self(rawValue: 0x0004)
    package static let insufficientAuthentication = Self(rawValue: 0x0005)
    package static let insufficientAuthorization = Self(rawValue: 0x0006)
    package static let encryptionKeySizeTooShort = Self(rawValue: 0x0007)
    package static let insufficientEncryption = Self(rawValue: 0x0008)
    package static let invalidSourceCID = Self(rawValue: 0x0009)
    package static let sourceCIDAlreadyAllocated = Self(rawValue: 0x000A)
    package static let unacceptableParameters = Self(rawValue: 0x000B)
}
