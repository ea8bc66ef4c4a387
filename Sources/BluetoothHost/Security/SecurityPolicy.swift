// SPDX-License-Identifier: Apache-2.0

/// What the host asks of keys and links.
package struct SecurityPolicy: Equatable, Sendable {
    /// Octets that a key must have to be used: 7…16. Core 5.4, Vol 3, Part H, 2.3.4.
    package let minimumKeySize: UInt8
    /// As the Central, links to bonded peers are encrypted before anything else is said on them.
    package var encryptsAtConnection: Bool

    /// A size outside 7…16 is moved to the nearer end.
    package init(minimumKeySize: UInt8 = 16, encryptsAtConnection: Bool = true) {
        self.minimumKeySize = min(max(minimumKeySize, Bond.keySizes.lowerBound), Bond.keySizes.upperBound)
        self.encryptsAtConnection = encryptsAtConnection
    }

    package func allows(_ bond: Bond) -> Bool { bond.keySize >= minimumKeySize }
}

/// What protects a link now. Core 5.4, Vol 3, Part C, 10.2.
package struct LinkSecurity: Equatable, Sendable {
    package var isEncrypted: Bool
    /// The key came of a pairing that was protected against somebody in the middle.
    package var isAuthenticated: Bool
    package var isSecureConnections: Bool
    /// Octets of the key; 0 while the link is plain.
    package var keySize: UInt8
    /// A key for the peer is known, whether it is in use or not.
    package var hasBond: Bool
    package var isAuthorized: Bool

    package init(
        isEncrypted: Bool = false, isAuthenticated: Bool = false, isSecureConnections: Bool = false,
        keySize: UInt8 = 0, hasBond: Bool = false, isAuthorized: Bool = false
    ) {
        self.isEncrypted = isEncrypted
        self.isAuthenticated = isAuthenticated
        self.isSecureConnections = isSecureConnections
        self.keySize = keySize
        self.hasBond = hasBond
        self.isAuthorized = isAuthorized
    }
}
