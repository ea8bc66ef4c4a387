// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// The requirements of an attribute on a link for one operation (read, write, notify).
package struct AttributeAccess: Hashable, Sendable {
    package enum Level: UInt8, Comparable, Sendable {
        case none
        /// Encrypted, with or without protection against a man in the middle. LE security mode 1 level 2.
        case encrypted
        /// Encrypted with an authenticated key. Level 3.
        case authenticated
        /// Encrypted with an authenticated key of LE Secure Connections. Level 4.
        case secureConnections

        package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    package let isAllowed: Bool
    package let level: Level
    /// Octets, 7…16; of no meaning where `level` is none.
    package let minimumKeySize: UInt8
    /// The user has to agree to this peer first.
    package let needsAuthorization: Bool

    /// `minimumKeySize` is clamped to 7…16; nil: 7 without a level, 16 with one.
    package init(
        isAllowed: Bool = true, level: Level = .none, minimumKeySize: UInt8? = nil, needsAuthorization: Bool = false
    ) {
        self.isAllowed = isAllowed
        self.level = level
        self.minimumKeySize = min(16, max(7, minimumKeySize ?? (level == .none ? 7 : 16)))
        self.needsAuthorization = needsAuthorization
    }

    package static let open = Self()
    package static let denied = Self(isAllowed: false)
    package static let encrypted = Self(level: .encrypted)
    package static let authenticated = Self(level: .authenticated)

    /// Why a link of this security is refused; nil if it is not. Core 5.4, Vol 3, Part C, 10.3.1; Part F, 4. The check
    /// leaves `isAllowed` out: its error depends on the operation.
    package func refusal(of security: LinkSecurity) -> ATTErrorCode? {
        if level != .none {
            guard security.isEncrypted else {
                return isMet(byBondOf: security) ? .insufficientEncryption : .insufficientAuthentication
            }
            if level >= .authenticated, !security.isAuthenticated { return .insufficientAuthentication }
            if level == .secureConnections, !security.isSecureConnections { return .insufficientAuthentication }
            if security.keySize < minimumKeySize { return .encryptionKeySizeTooShort }
        }
        return needsAuthorization && !security.isAuthorized ? .insufficientAuthorization : nil
    }

    /// True if the present key is strong enough, so that encryption suffices. With a weaker key the client has to pair
    /// again, and Insufficient Authentication makes it do so. After Insufficient Encryption some clients pair without
    /// any check of the other device.
    private func isMet(byBondOf security: LinkSecurity) -> Bool {
        switch level {
        case .none, .encrypted: security.hasBond
        case .authenticated: security.hasBond && security.bondIsAuthenticated
        case .secureConnections:
            security.hasBond && security.bondIsAuthenticated && security.bondIsSecureConnections
        }
    }
}
