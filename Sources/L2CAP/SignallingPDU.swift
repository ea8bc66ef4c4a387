// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A command on the LE signalling channel. Core 5.4, Vol 3, Part A, 4.
package enum SignallingPDU: Equatable, Sendable {
    case commandReject(identifier: UInt8, reason: CommandRejectReason, data: [UInt8])
    case disconnectionRequest(identifier: UInt8, destination: UInt16, source: UInt16)
    case parameterUpdateRequest(identifier: UInt8, ParameterUpdate)
    case parameterUpdateResponse(identifier: UInt8, accepted: Bool)
    case creditBasedConnectionRequest(identifier: UInt8)
    case creditBasedConnectionResponse(identifier: UInt8, result: UInt16)
    case unknown(code: UInt8, identifier: UInt8, data: [UInt8])

    /// Connection Parameter Update Request, 4.20; values as the peer sent them.
    package struct ParameterUpdate: Equatable, Sendable {
        package let minimumInterval: UInt16
        package let maximumInterval: UInt16
        package let latency: UInt16
        package let timeout: UInt16

        package init(minimumInterval: UInt16, maximumInterval: UInt16, latency: UInt16, timeout: UInt16) {
            self.minimumInterval = minimumInterval
            self.maximumInterval = maximumInterval
            self.latency = latency
            self.timeout = timeout
        }
    }

    /// 4.1.
    package enum CommandRejectReason: UInt16, Sendable {
        case notUnderstood = 0
        case mtuExceeded = 1
        case invalidChannel = 2
    }
}

extension SignallingPDU {
    /// Reads one command; exactly one is allowed a frame on an LE link.
    package init(decoding octets: ArraySlice<UInt8>) throws(DecodeError) {
        var reader = ByteReader(octets)
        let code = try reader.u8("Code")
        let identifier = try reader.u8("Identifier")
        let length = Int(try reader.u16("Length"))
        let data = try reader.bytes(length, "Data")
        try reader.finish()
        reader = ByteReader(data)
        switch code {
        case 0x01:
            let reason = CommandRejectReason(rawValue: try reader.u16("Reason"))
            guard let reason else { throw .invalid(field: "Reason") }
            self = .commandReject(identifier: identifier, reason: reason, data: Array(reader.rest()))
        case 0x06:
            self = .disconnectionRequest(
                identifier: identifier, destination: try reader.u16("Destination CID"),
                source: try reader.u16("Source CID"))
            try reader.finish()
        case 0x12:
            self = .parameterUpdateRequest(
                identifier: identifier,
                ParameterUpdate(
                    minimumInterval: try reader.u16("Interval Min"), maximumInterval: try reader.u16("Interval Max"),
                    latency: try reader.u16("Latency"), timeout: try reader.u16("Timeout")))
            try reader.finish()
        case 0x13:
            self = .parameterUpdateResponse(identifier: identifier, accepted: try reader.u16("Result") == 0)
            try reader.finish()
        case 0x14:
            _ = try reader.bytes(10, "parameters")
            try reader.finish()
            self = .creditBasedConnectionRequest(identifier: identifier)
        case 0x15:
            _ = try reader.bytes(8, "parameters")
            self = .creditBasedConnectionResponse(identifier: identifier, result: try reader.u16("Result"))
            try reader.finish()
        default:
            self = .unknown(code: code, identifier: identifier, data: Array(data))
        }
    }

    package var encoded: [UInt8] {
        var data: [UInt8] = []
        let code: UInt8
        let identifier: UInt8
        switch self {
        case .commandReject(let id, let reason, let rest):
            (code, identifier) = (0x01, id)
            data.append(u16: reason.rawValue)
            data.append(contentsOf: rest)
        case .disconnectionRequest(let id, let destination, let source):
            (code, identifier) = (0x06, id)
            data.append(u16: destination)
            data.append(u16: source)
        case .parameterUpdateRequest(let id, let update):
            (code, identifier) = (0x12, id)
            data.append(u16: update.minimumInterval)
            data.append(u16: update.maximumInterval)
            data.append(u16: update.latency)
            data.append(u16: update.timeout)
        case .parameterUpdateResponse(let id, let accepted):
            (code, identifier) = (0x13, id)
            data.append(u16: accepted ? 0 : 1)
        case .creditBasedConnectionRequest(let id):
            (code, identifier) = (0x14, id)
            data.append(contentsOf: [UInt8](repeating: 0, count: 10))
        case .creditBasedConnectionResponse(let id, let result):
            (code, identifier) = (0x15, id)
            data.append(contentsOf: [UInt8](repeating: 0, count: 8))
            data.append(u16: result)
        case .unknown(let unknownCode, let id, let rest):
            (code, identifier) = (unknownCode, id)
            data.append(contentsOf: rest)
        }
        var octets = [code, identifier]
        octets.append(u16: UInt16(truncatingIfNeeded: data.count))
        return octets + data
    }
}
