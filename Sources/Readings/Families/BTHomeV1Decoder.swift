// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// BTHome version 1, which is superseded and still flashed on many sensors (bthome.io, "Format (v1)").
///
/// A value is the objects. The UUIDs belong to the SIG's User Data and Bond Management services. Data with anything but
/// BTHome objects is therefore not BTHome.
enum BTHomeV1Decoder: AdvertisementDecoder {
    static let family = "bthome-v1"
    static let name = "BTHome version 1"
    private static let plain: UInt16 = 0x181C
    private static let encrypted: UInt16 = 0x181E
    static let carriers: [AdvertisementCarrier] = [.serviceData(plain), .serviceData(encrypted)]
    static let quantities = BTHomeDecoder.quantities.filter { ![.command, .deviceType, .firmwareVersion].contains($0) }
    static let needs = FamilyNeeds(
        key: .optional, products: "ATC_MiThermometer (PVVX) and DIY sensors with older firmware",
        hint: "Flash a firmware that speaks version 2 where there is one.")

    private enum Kind: UInt8 {
        case unsigned, signed, float, text, address, timestamp
    }

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        if let data = advertisement.serviceData[plain] { return packet(data[...]).map { .plain($0) } }
        guard let data = advertisement.serviceData[encrypted], data.count > 10,
            let address = advertisement.addressOctets
        else { return nil }
        let counter = Array(data.suffix(8).prefix(4))
        return .sealed(
            SealedPacket(
                .ccm(nonce: address + [0x1E, 0x18] + counter, additionalData: [0x11], tag: Array(data.suffix(4))),
                ciphertext: Array(data.dropLast(8)),
                counter: PacketNumber(counter.reversed().reduce(0) { $0 << 8 | UInt32($1) }, bits: 32)))
    }

    static func unsealed(_ packet: SealedPacket, plaintext: [UInt8]) -> AdvertisedPacket? {
        self.packet(plaintext[...])
    }

    private static func packet(_ objects: ArraySlice<UInt8>) -> AdvertisedPacket? {
        guard let found = try? fields(objects), found.count > 0 else { return nil }
        return AdvertisedPacket(
            Array(objects), number: found.packetID.map { PacketNumber(UInt32($0), bits: 8) }, isEvent: found.hasEvent)
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] { try fields(value[...]).fields }

    private static func fields(_ objects: ArraySlice<UInt8>) throws(DecodeError) -> BTHomeFields {
        var reader = ByteReader(objects)
        var found = BTHomeFields()
        while reader.remaining > 0 {
            let control = try reader.u8("control")
            let length = Int(control & 0x1F)
            guard let kind = Kind(rawValue: control >> 5), length >= 2 else { throw .invalid(field: "control") }
            let number = try reader.u8("object")
            let octets = try reader.bytes(length - 1, "value")
            // An object of another kind than its number's has no meaning.
            guard let object = BTHomeObject.all[number], let first = octets.first else { continue }
            switch (object.kind, object.quantity, kind) {
            case (.number(_, _, let multiplier, let places), let quantity?, .unsigned),
                (.number(_, _, let multiplier, let places), let quantity?, .signed),
                (.number(_, _, let multiplier, let places), let quantity?, .timestamp):
                try found.appendNumber(
                    quantity, octets, isSigned: kind == .signed, multiplier: multiplier, places: places)
            case (.number(_, _, let multiplier, let places), let quantity?, .float):
                try found.appendFloat(quantity, octets, multiplier: multiplier, places: places)
            case (.binary, let quantity?, .unsigned) where octets.count == 1: try found.appendBinary(quantity, first)
            case (.packetID, _, .unsigned): found.set(packetID: first)
            case (.button, _, _): found.add(.button, text: BTHomeObject.event(ofButton: first), isEvent: true)
            case (.dimmer, _, _) where octets.count == 2:
                let event = BTHomeObject.event(ofDimmer: first)
                found.add(.dimmer, text: event, isEvent: true)
                if event != nil {
                    try found.appendNumber(.dimmerSteps, octets.dropFirst(), isSigned: false, multiplier: 1, places: 0)
                }
            case (.text, _, .text):
                found.add(.text, text: AdvertisedName.clean(String(decoding: octets, as: UTF8.self)))
            default: continue
            }
        }
        return found
    }
}
