// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The security that a published channel requires of a link before it opens.
package struct ChannelRequirement: Equatable, Sendable {
    package var encryption: Bool
    package var authentication: Bool
    package var authorization: Bool
    /// Octets: 7…16.
    package var keySize: Int

    package init(
        encryption: Bool = false, authentication: Bool = false, authorization: Bool = false, keySize: Int = 7
    ) {
        self.encryption = encryption
        self.authentication = authentication
        self.authorization = authorization
        self.keySize = keySize
    }

    package static let none = ChannelRequirement()
    package static let encrypted = ChannelRequirement(encryption: true)

    /// Why the link's security is too low; nil if the security is enough. Without a key the peer has to pair, so the
    /// answer is authentication; with a key the peer only has to encrypt. Core 5.4, Vol 3, Part C, 10.3.1.
    package func refusal(of link: LinkSecurity) -> ConnectionResult? {
        if encryption || authentication, !link.isEncrypted {
            let isMet = link.hasBond && (!authentication || link.bondIsAuthenticated)
            return isMet ? .insufficientEncryption : .insufficientAuthentication
        }
        if authentication, !link.isAuthenticated { return .insufficientAuthentication }
        if encryption || authentication, Int(link.keySize) < keySize { return .encryptionKeySizeTooShort }
        if authorization, !link.isAuthorized { return .insufficientAuthorization }
        return nil
    }
}
