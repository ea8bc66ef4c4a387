// SPDX-License-Identifier: Apache-2.0

import SMP
import BluetoothCore
import BluetoothHost
import GATT
import HCI
import VirtualRadio

/// Bonds, and encryption with their keys, from both testers' side.
extension Bench {
    static let key = secret(0xA1)
    /// The numbers of the key in ``legacyKeys``, as on the air: Rand, then EDIV.
    static let legacyNumbers = hex("08 07 06 05 04 03 02 01 34 12")
    static let noNumbers = [UInt8](repeating: 0, count: 10)

    static func secret(_ octet: UInt8) -> SecretKey {
        SecretKey([UInt8](repeating: octet, count: 16)) ?? .zero
    }

    /// Keys of LE legacy pairing, with one key for both roles.
    static var legacyKeys: LongTermKeys {
        let key = LegacyKey(key: key, ediv: 0x1234, rand: 0x0102_0304_0506_0708)
        return .legacy(peerDistributed: key, localDistributed: key)
    }

    /// Our host has a bond with the tester, as if they had paired.
    func storeBond(
        _ keys: LongTermKeys = .secureConnections(key), keySize: UInt8 = 16, identityKey: SecretKey? = nil,
        isAuthenticated: Bool = false, with identity: DeviceAddress = RawPeer.publicAddress
    ) throws {
        let bond = Bond(
            identity: identity, keys: keys, keySize: keySize, identityKey: identityKey,
            isAuthenticated: isAuthenticated)
        guard let bond, host.store(bond) else { throw ScriptFailure("the bond was not taken") }
        _ = host.takeBondChanges()
    }

    /// Our host still has the stored bond, and no other bond.
    func keepsBond(_ keys: LongTermKeys = .secureConnections(key)) throws {
        try require(host.bond(for: RawPeer.publicAddress)?.keys == keys, "the bond is another one now")
        try require(host.takeBondChanges().isEmpty, "the bonds have changed")
    }

    // MARK: The tester as Peripheral

    /// The tester's controller asks its host for the key that our host has named by these numbers.
    func keyIsWanted(_ numbers: [UInt8] = noNumbers) throws {
        let event = try expects(event: .longTermKeyRequest)
        try require(Array(event[2...]) == numbers, "the key's numbers are \(text(event[2...]))")
    }

    func givesKey(_ key: SecretKey = key) throws {
        try peer.order(.leLongTermKeyRequestReply, little(try peer.link) + key.littleEndian)
    }

    /// The tester has lost its bond.
    func hasNoKey() throws { try peer.order(.leLongTermKeyRequestNegativeReply, little(try peer.link)) }

    // MARK: The tester as Central

    /// The tester asks for encryption. Returns the status from its controller.
    func encrypts(_ numbers: [UInt8] = noNumbers, with key: SecretKey = key) throws -> UInt8 {
        try peer.order(.leEnableEncryption, little(try peer.link) + numbers + key.littleEndian)
        return try expects(event: HCIEventCode.encryptionChange)[0]
    }

    // MARK: The upper tester

    func toldEncrypted() throws -> LinkSecurity {
        try wait(for: "encryption") { if case .encryptionChanged(_, let security) = $0 { security } else { nil } }
    }

    func toldEncryptionFailed(_ expected: HCIStatus) throws {
        let seen = try wait(for: "failed encryption") {
            if case .encryptionFailed(_, let status) = $0 { status } else { nil }
        }
        try require(seen == expected, "expected \(expected); the client was told \(seen)")
    }

    /// The number of data PDUs that our host has sent in the clear.
    var plainPDUs: Int { air.dataTally(of: controller).plain }

    /// Our host has neither asked for pairing nor for security.
    func didNotPair() throws {
        try require(peer.frames[Self.securityManager]?.isEmpty != false, "the host began to pair")
    }

    /// A Central's link to the tester, which our host does not encrypt by itself.
    func connectPlainly() throws {
        host.policy.encryptsAtConnection = false
        try connect()
    }

    /// Our host becomes the Peripheral of a link to a bonded tester, which its client has wanted. The client gets the
    /// link only after encryption, because any device may use the tester's address. If our host would use the tester's
    /// key, the tester is asked for encryption.
    func acceptWanted(asksForSecurity: Bool = true) throws {
        try acceptUnproven()
        if asksForSecurity { _ = try takeSecurityRequest() }
        try expectsNothing()
    }

    /// The link is proven, and the client has the link: our host is client and server of the tester.
    func becomeClient() throws {
        try expects(att: "02 ?? ??")
        try send(att: "03 17 00")
        try wait(for: "the MTU") { if case .mtuExchanged = $0 { true } else { nil } }
    }
}
