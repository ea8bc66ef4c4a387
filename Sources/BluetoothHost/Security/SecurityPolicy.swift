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
