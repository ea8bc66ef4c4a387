// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Xiaomi's MiBeacon, in the clear and encrypted (versions 2 to 5).
///
/// A value is the product number, least significant octet first, and the objects: number, length and octets of each. A
/// record is an object's number, the product number, and the object's octets.
enum MiBeaconDecoder: RecordDecoder {
    static let records = RecordTable(.mibeacon)
    static let service: UInt16 = 0xFE95
    static let carriers: [AdvertisementCarrier] = [.serviceData(service)]
    static let needs = records.needs(key: .optional)

    private struct FrameControl: OptionSet {
        let rawValue: UInt16
        static let encrypted = FrameControl(rawValue: 1 << 3)
        static let address = FrameControl(rawValue: 1 << 4)
        static let capability = FrameControl(rawValue: 1 << 5)
        static let object = FrameControl(rawValue: 1 << 6)
        static let mesh = FrameControl(rawValue: 1 << 7)
        var version: UInt16 { rawValue >> 12 }
    }

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let data = advertisement.serviceData[service], let address = advertisement.addressOctets else {
            return nil
        }
        return try? packet(data, sentBy: address)
    }

    private static func packet(_ data: [UInt8], sentBy address: [UInt8]) throws(DecodeError) -> RecognisedPacket? {
        var reader = ByteReader(data)
        let control = FrameControl(rawValue: try reader.u16("frame control"))
        guard control.version >= 2, control.contains(.object), !control.contains(.mesh) else { return nil }
        let product = Array(try reader.bytes(2, "product"))
        let counter = try reader.u8("frame counter")
        if control.contains(.address) {
            guard try reader.bytes(6, "address").elementsEqual(address.reversed()) else { return nil }
        }
        if control.contains(.capability), try reader.u8("capability") & 0x20 != 0 { _ = try reader.u8("capability") }
        let rest = reader.rest()
        guard control.contains(.encrypted) else {
            return self.packet(product + rest, counter: counter, mustBeKnown: true).map { .plain($0) }
        }
        return control.version >= 4
            ? sealed(rest, product, counter, address) : sealedByOlder(rest, Array(data.prefix(5)), product, address)
    }

    private static func sealed(
        _ rest: ArraySlice<UInt8>, _ product: [UInt8], _ counter: UInt8, _ address: [UInt8]
    ) -> RecognisedPacket? {
        // A button sends an object without octets, which takes three octets.
        guard rest.count >= 3 + 3 + 4 else { return nil }
        let extended = Array(rest.suffix(7).prefix(3))
        let high = extended.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return .sealed(
            SealedPacket(
                .ccm(
                    nonce: address.reversed() + product + [counter] + extended, additionalData: [0x11],
                    tag: Array(rest.suffix(4))), ciphertext: Array(rest.dropLast(7)), header: product + [counter, 1],
                counter: PacketNumber(high << 8 | UInt32(counter), bits: 32), model: model(product)))
    }

    /// Versions 2 and 3 encrypt like CCM, without authentication. Only a plausible plaintext shows that the key is
    /// right.
    private static func sealedByOlder(
        _ rest: ArraySlice<UInt8>, _ head: [UInt8], _ product: [UInt8], _ address: [UInt8]
    ) -> RecognisedPacket? {
        guard rest.count >= 3 + 4, let counter = head.last else { return nil }
        let extended = Array(rest.suffix(4).prefix(3))
        return .sealed(
            SealedPacket(
                .ctr(block: [0x01] + head + extended + Array(address.reversed().prefix(5)) + [0, 1]),
                ciphertext: Array(rest.dropLast(4)), header: product + [counter, 0], model: model(product)))
    }

    static func key(from octets: [UInt8]) -> [UInt8]? {
        switch octets.count {
        case 16: octets
        // Older keys leave out these octets, which are equal in all keys.
        case 12: octets.prefix(6) + [0x8D, 0x3D, 0x3C, 0x97] + octets.suffix(6)
        default: nil
        }
    }

    static func unsealed(_ packet: SealedPacket, plaintext: [UInt8]) -> AdvertisedPacket? {
        guard packet.header.count == 4 else { return nil }
        return self.packet(
            packet.header.prefix(2) + plaintext, counter: packet.header[2], mustBeKnown: packet.header[3] == 0)
    }

    private static func packet(_ value: [UInt8], counter: UInt8, mustBeKnown: Bool) -> AdvertisedPacket? {
        guard let found = try? objects(value), !mustBeKnown || found.unknown == 0 else { return nil }
        let product = UInt16(value[0]) | UInt16(value[1]) << 8
        let isEvent = found.fields.contains { $0.quantity.details.kind == .event }
        var packet = AdvertisedPacket(
            value, number: PacketNumber(UInt32(counter), bits: 8), model: MiBeaconModel.name(of: product),
            isEvent: isEvent || MiBeaconModel.isEventDriven(product))
        packet.fields = found.fields
        return packet
    }

    private static func model(_ product: [UInt8]) -> String? {
        product.count == 2 ? MiBeaconModel.name(of: UInt16(product[0]) | UInt16(product[1]) << 8) : nil
    }

    static func model(of value: [UInt8]) -> String? { model(Array(value.prefix(2))) }

    static func impulses(of model: String) -> [Quantity: Int] { model == "MUE4094RT" ? [.motion: 60] : [:] }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] { try objects(value).fields }

    private static func objects(_ value: [UInt8]) throws(DecodeError) -> (fields: [Field], unknown: Int) {
        var reader = ByteReader(value)
        let product = try reader.u16("product")
        var fields: [Field] = []
        var unknown = 0
        repeat {
            let number = try reader.bytes(2, "object")
            let octets = try reader.bytes(Int(try reader.u8("length")), "object")
            if let found = try Self.fields(of: Array(number + value.prefix(2) + octets)) {
                fields += found
            } else {
                unknown += 1
            }
            // Some sensors fill their packets up with zeros.
        } while reader.remaining > (product == MiBeaconModel.fever ? 1 : 2)
            || (product != MiBeaconModel.fever && value.suffix(reader.remaining).contains { $0 != 0 })
        return (fields, unknown)
    }

    /// Nil for an unknown object. Throws for an impossible value.
    private static func fields(of object: [UInt8]) throws(DecodeError) -> [Field]? {
        if let form = records.form(of: object) { return try form.fields(of: object) }
        return try MiBeaconObject.fields(object)
    }
}
