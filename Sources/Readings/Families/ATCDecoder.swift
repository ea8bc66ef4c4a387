// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The formats of the ATC1441 and PVVX firmware for Xiaomi's thermometers.
///
/// The first octet of a record is its format. For ATC1441 and PVVX, this octet is the length on the air, 13 or 15, and
/// the address is left out. For their encrypted packets, this octet is the length of the plaintext, 3 or 6.
enum ATCDecoder: RecordDecoder {
    static let records = RecordTable(.atc)
    private static let service: UInt16 = 0x181A
    static let carriers: [AdvertisementCarrier] = [.serviceData(service)]
    static let needs = records.needs(key: .optional)

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let data = advertisement.serviceData[service], let address = advertisement.addressOctets else {
            return nil
        }
        switch data.count {
        case 13:
            guard data.prefix(6).elementsEqual(address) else { return nil }
            return .plain(packet([13] + data.dropFirst(6), number: data[12]))
        case 15:
            guard data.prefix(6).elementsEqual(address.reversed()) else { return nil }
            return .plain(packet([15] + data.dropFirst(6), number: data[13]))
        case 8, 11:
            // The nonce also has the head of the AD structure: its length, its type and the UUID.
            let head = [UInt8(data.count + 3), 0x16, 0x1A, 0x18, data[0]]
            return .sealed(
                SealedPacket(
                    .ccm(nonce: address.reversed() + head, additionalData: [0x11], tag: Array(data.suffix(4))),
                    ciphertext: Array(data[1..<(data.count - 4)]), header: [data[0]],
                    counter: PacketNumber(UInt32(data[0]), bits: 8)))
        default: return nil
        }
    }

    private static func packet(_ value: [UInt8], number: UInt8) -> AdvertisedPacket {
        AdvertisedPacket(value, number: PacketNumber(UInt32(number), bits: 8))
    }

    static func unsealed(_ packet: SealedPacket, plaintext: [UInt8]) -> AdvertisedPacket? {
        let value = [UInt8(plaintext.count)] + plaintext
        guard let number = packet.header.first, (try? decode(value)) != nil else { return nil }
        return self.packet(value, number: number)
    }
}
