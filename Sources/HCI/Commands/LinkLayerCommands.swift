// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Proposes the data length of a link. Core 5.4, Vol 4, Part E, 7.8.33.
package struct LESetDataLength: HCICommand {
    package static let opcode = HCIOpcode.leSetDataLength
    package var handle: UInt16
    /// 27…251.
    package var octets: UInt16
    /// 328…17,040 µs.
    package var microseconds: UInt16

    package init(handle: UInt16, octets: UInt16 = 251, microseconds: UInt16 = 2120) {
        self.handle = handle
        self.octets = octets
        self.microseconds = microseconds
    }

    package func encode(into output: inout [UInt8]) {
        output.append(u16: handle)
        output.append(u16: octets)
        output.append(u16: microseconds)
    }
}

/// Asks for the PHYs of a link. Core 5.4, Vol 4, Part E, 7.8.47.
package struct LEReadPHY: HCICommand {
    package static let opcode = HCIOpcode.leReadPHY
    package var handle: UInt16

    package init(handle: UInt16) { self.handle = handle }
    package func encode(into octets: inout [UInt8]) { octets.append(u16: handle) }

    package struct ReturnParameters: HCIReturnParameters {
        package let handle: UInt16
        package let transmit: UInt8
        package let receive: UInt8

        package init(decoding reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.u16("Connection_Handle") & 0x0FFF
            transmit = try reader.u8("TX_PHY")
            receive = try reader.u8("RX_PHY")
        }
    }
}

/// The PHYs that a peer may have when it asks for them. Core 5.4, Vol 4, Part E, 7.8.48.
package struct LESetDefaultPHY: HCICommand {
    package static let opcode = HCIOpcode.leSetDefaultPHY
    package var phys: LEPHYs

    package init(phys: LEPHYs) { self.phys = phys }

    package func encode(into octets: inout [UInt8]) {
        octets.append(0)
        octets.append(phys.rawValue)
        octets.append(phys.rawValue)
    }
}

/// Asks for PHYs on one link, equal in both directions. Core 5.4, Vol 4, Part E, 7.8.49.
package struct LESetPHY: HCICommand {
    package static let opcode = HCIOpcode.leSetPHY
    package var handle: UInt16
    package var phys: LEPHYs

    package init(handle: UInt16, phys: LEPHYs) {
        self.handle = handle
        self.phys = phys
    }

    package func encode(into octets: inout [UInt8]) {
        octets.append(u16: handle)
        octets.append(0)
        octets.append(phys.rawValue)
        octets.append(phys.rawValue)
        octets.append(u16: 0)
    }
}
