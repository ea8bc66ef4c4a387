// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Ends a link. Core 5.4, Vol 4, Part E, 7.1.6.
package struct Disconnect: HCICommand {
    package static let opcode = HCIOpcode.disconnect
    package var handle: UInt16
    package var reason: HCIStatus

    package init(handle: UInt16, reason: HCIStatus = .remoteUserTerminated) {
        self.handle = handle
        self.reason = reason
    }

    package func encode(into octets: inout [UInt8]) {
        octets.append(u16: handle)
        octets.append(reason.rawValue)
    }
}

/// Asks for the signal strength of a link. Core 5.4, Vol 4, Part E, 7.5.4.
package struct ReadRSSI: HCICommand {
    package static let opcode = HCIOpcode.readRSSI
    package var handle: UInt16

    package init(handle: UInt16) { self.handle = handle }

    package func encode(into octets: inout [UInt8]) { octets.append(u16: handle) }

    package struct ReturnParameters: HCIReturnParameters {
        package let handle: UInt16
        /// dBm; 127 when the controller does not know it.
        package let rssi: Int8

        package init(decoding reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.u16("Handle")
            rssi = try reader.i8("RSSI")
        }
    }
}

/// Changes the parameters of a link. Core 5.4, Vol 4, Part E, 7.8.18.
package struct LEConnectionUpdate: HCICommand {
    package static let opcode = HCIOpcode.leConnectionUpdate
    package var handle: UInt16
    package var parameters: ConnectionParameters

    package init(handle: UInt16, parameters: ConnectionParameters) {
        self.handle = handle
        self.parameters = parameters
    }

    package func encode(into octets: inout [UInt8]) {
        octets.append(u16: handle)
        octets.append(parameters: parameters)
    }
}

/// Accepts parameters that the peer's link layer asked for. Core 5.4, Vol 4, Part E, 7.8.31.
package struct LERemoteConnectionParameterRequestReply: HCICommand {
    package static let opcode = HCIOpcode.leRemoteConnectionParameterRequestReply
    package var handle: UInt16
    package var parameters: ConnectionParameters

    package init(handle: UInt16, parameters: ConnectionParameters) {
        self.handle = handle
        self.parameters = parameters
    }

    package func encode(into octets: inout [UInt8]) {
        octets.append(u16: handle)
        octets.append(parameters: parameters)
    }
}

/// Refuses parameters that the peer's link layer asked for. Core 5.4, Vol 4, Part E, 7.8.32.
package struct LERemoteConnectionParameterRequestNegativeReply: HCICommand {
    package static let opcode = HCIOpcode.leRemoteConnectionParameterRequestNegativeReply
    package var handle: UInt16
    package var reason: HCIStatus

    package init(handle: UInt16, reason: HCIStatus = .unacceptableConnectionParameters) {
        self.handle = handle
        self.reason = reason
    }

    package func encode(into octets: inout [UInt8]) {
        octets.append(u16: handle)
        octets.append(reason.rawValue)
    }
}

extension [UInt8] {
    /// Interval range, latency, timeout and an open connection event length.
    fileprivate mutating func append(parameters: ConnectionParameters) {
        append(u16: parameters.minimumInterval.units)
        append(u16: parameters.maximumInterval.units)
        append(u16: parameters.latency.events)
        append(u16: parameters.timeout.units)
        append(u16: 0)
        append(u16: 0)
    }
}
