// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Knows where the packets of one direction carry keys that must not reach a file.
struct KeyRedaction {
    /// The first octets of the frame that each link is in, by connection handle: length, channel and code.
    private var frames: [UInt16: [UInt8]] = [:]
    private static let headerLength = 5
    private static let secretCodes: Set<UInt8> = [0x03, 0x04, 0x06, 0x07, 0x08, 0x09, 0x0A]

    /// The octets of an H4 packet that hold key material; nil when there are none. Every packet has to be shown: a frame
    /// may come in pieces.
    mutating func octets(of packet: RawSpan) -> Range<Int>? {
        guard packet.byteCount >= 4 else { return nil }
        switch HCIPacketType(rawValue: packet.u8(at: 0)) {
        case .command: return Self.octets(ofCommand: HCIOpcode(rawValue: packet.u16(at: 1)))
        case .event: return Self.octets(ofEvent: packet)
        case .aclData: return octets(ofData: packet)
        default: return nil
        }
    }

    /// Parameters begin at 4. Core 5.4, Vol 4, Part E, 7.8.
    private static func octets(ofCommand opcode: HCIOpcode) -> Range<Int>? {
        switch opcode {
        case .leEnableEncryption: 16..<32
        case .leLongTermKeyRequestReply: 6..<22
        case .leAddDeviceToResolvingList: 11..<43
        // The key and the block: with a key that everybody knows, the block tells what comes of it.
        case .leEncrypt: 4..<36
        // The last 16 octets are the Broadcast_Code.
        case .leCreateBIG: 19..<35
        case .leCreateBIGTest: 24..<40
        case .leBIGCreateSync: 8..<24
        default: nil
        }
    }

    /// What a controller has computed, or drawn for somebody who makes a key of it.
    private static func octets(ofEvent packet: RawSpan) -> Range<Int>? {
        switch HCIEventCode(rawValue: packet.u8(at: 1)) {
        case .commandComplete where packet.byteCount > 6:
            let opcode = HCIOpcode(rawValue: packet.u16(at: 4))
            return opcode == .leEncrypt || opcode == .leRand ? 7..<max(7, packet.byteCount) : nil
        case .leMeta where packet.u8(at: 3) == LESubeventCode.generateDHKeyComplete.rawValue: return 5..<37
        default: return nil
        }
    }

    /// Security Manager PDUs 0x06…0x0A distribute keys; the values follow the code. Core 5.4, Vol 3, Part H, 3.6.
    ///
    /// Pairing Confirm, 0x03, and Pairing Random, 0x04, are what LE legacy pairing makes its key of, and the passkey: with
    /// a Temporary Key that is zero, or one of a million, the random number follows from the confirm value, and the key
    /// from both random numbers (2.2.3, 2.2.4). Those of Secure Connections open what was committed to (2.3.5.6.3).
    ///
    /// The rest stays, as no key follows from it: Secure Connections' keys take the secret that goes with a public key
    /// (0x0C), which is never sent, and the random numbers; Pairing DHKey Check (0x0D) is computed with such a key.
    private mutating func octets(ofData packet: RawSpan) -> Range<Int>? {
        let (handle, isContinuing) = (packet.u16(at: 1) & 0x0FFF, packet.u16(at: 1) & 0x3000 == 0x1000)
        var header = isContinuing ? frames[handle] ?? [] : []
        let start = 5
        let end = start + Self.headerLength - header.count
        for index in start..<max(start, min(end, packet.byteCount)) { header.append(packet.u8(at: index)) }
        frames[handle] = header
        guard packet.byteCount > end, header[2] == 0x06, header[3] == 0x00 else { return nil }
        return Self.secretCodes.contains(header[4]) ? end..<packet.byteCount : nil
    }
}
