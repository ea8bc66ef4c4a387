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
    package static let synchronousConnectionLimitExceeded = Self(0x0A)
    package static let connectionAlreadyExists = Self(0x0B)
    package static let commandDisallowed = Self(0x0C)
    package static let connectionRejectedLimitedResources = Self(0x0D)
    package static let connectionRejectedSecurity = Self(0x0E)
    package static let connectionRejectedAddress = Self(0x0F)
    package static let connectionAcceptTimeout = Self(0x10)
    package static let unsupportedFeature = Self(0x11)
    package static let invalidCommandParameters = Self(0x12)
    package static let remoteUserTerminated = Self(0x13)
    package static let remoteLowResources = Self(0x14)
    package static let remotePowerOff = Self(0x15)
    package static let localHostTerminated = Self(0x16)
    package static let repeatedAttempts = Self(0x17)
    package static let pairingNotAllowed = Self(0x18)
    package static let unknownLMPPDU = Self(0x19)
    package static let unsupportedRemoteFeature = Self(0x1A)
    package static let invalidLLParameters = Self(0x1E)
    package static let unspecifiedError = Self(0x1F)
    package static let unsupportedLLParameterValue = Self(0x20)
    package static let roleChangeNotAllowed = Self(0x21)
    package static let llResponseTimeout = Self(0x22)
    package static let llProcedureCollision = Self(0x23)
    package static let encryptionModeNotAcceptable = Self(0x25)
    package static let instantPassed = Self(0x28)
    package static let unitKeyPairingNotSupported = Self(0x29)
    package static let differentTransactionCollision = Self(0x2A)
    package static let channelClassificationNotSupported = Self(0x2E)
    package static let insufficientSecurity = Self(0x2F)
    package static let parameterOutOfRange = Self(0x30)
    package static let hostBusyPairing = Self(0x38)
    package static let noSuitableChannel = Self(0x39)
    package static let controllerBusy = Self(0x3A)
    package static let unacceptableConnectionParameters = Self(0x3B)
    package static let advertisingTimeout = Self(0x3C)
    package static let micFailure = Self(0x3D)
    package static let connectionFailedToBeEstablished = Self(0x3E)
    package static let coarseClockAdjustmentRejected = Self(0x40)
    package static let type0SubmapNotDefined = Self(0x41)
    package static let unknownAdvertisingIdentifier = Self(0x42)
    package static let limitReached = Self(0x43)
    package static let cancelledByHost = Self(0x44)
    package static let packetTooLong = Self(0x45)
    package static let tooLate = Self(0x46)
    package static let tooEarly = Self(0x47)
    package static let insufficientChannels = Self(0x48)

    private static let names: [UInt8: String] = [
        0x00: "success", 0x01: "unknown command", 0x02: "unknown connection identifier", 0x03: "hardware failure",
        0x04: "page timeout", 0x05: "authentication failure", 0x06: "PIN or key missing",
        0x07: "memory capacity exceeded", 0x08: "connection timeout", 0x09: "connection limit exceeded",
        0x0A: "synchronous connection limit exceeded", 0x0B: "connection already exists", 0x0C: "command disallowed",
        0x0D: "rejected: limited resources", 0x0E: "rejected: security", 0x0F: "rejected: unacceptable address",
        0x10: "connection accept timeout exceeded", 0x11: "unsupported feature", 0x12: "invalid command parameters",
        0x13: "remote user terminated the connection", 0x14: "remote device has low resources",
        0x15: "remote device powers off", 0x16: "terminated by local host", 0x17: "repeated attempts",
        0x18: "pairing not allowed", 0x19: "unknown LMP PDU", 0x1A: "unsupported remote feature",
        0x1E: "invalid LL parameters", 0x1F: "unspecified error", 0x20: "unsupported LL parameter value",
        0x21: "role change not allowed", 0x22: "LL response timeout", 0x23: "LL procedure collision",
        0x25: "encryption mode not acceptable", 0x28: "instant passed", 0x29: "pairing with unit key not supported",
        0x2A: "different transaction collision", 0x2E: "channel classification not supported",
        0x2F: "insufficient security", 0x30: "parameter out of mandatory range", 0x38: "host busy: pairing",
        0x39: "rejected: no suitable channel", 0x3A: "controller busy", 0x3B: "unacceptable connection parameters",
        0x3C: "advertising timeout", 0x3D: "MIC failure", 0x3E: "connection failed to be established",
        0x40: "coarse clock adjustment rejected", 0x41: "type 0 submap not defined",
        0x42: "unknown advertising identifier", 0x43: "limit reached", 0x44: "operation cancelled by host",
        0x45: "packet too long", 0x46: "too late", 0x47: "too early", 0x48: "insufficient channels",
    ]
}

extension HCIStatus: CustomStringConvertible {
    /// `connection timeout (0x08)`.
    package var description: String {
        let code = "0x" + rawValue.bigEndianHexadecimal
        return Self.names[rawValue].map { "\($0) (\(code))" } ?? "status \(code)"
    }
}
