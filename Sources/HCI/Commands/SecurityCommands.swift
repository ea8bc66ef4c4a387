// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Encrypts a link, or changes the key of an encrypted link; for the Central. Core 5.4, Vol 4, Part E, 7.8.24.
///
/// Answered by Encryption Change or Encryption Key Refresh Complete.
package struct LEEnableEncryption: HCICommand {
    package static let opcode = HCIOpcode.leEnableEncryption
    package var handle: UInt16
    package var rand: UInt64
    package var ediv: UInt16
    /// 16 octets, least significant first.
    package var key: [UInt8]

    package init(handle: UInt16, rand: UInt64, ediv: UInt16, key: [UInt8]) {
        self.handle = handle
        self.rand = rand
        self.ediv = ediv
        self.key = key
    }

    package func encode(into octets: inout [UInt8]) {
        octets.append(u16: handle)
        octets.append(u64: rand)
        octets.append(u16: ediv)
        octets.append(contentsOf: key)
    }
}

/// Gives the key for an encryption that the Central asks for. Core 5.4, Vol 4, Part E, 7.8.25.
package struct LELongTermKeyRequestReply: HCICommand {
    package static let opcode = HCIOpcode.leLongTermKeyRequestReply
    package var handle: UInt16
    /// 16 octets, least significant first.
    package var key: [UInt8]

    package init(handle: UInt16, key: [UInt8]) {
        self.handle = handle
        self.key = key
    }

    package func encode(into octets: inout [UInt8]) {
        octets.append(u16: handle)
        octets.append(contentsOf: key)
    }
}

/// Answers that there is no key for an encryption that the Central asks for. Core 5.4, Vol 4, Part E, 7.8.26.
package struct LELongTermKeyRequestNegativeReply: HCICommand {
    package static let opcode = HCIOpcode.leLongTermKeyRequestNegativeReply
    package var handle: UInt16

    package init(handle: UInt16) { self.handle = handle }

    package func encode(into octets: inout [UInt8]) { octets.append(u16: handle) }
}
