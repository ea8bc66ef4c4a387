// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Returns the controller to its initial state. Core 5.4, Vol 4, Part E, 7.3.2.
package struct Reset: HCICommand {
    package static let opcode = HCIOpcode.reset
    package init() {}
}

/// Chooses the events that the controller may send. Core 5.4, Vol 4, Part E, 7.3.1.
package struct SetEventMask: HCICommand {
    package static let opcode = HCIOpcode.setEventMask
    package var mask: UInt64

    /// The events that an LE host needs: disconnection, encryption, versions, hardware error, completed packets, buffer
    /// overflow, key refresh and the LE Meta event.
    package static let leHost = SetEventMask(mask: 0x2000_8000_0200_8890)

    package init(mask: UInt64) { self.mask = mask }
    package func encode(into octets: inout [UInt8]) { octets.append(u64: mask) }
}

/// Chooses the LE Meta events that the controller may send. Core 5.4, Vol 4, Part E, 7.8.1.
package struct LESetEventMask: HCICommand {
    package static let opcode = HCIOpcode.leSetEventMask
    package var mask: UInt64

    package init(mask: UInt64) { self.mask = mask }
    package func encode(into octets: inout [UInt8]) { octets.append(u64: mask) }
}

/// Core 5.4, Vol 4, Part E, 7.4.1.
package struct ReadLocalVersionInformation: HCICommand {
    package static let opcode = HCIOpcode.readLocalVersionInformation
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        /// Assigned Numbers, 2.1: 6 is 4.0, 9 is 5.0, 13 is 5.4.
        package let hciVersion: UInt8
        package let hciSubversion: UInt16
        package let companyIdentifier: UInt16

        package init(decoding reader: inout ByteReader) throws(DecodeError) {
            hciVersion = try reader.u8("HCI_Version")
            hciSubversion = try reader.u16("HCI_Subversion")
            _ = try reader.u8("LMP_Version")
            companyIdentifier = try reader.u16("Company_Identifier")
        }
    }
}

/// Core 5.4, Vol 4, Part E, 7.4.2.
package struct ReadLocalSupportedCommands: HCICommand {
    package static let opcode = HCIOpcode.readLocalSupportedCommands
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        package let commands: SupportedCommands

        package init(decoding reader: inout ByteReader) throws(DecodeError) {
            commands = SupportedCommands(octets: Array(try reader.bytes(64, "Supported_Commands")))
        }
    }
}

/// Core 5.4, Vol 4, Part E, 7.4.3.
package struct ReadLocalSupportedFeatures: HCICommand {
    package static let opcode = HCIOpcode.readLocalSupportedFeatures
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        package let features: UInt64

        /// LE Supported (Controller), Vol 2, Part C, 3.3.
        package var supportsLE: Bool { features >> 38 & 1 == 1 }

        package init(decoding reader: inout ByteReader) throws(DecodeError) {
            features = try reader.u64("LMP_Features")
        }
    }
}

/// Core 5.4, Vol 4, Part E, 7.4.5.
package struct ReadBufferSize: HCICommand {
    package static let opcode = HCIOpcode.readBufferSize
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        package let aclLength: UInt16
        package let aclCount: UInt16

        package init(decoding reader: inout ByteReader) throws(DecodeError) {
            aclLength = try reader.u16("ACL_Data_Packet_Length")
            _ = try reader.u8("Synchronous_Data_Packet_Length")
            aclCount = try reader.u16("Total_Num_ACL_Data_Packets")
        }
    }
}

/// Core 5.4, Vol 4, Part E, 7.4.6.
package struct ReadBDADDR: HCICommand {
    package static let opcode = HCIOpcode.readBDADDR
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        package let address: DeviceAddress

        package init(decoding reader: inout ByteReader) throws(DecodeError) {
            address = DeviceAddress(kind: .public, value: try reader.u48("BD_ADDR"))
        }
    }
}

/// Core 5.4, Vol 4, Part E, 7.8.2.
package struct LEReadBufferSize: HCICommand {
    package static let opcode = HCIOpcode.leReadBufferSize
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        /// 0 when the controller shares the BR/EDR buffers: see ``ReadBufferSize``.
        package let aclLength: UInt16
        package let aclCount: UInt8

        package init(decoding reader: inout ByteReader) throws(DecodeError) {
            aclLength = try reader.u16("LE_ACL_Data_Packet_Length")
            aclCount = try reader.u8("Total_Num_LE_ACL_Data_Packets")
        }
    }
}

/// Core 5.4, Vol 4, Part E, 7.8.3.
package struct LEReadLocalSupportedFeatures: HCICommand {
    package static let opcode = HCIOpcode.leReadLocalSupportedFeatures
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        package let features: LEFeatures

        package init(decoding reader: inout ByteReader) throws(DecodeError) {
            features = LEFeatures(rawValue: try reader.u64("LE_Features"))
        }
    }
}

/// Core 5.4, Vol 4, Part E, 7.8.27.
package struct LEReadSupportedStates: HCICommand {
    package static let opcode = HCIOpcode.leReadSupportedStates
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        package let states: LEStates

        package init(decoding reader: inout ByteReader) throws(DecodeError) {
            states = LEStates(rawValue: try reader.u64("LE_States"))
        }
    }
}

/// Core 5.4, Vol 4, Part E, 7.8.4.
package struct LESetRandomAddress: HCICommand {
    package static let opcode = HCIOpcode.leSetRandomAddress
    package var address: DeviceAddress

    package init(address: DeviceAddress) { self.address = address }
    package func encode(into octets: inout [UInt8]) { octets.append(u48: address.value) }
}

/// Proposes the data length for new links. Core 5.4, Vol 4, Part E, 7.8.35.
package struct LEWriteSuggestedDefaultDataLength: HCICommand {
    package static let opcode = HCIOpcode.leWriteSuggestedDefaultDataLength
    /// 27…251.
    package var octets: UInt16
    /// 328…17,040 µs.
    package var microseconds: UInt16

    package init(octets: UInt16 = 251, microseconds: UInt16 = 2120) {
        self.octets = octets
        self.microseconds = microseconds
    }

    package func encode(into output: inout [UInt8]) {
        output.append(u16: octets)
        output.append(u16: microseconds)
    }
}
