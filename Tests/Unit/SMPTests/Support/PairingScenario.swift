// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP
import Testing

/// A pairing that succeeds, by its model.
enum PairingScenario: String, CaseIterable, CustomTestStringConvertible {
    case justWorks, numericComparison, passkeyDisplayed, passkeyEntered, outOfBand
    case legacyJustWorks, legacyPasskeyDisplayed, legacyPasskeyEntered, legacyOutOfBand

    var testDescription: String { rawValue }
    var isLegacy: Bool { rawValue.hasPrefix("legacy") }

    var model: AssociationModel {
        switch self {
        case .justWorks, .legacyJustWorks: .justWorks
        case .numericComparison: .numericComparison
        case .outOfBand, .legacyOutOfBand: .outOfBand
        default: .passkeyEntry
        }
    }

    func configure(_ settings: inout PairingSettings, _ role: LinkRole) {
        settings.allowsLegacy = isLegacy
        settings.offersSecureConnections = !isLegacy
        settings.requiresAuthentication = model != .justWorks
        switch self {
        case .justWorks, .legacyJustWorks: break
        case .numericComparison: settings.ioCapability = .displayYesNo
        // By the initiator, and on the initiator.
        case .passkeyDisplayed, .legacyPasskeyDisplayed:
            settings.ioCapability = role == .central ? .displayOnly : .keyboardOnly
        case .passkeyEntered, .legacyPasskeyEntered:
            settings.ioCapability = role == .central ? .keyboardOnly : .displayOnly
        case .outOfBand: settings.exchangeOutOfBand(role)
        case .legacyOutOfBand:
            settings.peerOutOfBand = OutOfBandData(temporaryKey: PairingSample.key(String(repeating: "5c", count: 16)))
        }
    }

    func machine(_ role: LinkRole, _ change: (inout PairingSettings) -> Void = { _ in }) -> PairingMachine {
        PairingSample.machine(role) {
            configure(&$0, role)
            change(&$0)
        }
    }

    var loop: PairingLoop { PairingLoop(initiator: machine(.central), responder: machine(.peripheral)) }

    /// The machine just before its first PDU with this code.
    func machine(_ role: LinkRole, waitingFor code: UInt8) throws -> PairingMachine {
        var loop = loop
        loop.run()
        let place = try #require(loop.arrivals.firstIndex { $0.to == role && $0.octets[0] == code })
        return try #require(loop.moments.last { $0.arrived == place }?.machines[role])
    }
}

extension PairingSettings {
    private static func random(_ role: LinkRole) -> [UInt8] {
        [UInt8](repeating: role == .central ? 0x11 : 0x22, count: 16)
    }

    private static func pair(_ role: LinkRole) -> KeyPair {
        role == .central ? PairingSample.initiatorPair : PairingSample.responderPair
    }

    /// Both devices have exchanged their out-of-band data.
    mutating func exchangeOutOfBand(_ role: LinkRole) {
        peerOutOfBand = PairingSample.outOfBand(Self.pair(role.other), random: Self.random(role.other))
        tellOutOfBand(role)
    }

    /// Only the peer was told.
    mutating func tellOutOfBand(_ role: LinkRole) {
        localOutOfBand = LocalOutOfBandData(keyPair: Self.pair(role), random: Self.random(role))
    }
}

extension LinkRole {
    var other: LinkRole { self == .central ? .peripheral : .central }
}
