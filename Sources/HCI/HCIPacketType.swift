// SPDX-License-Identifier: Apache-2.0

/// The octet before each packet on H4 and on the kernel's HCI sockets. Core 5.4, Vol 4, Part A, 2.
package enum HCIPacketType: UInt8, Sendable {
    case command = 1
    case aclData = 2
    case synchronousData = 3
    case event = 4
    case isoData = 5

    /// Octets of the header that follows the packet type.
    package var headerLength: Int {
        switch self {
        case .command, .synchronousData: 3
        case .aclData, .isoData: 4
        case .event: 2
        }
    }
}
