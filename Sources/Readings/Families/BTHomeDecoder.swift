// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// BTHome version 2 (bthome.io, "Format" and "Encryption").
///
/// A value is the device information octet, without its flags for encryption and address, and the objects.
enum BTHomeDecoder: AdvertisementDecoder {
    static let family = "bthome"
    static let name = "BTHome"
    static let service: UInt16 = 0xFCD2
    static let carriers: [AdvertisementCarrier] = [.serviceData(service)]
    static let quantities: [Quantity] = Array(Set(BTHomeObject.all.values.compactMap(\.quantity) + [.dimmerSteps]))
        .sorted { $0.key < $1.key }
    static let needs = FamilyNeeds(
        key: .optional, products: "Shelly BLU, PVVX firmware, b-parasite, ESPHome and DIY sensors",
        hint: "The key is shown where encryption is switched on: in the Shelly app, or in the web flasher of PVVX.")

    private static let encrypted: UInt8 = 0x01
    private static let hasAddress: UInt8 = 0x02
    private static let trigger: UInt8 = 0x04

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let data = advertisement.serviceData[service], let information = data.first, information >> 5 == 2,
            information & 0x18 == 0
        else { return nil }
        var rest = data.dropFirst()
        if information & hasAddress != 0 {
            guard let address = advertisement.addressOctets, rest.count >= 6,
                rest.prefix(6).elementsEqual(address.reversed())
            else { return nil }
            rest = rest.dropFirst(6)
        }
        let head = information & ~(encrypted | hasAddress)
        guard information & encrypted != 0 else { return packet(head, rest).map { .plain($0) } }
        guard let address = advertisement.addressOctets, rest.count > 8 else { return nil }
        let counter = Array(rest.suffix(8).prefix(4))
        return .sealed(
            SealedPacket(
                .ccm(
                    nonce: address + [0xD2, 0xFC, information] + counter, additionalData: [],
                    tag: Array(rest.suffix(4))), ciphertext: Array(rest.dropLast(8)), header: [head],
                counter: PacketNumber(counter.reversed().reduce(0) { $0 << 8 | UInt32($1) }, bits: 32)))
    }

    /// The objects of two structures of one packet, for a packet divided between advertisement and scan response; nil
    /// if the structures belong to different packets.
    static func joined(_ first: [UInt8], _ second: [UInt8]) -> [UInt8]? {
        // Plain, without an address, and behind the packet's number.
        guard let information = first.first, information & (encrypted | hasAddress) == 0, first.count > 3,
            second.count > 3,
            first[1] == 0, first.prefix(3) == second.prefix(3)
        else { return nil }
        return first + second.dropFirst(3)
    }

    static func unsealed(_ packet: SealedPacket, plaintext: [UInt8]) -> AdvertisedPacket? {
        packet.header.first.flatMap { self.packet($0, plaintext[...]) }
    }

    private static func packet(_ head: UInt8, _ objects: ArraySlice<UInt8>) -> AdvertisedPacket? {
        guard let found = try? fields(objects), found.count > 0 else { return nil }
        var packet = AdvertisedPacket(
            [head] + objects, number: found.packetID.map { PacketNumber(UInt32($0), bits: 8) },
            isEvent: head & trigger != 0 || found.hasEvent)
        packet.fields = found.fields
        return packet
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        guard value.first.map({ $0 >> 5 == 2 }) ?? false else { throw .invalid(field: "device information") }
        return try fields(value.dropFirst()).fields
    }

    private static func fields(_ objects: ArraySlice<UInt8>) throws(DecodeError) -> BTHomeFields {
        var reader = ByteReader(objects)
        var found = BTHomeFields()
        // The length of an unknown object is unknown, too. Objects before it count.
        while reader.remaining > 0, let object = BTHomeObject.byNumber[Int(try reader.u8("object"))] {
            // Zeros fill a packet up: its number would come first.
            if case .packetID = object.kind, found.count > 0, objects.suffix(reader.remaining).allSatisfy({ $0 == 0 }) {
                break
            }
            try add(object, &reader, into: &found)
        }
        return found
    }

    private static func add(
        _ object: BTHomeObject, _ reader: inout ByteReader, into found: inout BTHomeFields
    ) throws(DecodeError) {
        switch (object.kind, object.quantity) {
        case (.number(let octets, let isSigned, let multiplier, let places), let quantity?):
            try found.appendNumber(
                quantity, try reader.bytes(octets, "number"), isSigned: isSigned, multiplier: multiplier, places: places
            )
        case (.binary, let quantity?): try found.appendBinary(quantity, try reader.u8("binary"))
        case (.button, _):
            found.add(.button, text: BTHomeObject.event(ofButton: try reader.u8("button")), isEvent: true)
        case (.dimmer, _):
            let event = BTHomeObject.event(ofDimmer: try reader.u8("dimmer"))
            let steps = try reader.bytes(1, "steps")
            found.add(.dimmer, text: event, isEvent: true)
            if event != nil {
                try found.appendNumber(.dimmerSteps, steps, isSigned: false, multiplier: 1, places: 0)
            }
        case (.command, _):
            let arguments = Int(try reader.u8("arguments") & 0x1F)
            let name = BTHomeObject.name(ofCommand: try reader.u8("command"))
            _ = try reader.bytes(arguments, "arguments")
            found.add(.command, text: name, isEvent: true)
        case (.text, _):
            let octets = try reader.bytes(Int(try reader.u8("length")), "text")
            found.add(.text, text: AdvertisedName.clean(String(decoding: octets, as: UTF8.self)))
        case (.raw, _):
            _ = try reader.bytes(Int(try reader.u8("length")), "raw")
            found.skip()
        case (.packetID, _): found.set(packetID: try reader.u8("packet id"))
        case (.version(let octets), _):
            let parts = try reader.bytes(octets, "version").reversed().map { String($0) }
            found.add(.firmwareVersion, text: parts.joined(separator: "."))
        case (.number, nil), (.binary, nil): found.skip()
        }
    }
}
