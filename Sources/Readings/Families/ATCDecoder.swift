// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The formats of the ATC1441 and PVVX firmware for Xiaomi's thermometers (github.com/pvvx/ATC_MiThermometer,
/// "Bluetooth Advertising Formats").
///
/// The first octet of a value is its format. For ATC1441 and PVVX, this octet is the length on the air, 13 or 15. For
/// their encrypted packets, this octet is the length of the plaintext, 3 or 6.
enum ATCDecoder: AdvertisementDecoder {
    static let family = "atc"
    static let name = "ATC1441 and PVVX"
    private static let service: UInt16 = 0x181A
    static let carriers: [AdvertisementCarrier] = [.serviceData(service)]
    static let quantities: [Quantity] = [.temperature, .humidity, .battery, .voltage, .reedSwitch]
    static let needs = FamilyNeeds(
        key: .optional,
        products: "Xiaomi LYWSD03MMC, MHO-C401, CGG1, CGDK2, MJWSD05MMC, Tuya and others with custom firmware",
        hint: "The key is set or read in the firmware's web page. BTHome is the better format of the two: its packets "
            + "are numbered with 32 bits.")

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

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        switch value.first {
        case 13: try atc(value.dropFirst())
        case 15: try pvvx(value.dropFirst())
        case 3: try sealedATC(value.dropFirst())
        case 6: try sealedPVVX(value.dropFirst())
        default: throw .invalid(field: "format")
        }
    }

    private static func atc(_ octets: ArraySlice<UInt8>) throws(DecodeError) -> [Field] {
        var reader = BigEndianReader(octets)
        let temperature = Int64(try reader.i16("temperature"))
        let humidity = Int64(try reader.u8("humidity"))
        let battery = Int64(try reader.u8("battery"))
        let voltage = Int64(try reader.u16("voltage"))
        _ = try reader.u8("counter")
        try reader.finish()
        return [
            .decimal(.temperature, temperature, places: 1), .int(.humidity, humidity), .int(.battery, battery),
            .decimal(.voltage, voltage, places: 3),
        ]
    }

    private static func pvvx(_ octets: ArraySlice<UInt8>) throws(DecodeError) -> [Field] {
        var reader = ByteReader(octets)
        let temperature = Int64(try reader.i16("temperature"))
        let humidity = Int64(try reader.u16("humidity"))
        let voltage = Int64(try reader.u16("voltage"))
        let battery = Int64(try reader.u8("battery"))
        _ = try reader.u8("counter")
        let flags = try reader.u8("flags")
        try reader.finish()
        return [
            .decimal(.temperature, temperature, places: 2), .decimal(.humidity, humidity, places: 2),
            .decimal(.voltage, voltage, places: 3), .int(.battery, battery), .binary(.reedSwitch, flags & 1 != 0),
        ]
    }

    private static func sealedATC(_ octets: ArraySlice<UInt8>) throws(DecodeError) -> [Field] {
        var reader = ByteReader(octets)
        let temperature = Int64(try reader.u8("temperature")) * 5 - 400
        let humidity = Int64(try reader.u8("humidity")) * 5
        let battery = Int64(try reader.u8("battery") & 0x7F)
        try reader.finish()
        return [
            .decimal(.temperature, temperature, places: 1), .decimal(.humidity, humidity, places: 1),
            .int(.battery, battery),
        ]
    }

    private static func sealedPVVX(_ octets: ArraySlice<UInt8>) throws(DecodeError) -> [Field] {
        var reader = ByteReader(octets)
        let temperature = Int64(try reader.i16("temperature"))
        let humidity = Int64(try reader.u16("humidity"))
        let battery = Int64(try reader.u8("battery"))
        let flags = try reader.u8("flags")
        try reader.finish()
        return [
            .decimal(.temperature, temperature, places: 2), .decimal(.humidity, humidity, places: 2),
            .int(.battery, battery), .binary(.reedSwitch, flags & 1 != 0),
        ]
    }
}
