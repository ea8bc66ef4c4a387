// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// AuthReq: a device's requirements for a pairing. Core 5.4, Vol 3, Part H, 3.5.1. Undefined bits are kept: they enter
/// the check values unchanged, and have no other effect.
package struct AuthenticationRequirements: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let bonding = Self(rawValue: 0x01)
    package static let protection = Self(rawValue: 0x04)
    package static let secureConnections = Self(rawValue: 0x08)
    package static let keypress = Self(rawValue: 0x10)
    package static let crossTransport = Self(rawValue: 0x20)

    /// The flags of bonding have two bits, of which two values are reserved: those keep nothing.
    package var isBonding: Bool { rawValue & 0x03 == 0x01 }
}

/// Which keys a device gives to the other. Core 5.4, Vol 3, Part H, 3.6.1.
package struct KeyDistribution: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let encryption = Self(rawValue: 0x01)
    package static let identity = Self(rawValue: 0x02)
    package static let signing = Self(rawValue: 0x04)
    package static let link = Self(rawValue: 0x08)
}

/// The parameters of Pairing Request and Pairing Response. Core 5.4, Vol 3, Part H, 3.5.1 and 3.5.2.
package struct PairingFeatures: Hashable, Sendable {
    package var ioCapability: IOCapability
    /// The device has the other device's data, received by other means.
    package var hasOutOfBandData: Bool
    package var requirements: AuthenticationRequirements
    /// Octets: 7…16; other values are decoded, and refused by the machine with a reason of their own.
    package var maximumKeySize: UInt8
    package var initiatorKeys: KeyDistribution
    package var responderKeys: KeyDistribution

    package init(
        ioCapability: IOCapability, hasOutOfBandData: Bool, requirements: AuthenticationRequirements,
        maximumKeySize: UInt8, initiatorKeys: KeyDistribution, responderKeys: KeyDistribution
    ) {
        self.ioCapability = ioCapability
        self.hasOutOfBandData = hasOutOfBandData
        self.requirements = requirements
        self.maximumKeySize = maximumKeySize
        self.initiatorKeys = initiatorKeys
        self.responderKeys = responderKeys
    }

    init(_ reader: inout ByteReader) throws(DecodeError) {
        guard let ioCapability = IOCapability(rawValue: try reader.u8("ioCapability")) else {
            throw .invalid(field: "ioCapability")
        }
        let flag = try reader.u8("outOfBandFlag")
        guard flag <= 1 else { throw .invalid(field: "outOfBandFlag") }
        self.ioCapability = ioCapability
        hasOutOfBandData = flag == 1
        requirements = AuthenticationRequirements(rawValue: try reader.u8("authenticationRequirements"))
        maximumKeySize = try reader.u8("maximumKeySize")
        initiatorKeys = KeyDistribution(rawValue: try reader.u8("initiatorKeys"))
        responderKeys = KeyDistribution(rawValue: try reader.u8("responderKeys"))
    }

    var octets: [UInt8] {
        [
            ioCapability.rawValue, hasOutOfBandData ? 1 : 0, requirements.rawValue, maximumKeySize,
            initiatorKeys.rawValue, responderKeys.rawValue,
        ]
    }

    /// IOcap of f6, most significant octet first: AuthReq, OOB flag, IO capability.
    var checkOctets: [UInt8] { octets.prefix(3).reversed() }
}
