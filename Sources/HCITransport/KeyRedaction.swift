// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Knows where the packets of one direction carry keys that must not reach a file.
struct KeyRedaction {
    /// The first octets of the frame that each link is in, by connection handle: length, channel and code.
    private var frames: [UInt16: [UInt8]] = [:]
    private static let headerLength = 5

    /// The octets of an H4 packet that hold key material; nil when there are none. Every packet has to be shown: a frame
    /// may come in pieces.
    mutating func octets(of packet: RawSpan) -> Range<Int>? {
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
        case .aclData: return octets(ofData: packet)
        default: return nil
        }
    }

    /// Security Manager PDUs 0x06…0x0A distribute keys; the values follow the code. Core 5.4, Vol 3, Part H, 3.6.
    /// Pairing Random, 0x04, opens what Pairing Confirm commits to: with it, the passkey of a device is found by trying,
    /// and the keys of LE legacy pairing after it. Core 5.4, Vol 3, Part H, 2.3.5.5 and 2.3.5.6.3.
    private mutating func octets(ofData packet: RawSpan) -> Range<Int>? {
        let (handle, isContinuing) = (packet.u16(at: 1) & 0x0FFF, packet.u16(at: 1) & 0x3000 == 0x1000)
        var header = isContinuing ? frames[handle] ?? [] : []
        let start = 5
        let end = start + Self.headerLength - header.count
        for index in start..<max(start, min(end, packet.byteCount)) { header.append(packet.u8(at: index)) }
        frames[handle] = header
        guard packet.byteCount > end, header[2] == 0x06, header[3] == 0x00 else { return nil }
        return header[4] == 0x04 || (0x06...0x0A).contains(header[4]) ? end..<packet.byteCount : nil
    }
}
