// SPDX-License-Identifier: Apache-2.0

/// Why a link ended, or did not come about: a controller error code. Core 5.4, Vol 1, Part F.
///
/// All layers use this text: logs, events and answers write a reason as `0x08 Connection Timeout`.
package struct LinkEndReason: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let hardwareFailure = Self(rawValue: 0x03)
    package static let authenticationFailure = Self(rawValue: 0x05)
    package static let pinOrKeyMissing = Self(rawValue: 0x06)
    package static let connectionTimeout = Self(rawValue: 0x08)
    package static let remoteUserTerminated = Self(rawValue: 0x13)
    package static let localHostTerminated = Self(rawValue: 0x16)
    package static let responseTimeout = Self(rawValue: 0x22)
    package static let micFailure = Self(rawValue: 0x3D)
    package static let failedToBeEstablished = Self(rawValue: 0x3E)

    /// The party that ended the link, as far as the code tells.
    package enum Party: String, Codable, Sendable {
        /// This gateway.
        case gateway
        /// The device on the other end.
        case peer
        /// No party: packets did not get through any more.
        case radio
        /// One of both ends, because keys or rights did not fit.
        case security
        /// The controller failed, and all its links with it.
        case controller
    }

    /// The party that ended the link. A disconnection by the peer has one of the codes of Vol 4, Part E, 7.1.6.
    package var party: Party {
        switch rawValue {
        case 0x16, 0x44: .gateway
        case 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B: .peer
        case 0x05, 0x06, 0x0E, 0x18, 0x25, 0x2F, 0x3D: .security
        case 0x08, 0x10, 0x1F, 0x22, 0x28, 0x3C, 0x3E: .radio
        default: .controller
        }
    }

    /// The Core Specification's name; the LE name if there are two names.
    package var name: String? { Self.names[rawValue] }

    private static let names: [UInt8: String] = [
        0x00: "Success", 0x01: "Unknown HCI Command", 0x02: "Unknown Connection Identifier", 0x03: "Hardware Failure",
        0x04: "Page Timeout", 0x05: "Authentication Failure", 0x06: "PIN or Key Missing",
        0x07: "Memory Capacity Exceeded", 0x08: "Connection Timeout", 0x09: "Connection Limit Exceeded",
        0x0B: "Connection Already Exists", 0x0C: "Command Disallowed",
        0x0D: "Connection Rejected due to Limited Resources", 0x0E: "Connection Rejected Due To Security Reasons",
        0x0F: "Connection Rejected due to Unacceptable BD_ADDR", 0x10: "Connection Accept Timeout Exceeded",
        0x11: "Unsupported Feature or Parameter Value", 0x12: "Invalid HCI Command Parameters",
        0x13: "Remote User Terminated Connection", 0x14: "Remote Device Terminated Connection due to Low Resources",
        0x15: "Remote Device Terminated Connection due to Power Off", 0x16: "Connection Terminated By Local Host",
        0x17: "Repeated Attempts", 0x18: "Pairing Not Allowed", 0x19: "Unknown LMP PDU",
        0x1A: "Unsupported Remote Feature", 0x1E: "Invalid LL Parameters", 0x1F: "Unspecified Error",
        0x20: "Unsupported LL Parameter Value", 0x21: "Role Change Not Allowed", 0x22: "LL Response Timeout",
        0x23: "LL Procedure Collision", 0x25: "Encryption Mode Not Acceptable", 0x28: "Instant Passed",
        0x29: "Pairing With Unit Key Not Supported", 0x2A: "Different Transaction Collision",
        0x2E: "Channel Classification Not Supported", 0x2F: "Insufficient Security",
        0x30: "Parameter Out Of Mandatory Range", 0x38: "Host Busy - Pairing",
        0x39: "Connection Rejected due to No Suitable Channel Found", 0x3A: "Controller Busy",
        0x3B: "Unacceptable Connection Parameters", 0x3C: "Advertising Timeout",
        0x3D: "Connection Terminated due to MIC Failure", 0x3E: "Connection Failed to be Established",
        0x40: "Coarse Clock Adjustment Rejected", 0x41: "Type0 Submap Not Defined",
        0x42: "Unknown Advertising Identifier", 0x43: "Limit Reached", 0x44: "Operation Cancelled by Host",
        0x45: "Packet Too Long", 0x46: "Too Late", 0x47: "Too Early", 0x48: "Insufficient Channels",
    ]
}

extension LinkEndReason: CustomStringConvertible {
    /// `0x08 Connection Timeout`; only the number if the code is unknown.
    package var description: String {
        let code = "0x" + rawValue.bigEndianHexadecimal
        return name.map { "\(code) \($0)" } ?? code
    }
}

/// As `{"code":8,"name":"Connection Timeout"}`; decoding reads only the code.
extension LinkEndReason: Codable {
    private enum CodingKeys: String, CodingKey { case code, name }

    package init(from decoder: any Decoder) throws {
        rawValue = try decoder.container(keyedBy: CodingKeys.self).decode(UInt8.self, forKey: .code)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(rawValue, forKey: .code)
        try container.encodeIfPresent(name, forKey: .name)
    }
}
