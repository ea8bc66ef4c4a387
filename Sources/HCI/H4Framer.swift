// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Finds packet borders in the octet stream of an H4 transport. Core 5.4, Vol 4, Part A.
///
/// The caller keeps the octets; the framer only measures. H4 has no synchronisation of its own. An octet that is no
/// packet type means a broken stream, and the transport has to resynchronise (see ``H4Resynchronizer``).
package enum H4Framer {
    package enum Result: Equatable, Sendable {
        /// A whole packet of `length` octets, its type octet included, starts here.
        case packet(HCIPacketType, length: Int)
        /// At least `octets` more octets are needed.
        case needs(octets: Int)
        /// The first octet is no packet type.
        case unknownType(UInt8)
    }

    package static func next(_ octets: RawSpan) -> Result {
        guard octets.byteCount > 0 else { return .needs(octets: 1) }
        let first = octets.u8(at: 0)
        guard let type = HCIPacketType(rawValue: first) else { return .unknownType(first) }
        let header = 1 + type.headerLength
        guard octets.byteCount >= header else { return .needs(octets: header - octets.byteCount) }
        let payload: Int
        switch type {
        case .command, .synchronousData: payload = Int(octets.u8(at: 3))
        case .event: payload = Int(octets.u8(at: 2))
        case .aclData: payload = Int(octets.u16(at: 3))
        case .isoData: payload = Int(octets.u16(at: 3) & 0x3FFF)
        }
        let length = header + payload
        guard octets.byteCount >= length else { return .needs(octets: length - octets.byteCount) }
        return .packet(type, length: length)
    }
}
