// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Core 5.4, Vol 4, Part E, 7.8.52.
package struct LESetAdvertisingSetRandomAddress: HCICommand {
    package static let opcode = HCIOpcode.leSetAdvertisingSetRandomAddress
    package var set: UInt8
    package var address: DeviceAddress

    package init(set: UInt8, address: DeviceAddress) {
        self.set = set
        self.address = address
    }

    package func encode(into octets: inout [UInt8]) {
        octets.append(set)
        octets.append(u48: address.value)
    }
}

/// Advertises on all three channels, without a filter, at the power that the controller chooses. Core 5.4, Vol 4, Part
/// E, 7.8.53.
package struct LESetExtendedAdvertisingParameters: HCICommand {
    package static let opcode = HCIOpcode.leSetExtendedAdvertisingParameters
    package var set: UInt8
    package var parameters: AdvertisingParameters

    package init(set: UInt8, parameters: AdvertisingParameters) {
        self.set = set
        self.parameters = parameters
    }

    package func encode(into octets: inout [UInt8]) {
        let isCoded = !parameters.usesLegacyPDUs && parameters.secondaryPHY == .leCoded
        octets.append(set)
        octets.append(u16: properties)
        octets.append(u24: UInt32(parameters.intervals.minimum))
        octets.append(u24: UInt32(parameters.intervals.maximum))
        octets.append(0b111)
        octets.append(parameters.ownAddress.rawValue)
        octets.append(peerOf: parameters.kind)
        octets.append(0)
        // The Host has no preference.
        octets.append(0x7F)
        octets.append((isCoded ? LEPHY.leCoded : .le1M).rawValue)
        octets.append(0)
        octets.append((parameters.usesLegacyPDUs ? .le1M : parameters.secondaryPHY).rawValue)
        octets.append(parameters.setID)
        octets.append(0)
    }

    private var properties: UInt16 {
        let legacy: UInt16 = parameters.usesLegacyPDUs ? 0x10 : 0
        switch parameters.kind {
        // Only legacy PDUs can be connectable and scannable at once.
        case .connectable: return parameters.usesLegacyPDUs ? legacy | 0b11 : 0b1
        case .scannable: return legacy | 0b10
        case .nonConnectable: return legacy
        // Only legacy PDUs have high duty cycle.
        case .directed(_, let isHighDuty): return legacy | 0b101 | (isHighDuty && legacy != 0 ? 0b1000 : 0)
        }
    }
}

/// The part of the data that a command carries. Core 5.4, Vol 4, Part E, 7.8.54.
package enum AdvertisingDataOperation: UInt8, Sendable {
    case intermediate = 0
    case first = 1
    case last = 2
    case complete = 3
}

/// Core 5.4, Vol 4, Part E, 7.8.54.
package struct LESetExtendedAdvertisingData: HCICommand {
    package static let opcode = HCIOpcode.leSetExtendedAdvertisingData
    /// Octets that one command carries.
    package static let capacity = 251
    package var set: UInt8
    package var operation: AdvertisingDataOperation
    package var data: [UInt8]

    package init(set: UInt8, operation: AdvertisingDataOperation = .complete, data: [UInt8]) {
        self.set = set
        self.operation = operation
        self.data = data
    }

    package func encode(into octets: inout [UInt8]) { octets.append(set, operation, data) }
}

/// Core 5.4, Vol 4, Part E, 7.8.55.
package struct LESetExtendedScanResponseData: HCICommand {
    package static let opcode = HCIOpcode.leSetExtendedScanResponseData
    package var set: UInt8
    package var operation: AdvertisingDataOperation
    package var data: [UInt8]

    package init(set: UInt8, operation: AdvertisingDataOperation = .complete, data: [UInt8]) {
        self.set = set
        self.operation = operation
        self.data = data
    }

    package func encode(into octets: inout [UInt8]) { octets.append(set, operation, data) }
}

/// Turns one set on or off. Core 5.4, Vol 4, Part E, 7.8.56.
package struct LESetExtendedAdvertisingEnable: HCICommand {
    package static let opcode = HCIOpcode.leSetExtendedAdvertisingEnable
    package var enable: Bool
    package var set: UInt8
    /// N × 10 ms; 0: no end. High duty cycle needs 1…128.
    package var duration: UInt16

    package init(enable: Bool, set: UInt8, duration: UInt16 = 0) {
        self.enable = enable
        self.set = set
        self.duration = duration
    }

    package func encode(into octets: inout [UInt8]) {
        octets.append(enable ? 1 : 0)
        octets.append(1)
        octets.append(set)
        octets.append(u16: duration)
        octets.append(0)
    }
}

/// Core 5.4, Vol 4, Part E, 7.8.57.
package struct LEReadMaximumAdvertisingDataLength: HCICommand {
    package static let opcode = HCIOpcode.leReadMaximumAdvertisingDataLength
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        /// 31…1650 octets.
        package let length: UInt16

        package init(decoding reader: inout ByteReader) throws(DecodeError) {
            length = try reader.u16("Max_Advertising_Data_Length")
        }
    }
}

/// Core 5.4, Vol 4, Part E, 7.8.58.
package struct LEReadNumberOfSupportedAdvertisingSets: HCICommand {
    package static let opcode = HCIOpcode.leReadNumberOfSupportedAdvertisingSets
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        /// 1…240.
        package let count: UInt8

        package init(decoding reader: inout ByteReader) throws(DecodeError) {
            count = try reader.u8("Num_Supported_Advertising_Sets")
        }
    }
}

/// Core 5.4, Vol 4, Part E, 7.8.59.
package struct LERemoveAdvertisingSet: HCICommand {
    package static let opcode = HCIOpcode.leRemoveAdvertisingSet
    package var set: UInt8

    package init(set: UInt8) { self.set = set }
    package func encode(into octets: inout [UInt8]) { octets.append(set) }
}

/// Core 5.4, Vol 4, Part E, 7.8.60.
package struct LEClearAdvertisingSets: HCICommand {
    package static let opcode = HCIOpcode.leClearAdvertisingSets
    package init() {}
}

extension [UInt8] {
    fileprivate mutating func append(_ set: UInt8, _ operation: AdvertisingDataOperation, _ data: [UInt8]) {
        let data = data.prefix(LESetExtendedAdvertisingData.capacity)
        append(set)
        append(operation.rawValue)
        // The Controller should fragment only if it has to.
        append(1)
        append(UInt8(truncatingIfNeeded: data.count))
        append(contentsOf: data)
    }
}
