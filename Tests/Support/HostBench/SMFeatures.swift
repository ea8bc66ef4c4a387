// SPDX-License-Identifier: Apache-2.0

import SMP

/// A device's features in a Pairing Request or a Pairing Response. Core 5.4, Vol 3, Part H, 3.5.1.
struct SMFeatures: Equatable, CustomStringConvertible {
    static let bonding: UInt8 = 0x01
    static let mitm: UInt8 = 0x04
    static let secureConnections: UInt8 = 0x08
    static let keypress: UInt8 = 0x10
    static let crossTransport: UInt8 = 0x20
    /// Bits 6 and 7, reserved for future use.
    static let reserved: UInt8 = 0xC0

    static let encryptionKey: UInt8 = 0x01
    static let identityKey: UInt8 = 0x02
    static let signingKey: UInt8 = 0x04
    static let linkKey: UInt8 = 0x08

    var io = IOCapability.noInputNoOutput
    var hasOutOfBand = false
    var authReq = bonding | secureConnections
    var keySize: UInt8 = 16
    var initiatorKeys: UInt8 = 0
    var responderKeys: UInt8 = 0

    init(_ io: IOCapability = .noInputNoOutput, mitm: Bool = false, isSecure: Bool = true, isBonding: Bool = true) {
        self.io = io
        authReq = (mitm ? Self.mitm : 0) | (isSecure ? Self.secureConnections : 0) | (isBonding ? Self.bonding : 0)
    }

    /// Reads the parameters of a command.
    init(parameters: ArraySlice<UInt8>) throws {
        let octets = Array(parameters)
        guard octets.count == 6, let io = IOCapability(rawValue: octets[0]), octets[1] <= 1 else {
            throw ScriptFailure("no features: \(text(octets))")
        }
        self.io = io
        hasOutOfBand = octets[1] == 1
        authReq = octets[2]
        keySize = octets[3]
        initiatorKeys = octets[4]
        responderKeys = octets[5]
    }

    var parameters: [UInt8] {
        [io.rawValue, hasOutOfBand ? 1 : 0, authReq, keySize, initiatorKeys, responderKeys]
    }

    /// The part that f6 protects: AuthReq, OOB data flag, IO capability.
    var protected: [UInt8] { [authReq, hasOutOfBand ? 1 : 0, io.rawValue] }

    var wantsAuthentication: Bool { authReq & Self.mitm != 0 }
    var isSecure: Bool { authReq & Self.secureConnections != 0 }
    var isBonding: Bool { authReq & 0x03 == Self.bonding }

    var description: String { text(parameters) }
}

/// The tester's expectation of the association model: its own reading of Core 5.4, Vol 3, Part H, 2.3.5.1.
struct SMModel: Equatable {
    let association: AssociationModel
    /// For Passkey Entry: the side that shows the passkey. If neither side shows it, both enter it.
    let initiatorDisplays: Bool
    let responderDisplays: Bool

    init(initiator: SMFeatures, responder: SMFeatures) {
        let isSecure = initiator.isSecure && responder.isSecure
        let outOfBand = [initiator.hasOutOfBand, responder.hasOutOfBand]
        if isSecure ? outOfBand.contains(true) : !outOfBand.contains(false) {
            self.init(.outOfBand)
        } else if initiator.wantsAuthentication || responder.wantsAuthentication {
            self.init(initiator.io, responder.io, isSecure: isSecure)
        } else {
            self.init(.justWorks)
        }
    }

    /// Table 2.8.
    init(_ initiator: IOCapability, _ responder: IOCapability, isSecure: Bool) {
        switch (initiator, responder) {
        case (.noInputNoOutput, _), (_, .noInputNoOutput), (.displayOnly, .displayOnly), (.displayOnly, .displayYesNo),
            (.displayYesNo, .displayOnly):
            self.init(.justWorks)
        case (.keyboardOnly, .keyboardOnly): self.init(.passkeyEntry)
        case (_, .keyboardOnly), (.displayOnly, .keyboardDisplay): self.init(.passkeyEntry, initiatorDisplays: true)
        case (.keyboardOnly, _), (.keyboardDisplay, .displayOnly): self.init(.passkeyEntry, responderDisplays: true)
        case (.displayYesNo, .displayYesNo): self.init(isSecure ? .numericComparison : .justWorks)
        case (.displayYesNo, .keyboardDisplay), (.keyboardDisplay, .keyboardDisplay):
            self.init(isSecure ? .numericComparison : .passkeyEntry, initiatorDisplays: !isSecure)
        case (.keyboardDisplay, .displayYesNo):
            self.init(isSecure ? .numericComparison : .passkeyEntry, responderDisplays: !isSecure)
        }
    }

    private init(_ association: AssociationModel, initiatorDisplays: Bool = false, responderDisplays: Bool = false) {
        self.association = association
        self.initiatorDisplays = initiatorDisplays
        self.responderDisplays = responderDisplays
    }
}
