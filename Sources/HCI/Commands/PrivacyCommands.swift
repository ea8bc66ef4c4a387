// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Lets the controller resolve a peer's private addresses. Core 5.4, Vol 4, Part E, 7.8.38.
///
/// The controller refuses all changes of the list while it resolves addresses and advertises, scans or initiates.
package struct LEAddDeviceToResolvingList: HCICommand {
    package static let opcode = HCIOpcode.leAddDeviceToResolvingList
    /// Public or static random.
    package var identity: DeviceAddress
    /// 16 octets each, least significant first. Zeros: the side has no private addresses, or the controller does not
    /// make ours.
    package var peerKey: [UInt8]
    package var localKey: [UInt8]

    package init(identity: DeviceAddress, peerKey: [UInt8], localKey: [UInt8]) {
        self.identity = identity
        self.peerKey = peerKey
        self.localKey = localKey
    }

    package func encode(into octets: inout [UInt8]) {
        octets.append(identity: identity)
        octets.append(contentsOf: peerKey)
        octets.append(contentsOf: localKey)
    }
}

/// Core 5.4, Vol 4, Part E, 7.8.39.
package struct LERemoveDeviceFromResolvingList: HCICommand {
    package static let opcode = HCIOpcode.leRemoveDeviceFromResolvingList
    package var identity: DeviceAddress

    package init(identity: DeviceAddress) { self.identity = identity }
    package func encode(into octets: inout [UInt8]) { octets.append(identity: identity) }
}

/// Core 5.4, Vol 4, Part E, 7.8.40.
package struct LEClearResolvingList: HCICommand {
    package static let opcode = HCIOpcode.leClearResolvingList
    package init() {}
}

/// Core 5.4, Vol 4, Part E, 7.8.41.
package struct LEReadResolvingListSize: HCICommand {
    package static let opcode = HCIOpcode.leReadResolvingListSize
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        package let size: UInt8

        package init(decoding reader: inout ByteReader) throws(DecodeError) {
            size = try reader.u8("Resolving_List_Size")
        }
    }
}

/// Switches the resolving list on or off. Core 5.4, Vol 4, Part E, 7.8.44.
package struct LESetAddressResolutionEnable: HCICommand {
    package static let opcode = HCIOpcode.leSetAddressResolutionEnable
    package var enable: Bool

    package init(enable: Bool) { self.enable = enable }
    package func encode(into octets: inout [UInt8]) { octets.append(enable ? 1 : 0) }
}

/// Says whether a peer in the resolving list may also use its identity address. Core 5.4, Vol 4, Part E, 7.8.77.
package struct LESetPrivacyMode: HCICommand {
    package enum Mode: UInt8, Sendable {
        /// A peer with a key is heard only under its private addresses.
        case network = 0
        case device = 1
    }

    package static let opcode = HCIOpcode.leSetPrivacyMode
    package var identity: DeviceAddress
    package var mode: Mode

    package init(identity: DeviceAddress, mode: Mode) {
        self.identity = identity
        self.mode = mode
    }

    package func encode(into octets: inout [UInt8]) {
        octets.append(identity: identity)
        octets.append(mode.rawValue)
    }
}

extension [UInt8] {
    fileprivate mutating func append(identity: DeviceAddress) {
        append(identity.kind.rawValue)
        append(u48: identity.value)
    }
}
