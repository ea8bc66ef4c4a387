// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP

/// Facts about a peer since its pairing: its identity, and the keys that the peer and we share. Core 5.4, Vol 3, Part
/// H, 2.4.
package struct Bond: Equatable, Sendable {
    /// Possible key sizes, in octets. Core 5.4, Vol 3, Part H, 2.3.4.
    package static let keySizes: ClosedRange<UInt8> = 7...16

    /// The peer's identity address: public or static random.
    package let identity: DeviceAddress
    /// The peer's Identity Resolving Key; nil if the peer uses no private addresses.
    package var identityKey: SecretKey?
    package var keys: LongTermKeys
    /// Octets of the keys that are not zero: 7…16.
    package var keySize: UInt8
    /// The pairing was protected against a man in the middle.
    package var isAuthenticated: Bool
    /// A user has given the peer access to services that need authorization.
    package var isAuthorized: Bool
    /// The peer was the Central when the bond was made: it had connected to us, as phones do.
    package var isOfCentral: Bool
    /// The GATT server's state of this client, in the server's encoding.
    package var clientState: [UInt8]

    /// Nil unless `identity` is an identity address and the key size is in range.
    package init?(
        identity: DeviceAddress, keys: LongTermKeys, keySize: UInt8 = 16, identityKey: SecretKey? = nil,
        isAuthenticated: Bool = false, isAuthorized: Bool = false, isOfCentral: Bool = false,
        clientState: [UInt8] = []
    ) {
        guard identity.isIdentity, Self.keySizes.contains(keySize) else { return nil }
        self.identity = identity
        self.keys = keys
        self.keySize = keySize
        // A key of zeros stands for a device without private addresses. As a key, it would resolve foreign addresses.
        self.identityKey = identityKey == .zero ? nil : identityKey
        self.isAuthenticated = isAuthenticated
        self.isAuthorized = isAuthorized
        self.isOfCentral = isOfCentral
        self.clientState = clientState
    }

    package var isSecureConnections: Bool {
        if case .secureConnections = keys { true } else { false }
    }

    /// The protection of a link encrypted with the key.
    package var security: LinkSecurity {
        LinkSecurity(
            isEncrypted: true, isAuthenticated: isAuthenticated, isSecureConnections: isSecureConnections,
            keySize: keySize)
    }

    /// The key with which we, as the Central, ask for encryption. The numbers are zero with Secure Connections.
    package var centralKey: LegacyKey? {
        switch keys {
        case .secureConnections(let key): LegacyKey(key: key, ediv: 0, rand: 0)
        case .legacy(let peerDistributed, _): peerDistributed
        }
    }

    /// The key named by a Central's request, for us as the Peripheral.
    package func peripheralKey(ediv: UInt16, rand: UInt64) -> SecretKey? { keys.peripheralKey(ediv: ediv, rand: rand) }
}

extension LongTermKeys {
    /// The key named by a Central's request, for us as the Peripheral.
    func peripheralKey(ediv: UInt16, rand: UInt64) -> SecretKey? {
        let known: LegacyKey? =
            switch self {
            case .secureConnections(let key): LegacyKey(key: key, ediv: 0, rand: 0)
            case .legacy(_, let localDistributed): localDistributed
            }
        guard let known, known.ediv == ediv, known.rand == rand else { return nil }
        return known.key
    }
}

extension Bond: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String {
        "bond with \(identity): \(isSecureConnections ? "Secure Connections" : "legacy"), "
            + "\(isAuthenticated ? "authenticated" : "unauthenticated"), \(keySize) octets"
    }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Bond: Codable {
    private enum CodingKeys: String, CodingKey {
        case version, address, isRandom, identityKey, keys, keySize, isAuthenticated, isAuthorized, isOfCentral
        case clientState
    }

    private static let version = 1

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard try container.decode(Int.self, forKey: .version) == Self.version else {
            throw DecodingError.dataCorruptedError(
                forKey: .version, in: container, debugDescription: "the version is not \(Self.version)")
        }
        let kind: DeviceAddress.Kind = try container.decode(Bool.self, forKey: .isRandom) ? .random : .public
        let clientState = try container.decode(String.self, forKey: .clientState)
        guard let identity = DeviceAddress(try container.decode(String.self, forKey: .address), kind: kind),
            let octets = [UInt8](hexadecimal: clientState),
            let bond = Bond(
                identity: identity, keys: try container.decode(LongTermKeys.self, forKey: .keys),
                keySize: try container.decode(UInt8.self, forKey: .keySize),
                identityKey: try container.decodeIfPresent(SecretKey.self, forKey: .identityKey),
                isAuthenticated: try container.decode(Bool.self, forKey: .isAuthenticated),
                isAuthorized: try container.decode(Bool.self, forKey: .isAuthorized),
                isOfCentral: try container.decodeIfPresent(Bool.self, forKey: .isOfCentral) ?? false,
                clientState: octets)
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .address, in: container, debugDescription: "the address, key size or client state is none")
        }
        self = bond
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.version, forKey: .version)
        try container.encode(identity.description, forKey: .address)
        try container.encode(identity.kind == .random, forKey: .isRandom)
        try container.encodeIfPresent(identityKey, forKey: .identityKey)
        try container.encode(keys, forKey: .keys)
        try container.encode(keySize, forKey: .keySize)
        try container.encode(isAuthenticated, forKey: .isAuthenticated)
        try container.encode(isAuthorized, forKey: .isAuthorized)
        // A false value is not written: earlier versions do not know the field, and still read these bonds.
        if isOfCentral { try container.encode(true, forKey: .isOfCentral) }
        try container.encode(clientState.hexadecimal, forKey: .clientState)
    }
}
