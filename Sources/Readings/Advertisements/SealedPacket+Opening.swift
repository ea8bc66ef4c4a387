// SPDX-License-Identifier: Apache-2.0

import SensorCipher

extension PacketCipher {
    /// The plain text of a packet. Nil when the key has another length than its cipher's (16 octets, or 24 of key
    /// material), or when the packet's tag, or its copy of the
    /// key's first octet, does not fit the key.
    package static func open(_ packet: SealedPacket, key: [UInt8]) -> [UInt8]? {
        if let check = packet.keyCheck, key.first != check { return nil }
        return switch packet.cipher {
        case .ccm(let nonce, let additionalData, let tag):
            openCCM(packet.ciphertext, key: key, nonce: nonce, additionalData: additionalData, tag: tag)
        case .keyMaterial(let randomizer, let additionalData, let tag):
            key.count != 24
                ? nil
                : openCCM(
                    packet.ciphertext, key: Array(key.prefix(16)), nonce: randomizer + key.suffix(8),
                    additionalData: additionalData, tag: tag)
        case .ctr(let block): openCTR(packet.ciphertext, key: key, block: block)
        case .ecb(let own): openBlock(packet.ciphertext, key: own)
        }
    }
}
