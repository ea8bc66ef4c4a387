// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Advertises on all three channels, without a filter. Core 5.4, Vol 4, Part E, 7.8.5.
package struct LESetAdvertisingParameters: HCICommand {
    package static let opcode = HCIOpcode.leSetAdvertisingParameters
    package var parameters: AdvertisingParameters

    package init(parameters: AdvertisingParameters) { self.parameters = parameters }

    package func encode(into octets: inout [UInt8]) {
        octets.append(u16: parameters.intervals.minimum)
        octets.append(u16: parameters.intervals.maximum)
        octets.append(type)
        octets.append(parameters.ownAddress.rawValue)
        octets.append(peerOf: parameters.kind)
        octets.append(0b111)
        octets.append(0)
    }

    private var type: UInt8 {
        switch parameters.kind {
        case .connectable: 0
        case .directed(_, isHighDuty: true): 1
        case .scannable: 2
        case .nonConnectable: 3
        case .directed(_, isHighDuty: false): 4
        }
    }
}

/// Core 5.4, Vol 4, Part E, 7.8.7.
package struct LESetAdvertisingData: HCICommand {
    package static let opcode = HCIOpcode.leSetAdvertisingData
    /// At most 31 octets; more are cut off.
    package var data: [UInt8]

    package init(data: [UInt8]) { self.data = data }
    package func encode(into octets: inout [UInt8]) { octets.append(legacyData: data) }
}

/// Core 5.4, Vol 4, Part E, 7.8.8.
package struct LESetScanResponseData: HCICommand {
    package static let opcode = HCIOpcode.leSetScanResponseData
    /// At most 31 octets; more are cut off.
    package var data: [UInt8]

    package init(data: [UInt8]) { self.data = data }
    package func encode(into octets: inout [UInt8]) { octets.append(legacyData: data) }
}

/// Core 5.4, Vol 4, Part E, 7.8.9.
package struct LESetAdvertisingEnable: HCICommand {
    package static let opcode = HCIOpcode.leSetAdvertisingEnable
    package var enable: Bool

    package init(enable: Bool) { self.enable = enable }
    package func encode(into octets: inout [UInt8]) { octets.append(enable ? 1 : 0) }
}

extension [UInt8] {
    mutating func append(peerOf kind: AdvertisingKind) {
        guard case .directed(let peer, _) = kind else {
            append(contentsOf: [0, 0, 0, 0, 0, 0, 0])
            return
        }
        append(peer.kind.rawValue)
        append(u48: peer.value)
    }

    /// A length and 31 octets, the rest zero.
    fileprivate mutating func append(legacyData data: [UInt8]) {
        let data = data.prefix(31)
        append(UInt8(truncatingIfNeeded: data.count))
        append(contentsOf: data)
        append(contentsOf: repeatElement(0, count: 31 - data.count))
    }
}
