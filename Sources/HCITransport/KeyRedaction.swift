// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Decides which octets of the packets of one direction may reach a file. Four kinds of octets may not: keys, values
/// written to characteristics (a value may be a password), values that peers read from us (a value may be a passkey),
/// and all values of a link on which a peer gives a key (``hideValues(on:)``).
///
/// In the data of a link, only the octets that ``ToldOctets`` lists are harmless. The redaction blanks all other
/// octets: other PDUs, other channels, octets behind the end of a frame, and fragments of a frame without its
/// beginning.
struct KeyRedaction {
    /// The first octets of a frame: length, channel and code. A tuple, not an array, because every packet is checked.
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
        /// Octets after the length and the channel; nil until the length is known. Core 5.4, Vol 3, Part A, 3.1.
        var length: Int? { count >= 2 ? Int(octets.0) | Int(octets.1) << 8 : nil }
        var channel: UInt16 { UInt16(octets.2) | UInt16(octets.3) << 8 }
        var code: UInt8 { octets.4 }
    }

    private struct Frame {
        var header = Header()
        /// Octets received so far, the length and the channel included.
        var count = 0

        var isWhole: Bool { header.length.map { count >= KeyRedaction.basicHeaderLength + $0 } ?? false }
    }

    private let values: ToldOctets
    /// Links whose values are secrets, by connection handle.
    private var secretLinks: Set<UInt16> = []
    /// For ``secretLinks``: no values at all.
    private static let noValues = ToldOctets(.recorderSent)
    /// The frames that continue in the next packet, by connection handle. A handle has 12 bits.
    private var frames: [UInt16: Frame] = [:]
    private static let headerLength = 5
    /// The length and the channel.
    private static let basicHeaderLength = 4
    /// H4 type, connection handle and length. Core 5.4, Vol 4, Part E, 5.4.2.
    private static let dataStart = 5

    /// - Parameter values: The octets of Attribute Protocol PDUs that may reach the file.
    init(_ values: ToldOctets) { self.values = values }

    /// From now on, no value of this link reaches the file, until another link has its handle.
    mutating func hideValues(on handle: UInt16) { secretLinks.insert(handle) }

    /// The octets of an H4 packet that may be secrets; nil when there are none. The caller has to pass every packet: a
    /// frame may come in pieces.
    mutating func octets(of packet: RawSpan) -> Range<Int>? {
        guard packet.byteCount > 0 else { return nil }
        switch HCIPacketType(rawValue: packet.u8(at: 0)) {
        case .command:
            return packet.byteCount < 4 ? nil : Self.octets(ofCommand: HCIOpcode(rawValue: packet.u16(at: 1)))
        case .event:
            guard packet.byteCount >= 4 else { return nil }
            if !secretLinks.isEmpty { noteNewLink(packet) }
            return Self.octets(ofEvent: packet)
        case .aclData: return octets(ofData: packet)
        // The host uses no packets of these types, so none of their octets is known to be harmless.
        case .synchronousData, .isoData, nil: return packet.byteCount > 1 ? 1..<packet.byteCount : nil
        }
    }

    /// Parameters begin at 4. Core 5.4, Vol 4, Part E, 7.8.
    private static func octets(ofCommand opcode: HCIOpcode) -> Range<Int>? {
        switch opcode {
        case .leEnableEncryption: 16..<32
        case .leLongTermKeyRequestReply: 6..<22
        case .leAddDeviceToResolvingList: 11..<43
        // The key and the block: if the key is public, the block alone gives the result away.
        case .leEncrypt: 4..<36
        // The last 16 octets are the Broadcast_Code.
        case .leCreateBIG: 19..<35
        case .leCreateBIGTest: 24..<40
        case .leBIGCreateSync: 8..<24
        default: nil
        }
    }

    /// Values that a controller has computed, and random numbers that may become keys.
    private static func octets(ofEvent packet: RawSpan) -> Range<Int>? {
        switch HCIEventCode(rawValue: packet.u8(at: 1)) {
        case .commandComplete where packet.byteCount > 6:
            let opcode = HCIOpcode(rawValue: packet.u16(at: 4))
            return opcode == .leEncrypt || opcode == .leRand ? 7..<max(7, packet.byteCount) : nil
        case .leMeta where packet.u8(at: 3) == LESubeventCode.generateDHKeyComplete.rawValue: return 5..<37
        default: return nil
        }
    }

    /// A new link may have the handle of a former link. Values of the former link may arrive behind the event of its end.
    /// Core 5.4, Vol 4, Part E, 7.7.65.1 and 7.7.65.10.
    private mutating func noteNewLink(_ packet: RawSpan) {
        guard HCIEventCode(rawValue: packet.u8(at: 1)) == .leMeta, packet.byteCount >= 7,
            [0x01, 0x0A, 0x29].contains(packet.u8(at: 3)), packet.u8(at: 4) == HCIStatus.success.rawValue
        else { return }
        secretLinks.remove(packet.u16(at: 5) & 0x0FFF)
    }

    private mutating func octets(ofData packet: RawSpan) -> Range<Int>? {
        let end = packet.byteCount
        guard end >= Self.dataStart else { return nil }
        let field = packet.u16(at: 1)
        let handle = field & 0x0FFF
        var frame = Frame()
        // The Packet_Boundary_Flag. Core 5.4, Vol 4, Part E, 5.4.2.
        switch field >> 12 & 0b11 {
        case 0b00, 0b10: break
        case 0b01:
            guard let begun = frames[handle] else { return Self.dataStart..<end }
            frame = begun
        default: return Self.dataStart..<end
        }
        let offset = frame.count
        for index in Self.dataStart..<min(Self.dataStart + Self.headerLength - frame.header.count, end) {
            frame.header.append(packet.u8(at: index))
        }
        frame.count += end - Self.dataStart
        if !frame.isWhole {
            frames[handle] = frame
        } else if !frames.isEmpty {
            frames[handle] = nil
        }
        let first = Self.dataStart + max(0, told(of: frame.header, on: handle) - offset)
        return first < end ? first..<end : nil
    }

    /// Octets of a frame that may reach the file as far as its header is known, counted from the length.
    private func told(of header: Header, on handle: UInt16) -> Int {
        guard header.isComplete, let length = header.length, length > 0 else { return Self.basicHeaderLength }
        let values = !secretLinks.isEmpty && secretLinks.contains(handle) ? Self.noValues : values
        return Self.basicHeaderLength + min(length, values.count(on: header.channel, code: header.code, length: length))
    }
}
