// SPDX-License-Identifier: Apache-2.0

/// The source of the digits of Passkey Entry.
enum PasskeySource: Hashable, Sendable {
    case initiatorDisplays
    case responderDisplays
    /// Neither can show any: people think of some, and enter them twice.
    case bothEnter
}

/// The association model, and the side that shows the digits of Passkey Entry.
struct AssociationChoice: Hashable, Sendable {
    var model: AssociationModel
    var source: PasskeySource?

    static let justWorks = Self(model: .justWorks)

    /// The choice of two devices. Core 5.4, Vol 3, Part H, 2.3.5.1, tables 2.6 to 2.8.
    init(request: PairingFeatures, response: PairingFeatures, isSecureConnections: Bool) {
        let flags = [request.hasOutOfBandData, response.hasOutOfBandData]
        // One device with data is enough for Secure Connections; LE legacy pairing needs the same key on both devices.
        let isOutOfBand = isSecureConnections ? flags.contains(true) : !flags.contains(false)
        let wantsProtection = request.requirements.union(response.requirements).contains(.protection)
        if isOutOfBand {
            self.init(model: .outOfBand)
        } else if wantsProtection {
            self.init(request.ioCapability, response.ioCapability, isSecureConnections: isSecureConnections)
        } else {
            self = .justWorks
        }
    }

    private init(model: AssociationModel, source: PasskeySource? = nil) {
        self.model = model
        self.source = source
    }

    /// Table 2.8.
    private init(_ initiator: IOCapability, _ responder: IOCapability, isSecureConnections: Bool) {
        switch (initiator, responder) {
        case (.noInputNoOutput, _), (_, .noInputNoOutput), (.displayOnly, .displayOnly),
            (.displayOnly, .displayYesNo), (.displayYesNo, .displayOnly):
            self = .justWorks
        case (.displayYesNo, .displayYesNo):
            self = isSecureConnections ? Self(model: .numericComparison) : .justWorks
        case (.keyboardOnly, .keyboardOnly):
            self.init(model: .passkeyEntry, source: .bothEnter)
        case (.keyboardOnly, _), (.keyboardDisplay, .displayOnly):
            self.init(model: .passkeyEntry, source: .responderDisplays)
        case (_, .keyboardOnly), (.displayOnly, .keyboardDisplay):
            self.init(model: .passkeyEntry, source: .initiatorDisplays)
        case (.displayYesNo, .keyboardDisplay), (.keyboardDisplay, .keyboardDisplay):
            self =
                isSecureConnections
                ? Self(model: .numericComparison) : Self(model: .passkeyEntry, source: .initiatorDisplays)
        case (.keyboardDisplay, .displayYesNo):
            self =
                isSecureConnections
                ? Self(model: .numericComparison) : Self(model: .passkeyEntry, source: .responderDisplays)
        }
    }
}
