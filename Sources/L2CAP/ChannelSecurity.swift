// SPDX-License-Identifier: Apache-2.0

/// How safe a link is at this moment.
package struct LinkSecurity: Equatable, Sendable {
    package var isEncrypted: Bool
    /// The key was made by a pairing that rules out somebody in the middle.
    package var isAuthenticated: Bool
    /// The user has allowed this peer.
    package var isAuthorized: Bool
    /// Octets of the encryption key: 7…16; 0 without encryption.
    package var keySize: Int
    /// There is a key for this peer, so that the link could be encrypted without pairing.
    package var hasBond: Bool

    package init(
        isEncrypted: Bool, isAuthenticated: Bool = false, isAuthorized: Bool = false, keySize: Int = 0,
        hasBond: Bool = false
    ) {
        self.isEncrypted = isEncrypted
        self.isAuthenticated = isAuthenticated
        self.isAuthorized = isAuthorized
        self.keySize = keySize
        self.hasBond = hasBond
    }

    package static let none = LinkSecurity(isEncrypted: false)
}

/// What a published channel asks of a link before it opens.
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

    /// Why a link does not do; nil when it does. Without any key the peer has to pair, so the answer is authentication;
    /// with one it only has to encrypt. Core 5.4, Vol 3, Part C, 10.3.1.
    package func refusal(of link: LinkSecurity) -> ConnectionResult? {
        if encryption || authentication, !link.isEncrypted {
            return link.hasBond ? .insufficientEncryption : .insufficientAuthentication
        }
        if authentication, !link.isAuthenticated { return .insufficientAuthentication }
        if encryption || authentication, link.keySize < keySize { return .encryptionKeySizeTooShort }
        if authorization, !link.isAuthorized { return .insufficientAuthorization }
        return nil
    }
}
