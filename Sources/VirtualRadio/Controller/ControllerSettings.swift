// SPDX-License-Identifier: Apache-2.0

import HCI

/// The abilities of a virtual controller.
package struct ControllerSettings: Sendable {
    /// The controller has the extended commands and events beside the legacy ones, and lists them.
    package var extendedAdvertising: Bool
    /// Commands that the host may have outstanding.
    package var commandCredits: UInt8
    /// Octets of the largest ACL data packet that the host may send.
    package var aclDataLength: UInt16
    /// ACL data packets that fit into the controller.
    package var aclDataCount: UInt8
    package var maximumLinks: Int
    package var acceptListSize: UInt8
    package var advertisingSets: UInt8
    /// Octets of advertising data in an extended set.
    package var maximumAdvertisingData: UInt16
    /// The signal strength that other nodes measure, in dBm.
    package var signalStrength: Int8
    /// Scans and initiates at once; if false, the controller refuses the second of the two.
    package var scansWhileInitiating: Bool
    /// The state combinations that the controller supports, as in LE Read Supported States; nil: all, but see
    /// ``scansWhileInitiating``.
    package var states: UInt64?
    /// The state combinations that the controller claims to support; nil: its true ones.
    package var claimedStates: UInt64?
    /// LE features that the controller lacks, one bit each.
    package var missingFeatures: UInt64
    /// Initiating during advertising stops the controller's answers until the next Reset, although its states allow
    /// both.
    package var wedgesWhenInitiatingWhileAdvertising: Bool
    /// The maker, Assigned Numbers, 7.1; 0xFFFF is for makers without an identifier.
    package var company: UInt16
    /// The controller has LE Coded; this needs extended advertising.
    package var codedPHY: Bool
    /// Peers whose private addresses the controller resolves; 0: the controller has no privacy.
    package var resolvingListSize: UInt8
    /// Commands that the controller lists as supported, but refuses or does not answer.
    package var refusals: [HCIOpcode: CommandRefusal]
    /// Faults that the controller has from the beginning.
    package var faults: Set<ControllerFault>
    /// Octets of output from which on the controller takes no more data from the air.
    package var outputLimit: Int

    package init(
        extendedAdvertising: Bool = false, commandCredits: UInt8 = 1, aclDataLength: UInt16 = 251,
        aclDataCount: UInt8 = 16, maximumLinks: Int = 64, acceptListSize: UInt8 = 16, advertisingSets: UInt8 = 4,
        maximumAdvertisingData: UInt16 = 1650, signalStrength: Int8 = -45,
        scansWhileInitiating: Bool = true, outputLimit: Int = 32_768, states: UInt64? = nil,
        wedgesWhenInitiatingWhileAdvertising: Bool = false, company: UInt16 = 0xFFFF, codedPHY: Bool = false,
        claimedStates: UInt64? = nil, missingFeatures: UInt64 = 0, resolvingListSize: UInt8 = 0,
        refusals: [HCIOpcode: CommandRefusal] = [:], faults: Set<ControllerFault> = []
    ) {
        self.extendedAdvertising = extendedAdvertising
        self.commandCredits = max(1, commandCredits)
        self.aclDataLength = max(27, aclDataLength)
        self.aclDataCount = max(1, aclDataCount)
        self.maximumLinks = maximumLinks
        self.acceptListSize = acceptListSize
        self.advertisingSets = advertisingSets
        self.maximumAdvertisingData = maximumAdvertisingData
        self.signalStrength = signalStrength
        self.scansWhileInitiating = scansWhileInitiating
        self.outputLimit = outputLimit
        self.states = states
        self.claimedStates = claimedStates
        self.missingFeatures = missingFeatures
        self.wedgesWhenInitiatingWhileAdvertising = wedgesWhenInitiatingWhileAdvertising
        self.company = company
        self.resolvingListSize = resolvingListSize
        self.refusals = refusals
        self.faults = faults
        self.codedPHY = codedPHY && extendedAdvertising
    }
}
