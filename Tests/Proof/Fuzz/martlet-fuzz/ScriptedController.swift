// SPDX-License-Identifier: Apache-2.0

import HCI

/// Answers commands as the virtual controller has answered them while the host was set up, and completes every packet.
struct ScriptedController {
    /// Event packets by opcode: Command Complete or Command Status.
    private var answers: [UInt16: [UInt8]] = [:]

    /// Remembers the first answer to each command in a controller's output.
    mutating func learn(from packets: [UInt8]) {
        forEachPacket(of: packets) { packet in
            guard packet.count >= 7, packet[0] == 4 else { return }
            let opcode: UInt16
            switch packet[1] {
            case 0x0E: opcode = UInt16(packet[4]) | UInt16(packet[5]) << 8
            case 0x0F: opcode = UInt16(packet[5]) | UInt16(packet[6]) << 8
            default: return
            }
            if answers[opcode] == nil { answers[opcode] = packet }
        }
    }

    /// The answer to one packet of the host. A `status` other than success refuses the command.
    func answer(to packet: [UInt8], status: UInt8 = 0) -> [UInt8] {
        guard packet.count >= 4 else { return [] }
        let (low, high) = (packet[1], packet[2])
        switch packet[0] {
        case 1:
            let known = answers[UInt16(low) | UInt16(high) << 8]
            guard status != 0 || known == nil else { return known ?? [] }
            return known?[1] == 0x0F ? [4, 0x0F, 4, status, 1, low, high] : [4, 0x0E, 4, 1, low, high, status]
        case 2:
            return [4, 0x13, 5, 1, low, high & 0x0F, 1, 0]
        default:
            return []
        }
    }
}

/// Calls `body` for each whole H4 packet.
func forEachPacket(of octets: [UInt8], _ body: ([UInt8]) -> Void) {
    var offset = 0
    while offset < octets.count,
        case .packet(_, let length) = H4Framer.next(octets.span.bytes.extracting(offset..<octets.count))
    {
        body(Array(octets[offset..<(offset + length)]))
        offset += length
    }
}
