// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Knows where packets carry keys that must not reach a file.
enum KeyRedaction {
    /// The octets of an H4 packet that hold key material; nil when there are none.
    static func octets(of packet: RawSpan) -> Range<Int>? {
        guard packet.byteCount >= 4 else { return nil }
        switch HCIPacketType(rawValue: packet.u8(at: 0)) {
        case .command:
            switch HCIOpcode(rawValue: packet.u16(at: 1)) {
            case .leEnableEncryption: return 16..<32
            case .leLongTermKeyRequestReply: return 6..<22
            case .leAddDeviceToResolvingList: return 11..<43
            case .leEncrypt: return 4..<20
            default: return nil
            }
        case .aclData:
            // Security Manager PDUs 0x06…0x0A distribute keys; the values follow the code. Vol 3, Part H, 3.6.
            guard packet.byteCount > 10, packet.u16(at: 1) & 0x3000 != 0x1000, packet.u16(at: 7) == 0x0006,
                (0x06...0x0A).contains(packet.u8(at: 9))
            else { return nil }
            return 10..<packet.byteCount
        default:
            return nil
        }
    }
}
