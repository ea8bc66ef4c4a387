// SPDX-License-Identifier: Apache-2.0

/// A channel of an LE link. Core 5.4, Vol 3, Part A, 2.1.
package struct ChannelIdentifier: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let attributeProtocol = Self(rawValue: 0x0004)
    package static let leSignalling = Self(rawValue: 0x0005)
    package static let securityManager = Self(rawValue: 0x0006)

    /// Channels that are opened by request; each side numbers its own ends.
    package static let dynamicRange: ClosedRange<UInt16> = 0x0040...0x007F

    package var isDynamic: Bool { Self.dynamicRange.contains(rawValue) }
}
