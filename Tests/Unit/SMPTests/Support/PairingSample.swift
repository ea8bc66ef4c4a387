// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP

/// Values for the tests' pairings.
enum PairingSample {
    static let initiator = DeviceAddress(kind: .public, value: 0x00A0_C91D_3301)
    static let responder = DeviceAddress(kind: .random, value: 0xF1A0_C91D_3305)

    /// Key pairs are slow to make: each role has one here.
    static let initiatorPair = KeyPair()
    static let responderPair = KeyPair()

    /// The debug key pair printed in the specification.
    static let debugPair = keyPair("3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd")

    static func keyPair(_ privateKey: String) -> KeyPair {
        guard let pair = KeyPair(privateKey: octets(privateKey)) else { preconditionFailure("\(privateKey) is no key") }
        return pair
    }

    /// The octets of a test's own text.
    static func octets(_ text: String) -> [UInt8] {
        guard let octets = [UInt8](hexadecimal: text.filter { $0 != " " && $0 != "\n" }) else {
            preconditionFailure("\(text) is not hexadecimal")
        }
        return octets
    }

    static func key(_ text: String) -> SecretKey {
        guard let key = SecretKey(octets(text)) else { preconditionFailure("\(text) is no key") }
        return key
    }

    /// `nonces`: most significant octet first; the rest is made of `seed`.
    static func secrets(
        _ pair: KeyPair, seed: UInt8, nonces: [[UInt8]] = [], passkey: UInt32? = nil
    ) -> PairingSecrets {
        var octets = (0..<PairingSecrets.octetCount).map {
            UInt8(truncatingIfNeeded: $0 &* 7 &+ Int(seed) &* 31) ^ seed
        }
        for (round, nonce) in nonces.enumerated() {
            octets.replaceSubrange((16 * round)..<(16 * round + 16), with: nonce)
        }
        if let passkey {
            let number = (0..<8).map { UInt8(truncatingIfNeeded: UInt64(passkey) >> (56 - 8 * UInt64($0))) }
            octets.replaceSubrange(320..<328, with: number)
        }
        guard let secrets = PairingSecrets(keyPair: pair, octets: octets) else { preconditionFailure("too few octets") }
        return secrets
    }

    static func settings(_ role: LinkRole, _ change: (inout PairingSettings) -> Void = { _ in }) -> PairingSettings {
        let isInitiator = role == .central
        var settings = PairingSettings(
            identity: isInitiator ? initiator : DeviceAddress(kind: .random, value: 0xC0FF_EE00_0002),
            identityKey: key(String(repeating: isInitiator ? "1a" : "2b", count: 16)))
        change(&settings)
        return settings
    }

    static func machine(
        _ role: LinkRole, secrets: PairingSecrets? = nil, _ change: (inout PairingSettings) -> Void = { _ in }
    ) -> PairingMachine {
        let own = role == .central ? Self.secrets(initiatorPair, seed: 3) : Self.secrets(responderPair, seed: 5)
        return PairingMachine(
            role: role, initiator: initiator, responder: responder, settings: settings(role, change),
            secrets: secrets ?? own)
    }

    /// A device's out-of-band data for its key pair.
    static func outOfBand(_ pair: KeyPair, random: [UInt8]) -> OutOfBandData {
        let x = pair.publicKey.x
        return OutOfBandData(confirm: Cryptography.f4(u: x, v: x, x: random, z: 0), random: random)
    }
}
