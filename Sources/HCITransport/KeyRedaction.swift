// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Knows where the packets of one direction carry secrets that must not reach a file: keys, what is written to characteristics,
/// which may be a password, and what others read of ours, which may be a passkey.
struct KeyRedaction {
    /// PDUs of the Attribute Protocol that write: Write Request, Write Command, Prepare Write Request, Signed Write Command.
    /// Core 5.4, Vol 3, Part F, 3.4.8.
    static let writes: Set<UInt8> = [0x12, 0x52, 0x16, 0xD2]
    /// Prepare Write Response, which has what was written.
    static let echoes: Set<UInt8> = [0x17]
    /// What a peer reads here: Read By Type Response, Read Response, Read Blob Response. Core 5.4, Vol 3, Part F, 3.4.4.
    static let answers: Set<UInt8> = [0x09, 0x0B, 0x0D]
    /// Values of so many octets are told: they switch something on, as subscriptions do.
    private static let shortValue = 2

    /// The first octets of a frame: length, channel and code. In place, as this is looked at for every packet.
    private struct Header {
        var octets: (UInt8, UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0, 0)
        var count = 0

        mutating func append(_ octet: UInt8) {
            switch count {
            case 0: octets.0 = octet
            case 1: octets.1 = octet
            case 2: octets.2 = octet
            case 3: octets.3 = octet
            default: octets.4 = octet
            }
            count += 1
        }

        var isComplete: Bool { count >= KeyRedaction.headerLength }
        /// Of what follows the length and the channel. Core 5.4, Vol 3, Part A, 3.1.
        var length: Int { Int(octets.0) | Int(octets.1) << 8 }
        /// Fixed channels: Core 5.4, Vol 3, Part A, 2.1.
        var isOfSecurityManager: Bool { octets.2 == 0x06 && octets.3 == 0x00 }
        var isOfAttributes: Bool { octets.2 == 0x04 && octets.3 == 0x00 }
        var code: UInt8 { octets.4 }
    }

    /// Of the Attribute Protocol's PDUs, those whose values are left out.
    private let hidden: Set<UInt8>
    /// The frames that may hold secrets and go on, by connection handle.
    private var frames: [UInt16: Header] = [:]
    private static let headerLength = 5
    private static let secretCodes: Set<UInt8> = [0x03, 0x04, 0x06, 0x07, 0x08, 0x09, 0x0A]

    /// - Parameter hidden: Of the Attribute Protocol's PDUs, those whose values are left out.
    init(hidden: Set<UInt8>) { self.hidden = hidden }

    /// The octets of an H4 packet that hold secrets; nil when there are none. Every packet has to be shown: a frame
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
        guard !isContinuing || frames[handle] != nil else { return nil }
        var header = isContinuing ? frames[handle] ?? Header() : Header()
        let isBegun = header.isComplete
        let start = 5
        let end = start + Self.headerLength - header.count
        for index in start..<max(start, min(end, packet.byteCount)) { header.append(packet.u8(at: index)) }
        let isSecret = hasSecret(header)
        if isSecret || !header.isComplete {
            frames[handle] = header
        } else if !frames.isEmpty {
            frames[handle] = nil
        }
        guard isSecret else { return nil }
        let place = header.isOfSecurityManager || isBegun ? 0 : Self.toldOctets(of: header.code)
        return packet.byteCount > end + place ? end + place..<packet.byteCount : nil
    }

    /// Which attribute it is, and where in its value, may be told; of a list of declarations its lengths and the first.
    private static func toldOctets(of code: UInt8) -> Int {
        switch code {
        case 0x09: 8
        case 0x0B, 0x0D: 0
        case 0x16, 0x17: 4
        default: 2
        }
    }

    private func hasSecret(_ header: Header) -> Bool {
        guard header.isComplete else { return false }
        if header.isOfSecurityManager { return Self.secretCodes.contains(header.code) }
        guard header.isOfAttributes, hidden.contains(header.code) else { return false }
        // The last part of a value may be as short as can be.
        return header.code == 0x0D || header.length > 3 + Self.shortValue
    }
}
