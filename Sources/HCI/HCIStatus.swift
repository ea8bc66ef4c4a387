// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A controller error code, used as status and as reason. Core 5.4, Vol 1, Part F.
package struct HCIStatus: RawRepresentable, Hashable, Error, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    private init(_ rawValue: UInt8) { self.rawValue = rawValue }

    package static let success = Self(0x00)
    package static let unknownCommand = Self(0x01)
    package static let unknownConnectionIdentifier = Self(0x02)
    package static let hardwareFailure = Self(0x03)
    package static let pageTimeout = Self(0x04)
    package static let authenticationFailure = Self(0x05)
    package static let pinOrKeyMissing = Self(0x06)
    package static let memoryCapacityExceeded = Self(0x07)
    package static let connectionTimeout = Self(0x08)
    package static let connectionLimitExceeded = Self(0x09)
    package static let connectionAlreadyExists = Self(0x0B)
    package static let commandDisallowed = Self(0x0C)
    package static let connectionRejectedLimitedResources = Self(0x0D)
    package static let unsupportedFeature = Self(0x11)
    package static let invalidCommandParameters = Self(0x12)
    package static let remoteUserTerminated = Self(0x13)
    package static let remoteLowResources = Self(0x14)
    package static let remotePowerOff = Self(0x15)
    package static let localHostTerminated = Self(0x16)
    package static let pairingNotAllowed = Self(0x18)
    package static let unsupportedRemoteFeature = Self(0x1A)
    package static let invalidLLParameters = Self(0x1E)
    package static let unspecifiedError = Self(0x1F)
    package static let llResponseTimeout = Self(0x22)
    package static let instantPassed = Self(0x28)
    package static let differentTransactionCollision = Self(0x2A)
    package static let insufficientSecurity = Self(0x2F)
    package static let parameterOutOfRange = Self(0x30)
    package static let controllerBusy = Self(0x3A)
    package static let unacceptableConnectionParameters = Self(0x3B)
    package static let advertisingTimeout = Self(0x3C)
    package static let micFailure = Self(0x3D)
    package static let connectionFailedToBeEstablished = Self(0x3E)
    package static let unknownAdvertisingIdentifier = Self(0x42)
    package static let limitReached = Self(0x43)

    private static let names: [UInt8: String] = [
        0x00: "success", 0x01: "unknown command", 0x02: "unknown connection identifier", 0x03: "hardware failure",
        0x05: "authentication failure", 0x06: "PIN or key missing", 0x07: "memory capacity exceeded",
        0x08: "connection timeout", 0x09: "connection limit exceeded", 0x0B: "connection already exists",
        0x0C: "command disallowed", 0x0D: "rejected: limited resources", 0x11: "unsupported feature",
        0x12: "invalid command parameters", 0x13: "remote user terminated the connection",
        0x14: "remote device has low resources", 0x15: "remote device powers off",
        0x16: "terminated by local host", 0x1A: "unsupported remote feature", 0x1F: "unspecified error",
        0x22: "LL response timeout", 0x28: "instant passed", 0x2F: "insufficient security", 0x3A: "controller busy",
        0x3B: "unacceptable connection parameters", 0x3C: "advertising timeout", 0x3D: "MIC failure",
        0x3E: "connection failed to be established",
    ]
}

extension HCIStatus: CustomStringConvertible {
    /// `connection timeout (0x08)`.
    package var description: String {
        let code = "0x" + rawValue.bigEndianHexadecimal
        return Self.names[rawValue].map { "\($0) (\(code))" } ?? "status \(code)"
    }
}
