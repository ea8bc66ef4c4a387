// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Qingping's sensors with their own firmware. Sensors of Xiaomi's edition speak MiBeacon. A value is the service data. A
/// record is the kind of an object, and its octets.
enum QingpingDecoder: RecordDecoder {
    static let records = RecordTable(.qingping)
    private static let service: UInt16 = 0xFDCD
    static let carriers: [AdvertisementCarrier] = [.serviceData(service)]

    private static let models: [UInt8: String] = [
        0x01: "CGG1", 0x07: "CGG1", 0x16: "CGG1", 0x04: "CGH1", 0x09: "CGP1W", 0x0C: "CGD1", 0x0E: "CGDN1",
        0x24: "CGDN1", 0x0F: "CGM1", 0x10: "CGDK2", 0x12: "CGPR1", 0x15: "CGF1W", 0x18: "CGP23W", 0x26: "CGP23W",
        0x1E: "CGC1", 0x33: "CGP22C", 0x5D: "CGP22C", 0x4F: "CGG3", 0x52: "CGR1", 0x62: "CGR1",
    ]
    private static let eventFlag: UInt8 = 0x40
    private static let doorSensor: UInt8 = 0x04

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let data = advertisement.serviceData[service], data.count > 8, let address = advertisement.addressOctets,
            data[2..<8].elementsEqual(address.reversed()), let found = try? objects(data), found.isKnown
        else { return nil }
        return .plain(
            AdvertisedPacket(
                data, number: found.number.map { PacketNumber(UInt32($0), bits: 8) }, model: models[data[1]],
                isEvent: data[0] & eventFlag != 0 || data[1] == doorSensor))
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] { try objects(value).fields }

    private static func objects(_ value: [UInt8]) throws(DecodeError) -> (
        fields: [Field], number: UInt8?, isKnown: Bool
    ) {
        var reader = ByteReader(value)
        _ = try reader.u8("flags")
        let isContact = try reader.u8("model") == doorSensor
        _ = try reader.bytes(6, "address")
        var (fields, number, isKnown) = ([Field](), UInt8?.none, false)
        while reader.remaining > 0 {
            let kind = try reader.u8("object")
            let octets = try reader.bytes(Int(try reader.u8("length")), "object")
            if kind == 0x0F, octets.count == 1, number == nil {
                number = octets.first
                continue
            }
            // The second 0F object of a contact sensor is its door.
            let object = [kind == 0x0F ? 0x04 : kind] + octets
            guard kind != 0x0F || isContact, let form = records.form(of: object) else { continue }
            isKnown = isKnown || kind != 0x0F
            fields += try form.fields(of: object)
        }
        return (fields, number, isKnown)
    }
}
