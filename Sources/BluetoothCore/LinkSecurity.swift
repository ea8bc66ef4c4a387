// SPDX-License-Identifier: Apache-2.0

/// The present protection of a link. Core 5.4, Vol 3, Part C, 10.2.
package struct LinkSecurity: Hashable, Sendable {
    package var isEncrypted: Bool
    /// The key comes from a pairing with protection against a man in the middle.
    package var isAuthenticated: Bool
    package var isSecureConnections: Bool
    /// Octets of the key in use, 0 while not encrypted.
    package var keySize: UInt8
    /// An LTK for the peer exists: the link can be encrypted without a new pairing.
    package var hasBond: Bool
    /// The bond's LTK comes from a pairing with protection against a man in the middle, and with Secure Connections.
    package var bondIsAuthenticated: Bool
    package var bondIsSecureConnections: Bool
    /// A person has authorized this peer.
    package var isAuthorized: Bool

    package init(
        isEncrypted: Bool = false, isAuthenticated: Bool = false, isSecureConnections: Bool = false,
        keySize: UInt8 = 0, hasBond: Bool = false, bondIsAuthenticated: Bool = false,
        bondIsSecureConnections: Bool = false, isAuthorized: Bool = false
    ) {
        self.isEncrypted = isEncrypted
        self.isAuthenticated = isAuthenticated
        self.isSecureConnections = isSecureConnections
        self.keySize = keySize
        self.hasBond = hasBond
        self.bondIsAuthenticated = bondIsAuthenticated
        self.bondIsSecureConnections = bondIsSecureConnections
        self.isAuthorized = isAuthorized
    }

    package static let none = Self()
}
