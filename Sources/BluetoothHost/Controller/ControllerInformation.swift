// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Facts that a controller reported during its set-up.
package struct ControllerInformation: Sendable {
    package var hciVersion: UInt8 = 0
    package var companyIdentifier: UInt16 = 0
    package var commands = SupportedCommands(octets: [])
    package var features: LEFeatures = []
    package var states: LEStates = []
    package var address = DeviceAddress(kind: .public, value: 0)
    package var aclLength = 0
    package var aclCount = 0
    package var acceptListSize = 1
    package var resolvingListSize = 0
    /// Octets of advertising data, 31…1650.
    package var maximumAdvertisingData = 31
    /// Advertisers of their own, 1…240.
    package var advertisingSets = 1
    /// The host does not rely on the controller's extended commands, whatever the controller claims.
    var isLegacyOnly = false
    /// The host scans and connects on LE 1M alone, whatever the controller claims.
    var isPlainOnly = false
    /// The controller's feature page claims LE.
    var hasLEFeature = false

    package init() {}

    /// Tells controllers apart, as far as possible.
    struct Identity: Equatable, Sendable {
        let companyIdentifier: UInt16
        let address: DeviceAddress
    }

    var identity: Identity { Identity(companyIdentifier: companyIdentifier, address: address) }

    /// An LE-only controller need not know the BR/EDR feature page; its LE buffers or features tell enough.
    var supportsLE: Bool { features != [] || aclLength > 0 || hasLEFeature }

    /// The controller has a public address for our use.
    var hasAddress: Bool { address.value != 0 }

    /// The address that an advertiser sends: a public address stands for the controller's own.
    func concrete(_ advertised: DeviceAddress) -> DeviceAddress { advertised.kind == .public ? address : advertised }

    /// Scanning and connecting by the extended commands; the old ones are refused from then on.
    package var usesExtendedCommands: Bool {
        !isLegacyOnly && features.contains(.extendedAdvertising) && commands.extendedScanAndConnect
    }

    /// Scanning and connecting are to use LE Coded as well.
    var usesCoded: Bool { features.contains(.leCoded) && !isPlainOnly }

    /// Links may begin on LE 2M.
    var uses2M: Bool { features.contains(.le2M) && !isPlainOnly }

    /// Connecting asks for other PHYs than LE 1M.
    var usesOtherPHYs: Bool { usesCoded || uses2M }

    /// The controller resolves private addresses. A controller without LE Set Privacy Mode is left out: the peers in
    /// its list would not be heard under their identity addresses.
    var hasResolvingList: Bool { features.contains(.llPrivacy) && commands.resolvingList }

    /// Scanning goes on while a connection is awaited.
    package var scansWhileInitiating: Bool { states.contains(.activeScanningAndInitiating) }
}
