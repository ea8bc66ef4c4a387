// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

extension SignallingPDU {
    /// Reads one command; a frame on an LE link has exactly one command.
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
                identifier: identifier, destination: try reader.channel("Destination CID"),
                source: try reader.channel("Source CID"))
        case 0x07:
            self = .disconnectionResponse(
                identifier: identifier, destination: try reader.channel("Destination CID"),
                source: try reader.channel("Source CID"))
        case 0x12:
            self = .parameterUpdateRequest(
                identifier: identifier,
                ParameterUpdate(
                    minimumInterval: try reader.u16("Interval Min"), maximumInterval: try reader.u16("Interval Max"),
                    latency: try reader.u16("Latency"), timeout: try reader.u16("Timeout")))
        case 0x13:
            self = .parameterUpdateResponse(identifier: identifier, accepted: try reader.u16("Result") == 0)
        case 0x14:
            let spsm = try reader.u16("SPSM")
            self = .creditBasedConnectionRequest(
                identifier: identifier, spsm: spsm, try reader.offer("Source CID"))
        case 0x15:
            let offer = try reader.offer("Destination CID")
            self = .creditBasedConnectionResponse(
                identifier: identifier, offer, result: ConnectionResult(rawValue: try reader.u16("Result")))
        case 0x16:
            self = .flowControlCredit(
                identifier: identifier, channel: try reader.channel("CID"), credits: try reader.u16("Credits"))
        default:
            self = .unknown(code: code, identifier: identifier, data: Array(reader.rest()))
        }
        try reader.finish()
    }
}

extension ByteReader {
    fileprivate mutating func channel(_ field: StaticString) throws(DecodeError) -> ChannelIdentifier {
        ChannelIdentifier(rawValue: try u16(field))
    }

    fileprivate mutating func offer(_ field: StaticString) throws(DecodeError) -> ChannelOffer {
        ChannelOffer(
            channel: try channel(field), mtu: try u16("MTU"), mps: try u16("MPS"),
            credits: try u16("Initial Credits"))
    }
}
