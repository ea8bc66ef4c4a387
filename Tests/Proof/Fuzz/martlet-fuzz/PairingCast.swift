// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP

/// A way to pair that succeeds when it is undisturbed.
enum PairingScene: CaseIterable {
    case justWorks, numericComparison, passkeyDisplayed, passkeyEntered, outOfBand
    case legacyJustWorks, legacyPasskeyDisplayed, legacyPasskeyEntered, legacyOutOfBand

    var isLegacy: Bool {
        switch self {
        case .legacyJustWorks, .legacyPasskeyDisplayed, .legacyPasskeyEntered, .legacyOutOfBand: true
        default: false
        }
    }

    var model: AssociationModel {
        switch self {
        case .justWorks, .legacyJustWorks: .justWorks
        case .numericComparison: .numericComparison
        case .outOfBand, .legacyOutOfBand: .outOfBand
        default: .passkeyEntry
        }
    }

    /// Both machines before the first PDU.
    static let cast: [(scene: PairingScene, central: PairingMachine, peripheral: PairingMachine)] =
        allCases.map { ($0, $0.machine(.central), $0.machine(.peripheral)) }

    private static let initiator = DeviceAddress(kind: .public, value: 0x00A0_C91D_3301)
    private static let responder = DeviceAddress(kind: .random, value: 0xF1A0_C91D_3305)
    private static let pairs: [LinkRole: KeyPair] = [.central: pair(3), .peripheral: pair(5)]

    /// A fixed key pair, so that a finding is reproducible.
    private static func pair(_ octet: UInt8) -> KeyPair {
        guard let pair = KeyPair(privateKey: [UInt8](repeating: octet, count: 32)) else { fatalError("no key pair") }
        return pair
    }

    private static let allSecrets: [PairingSecrets] = (1...16).map { (own: UInt8) in
        let octets = (0..<PairingSecrets.octetCount).map { UInt8(truncatingIfNeeded: $0 &* 7) ^ own &* 31 }
        guard let secrets = PairingSecrets(keyPair: pair(own), octets: octets) else { fatalError("no secrets") }
        return secrets
    }

    /// `own`: 1…16, whose they are.
    static func secrets(_ own: UInt8) -> PairingSecrets { allSecrets[Int(own) - 1] }

    private func machine(_ role: LinkRole) -> PairingMachine {
        PairingMachine(
            role: role, initiator: Self.initiator, responder: Self.responder, settings: settings(role),
            secrets: Self.secrets(role == .central ? 3 : 5))
    }

    private func settings(_ role: LinkRole) -> PairingSettings {
        var settings = PairingSettings(
            identity: role == .central ? Self.initiator : DeviceAddress(kind: .random, value: 0xC0FF_EE00_0002),
            identityKey: SecretKey([UInt8](repeating: role == .central ? 0x1A : 0x2B, count: 16)))
        settings.allowsLegacy = isLegacy
        settings.offersSecureConnections = !isLegacy
        settings.requiresAuthentication = model != .justWorks
        switch self {
        case .justWorks, .legacyJustWorks: break
        case .numericComparison: settings.ioCapability = .displayYesNo
        case .passkeyDisplayed, .legacyPasskeyDisplayed:
            settings.ioCapability = role == .central ? .displayOnly : .keyboardOnly
        case .passkeyEntered, .legacyPasskeyEntered:
            settings.ioCapability = role == .central ? .keyboardOnly : .displayOnly
        case .outOfBand:
            guard let own = Self.pairs[role], let peer = Self.pairs[role == .central ? .peripheral : .central] else {
                break
            }
            let (ours, theirs) = (Self.random(role), Self.random(role == .central ? .peripheral : .central))
            settings.localOutOfBand = LocalOutOfBandData(keyPair: own, random: ours)
            let x = peer.publicKey.x
            settings.peerOutOfBand = OutOfBandData(
                confirm: Cryptography.f4(u: x, v: x, x: theirs, z: 0), random: theirs)
        case .legacyOutOfBand:
            settings.peerOutOfBand = OutOfBandData(temporaryKey: SecretKey([UInt8](repeating: 0x5C, count: 16)))
        }
        return settings
    }

    private static func random(_ role: LinkRole) -> [UInt8] {
        [UInt8](repeating: role == .central ? 0x11 : 0x22, count: 16)
    }
}
