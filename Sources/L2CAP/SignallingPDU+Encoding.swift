// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

extension SignallingPDU {
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
            data.append(u16: destination.rawValue)
            data.append(u16: source.rawValue)
        case .disconnectionResponse(let id, let destination, let source):
            (code, identifier) = (0x07, id)
            data.append(u16: destination.rawValue)
            data.append(u16: source.rawValue)
        case .parameterUpdateRequest(let id, let update):
            (code, identifier) = (0x12, id)
            data.append(u16: update.minimumInterval)
            data.append(u16: update.maximumInterval)
            data.append(u16: update.latency)
            data.append(u16: update.timeout)
        case .parameterUpdateResponse(let id, let accepted):
            (code, identifier) = (0x13, id)
            data.append(u16: accepted ? 0 : 1)
        case .creditBasedConnectionRequest(let id, let spsm, let offer):
            (code, identifier) = (0x14, id)
            data.append(u16: spsm)
            data.append(offer: offer)
        case .creditBasedConnectionResponse(let id, let offer, let result):
            (code, identifier) = (0x15, id)
            data.append(offer: offer)
            data.append(u16: result.rawValue)
        case .flowControlCredit(let id, let channel, let credits):
            (code, identifier) = (0x16, id)
            data.append(u16: channel.rawValue)
            data.append(u16: credits)
        case .unknown(let unknownCode, let id, let rest):
            (code, identifier) = (unknownCode, id)
            data.append(contentsOf: rest)
        }
        var octets = [code, identifier]
        octets.append(u16: UInt16(truncatingIfNeeded: data.count))
        return octets + data
    }
}

extension [UInt8] {
    fileprivate mutating func append(offer: ChannelOffer) {
        append(u16: offer.channel.rawValue)
        append(u16: offer.mtu)
        append(u16: offer.mps)
        append(u16: offer.credits)
    }
}
