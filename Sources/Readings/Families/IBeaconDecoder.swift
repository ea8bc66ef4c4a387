// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// iBeacon (Apple, "Proximity Beacon Specification"). A record is the 23 octets after the company identifier. Jaalee adds
/// an octet for the battery.
enum IBeaconDecoder: RecordDecoder {
    static let records = RecordTable(.ibeacon)
    static let carriers: [AdvertisementCarrier] = [.manufacturer(0x004C)]
    static let quantities = [.beacon] + records.definition.quantities

    /// An iBeacon of Govee's sensors beside their values. It has no values.
    private static let ofGovee = Array("INTELLI_ROCKS".utf8)
    private static let ofJaalee: [UInt8] = [
        0xEB, 0xEF, 0xD0, 0x83, 0x70, 0xA2, 0x47, 0xC8, 0x98, 0x37, 0xE7, 0xB5, 0x63, 0x4D, 0xF5, 0x25,
    ]
    private static let length = 23

    /// Manufacturer Specific Data, with its company identifier, is an iBeacon. Some makers append octets of their own.
    static func isBeacon(_ data: [UInt8]) -> Bool {
        data.count >= length + 2 && data.starts(with: [0x4C, 0x00, 0x02, 0x15])
    }

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard isBeacon(advertisement.manufacturerData) else { return nil }
        var data = Array(advertisement.manufacturerData.dropFirst(2))
        let uuid = data[2..<18]
        guard !TiltDecoder.isTilt(uuid), !uuid.starts(with: ofGovee) else { return nil }
        data.removeLast(data.count - min(data.count, uuid.elementsEqual(ofJaalee) ? length + 1 : length))
        return .plain(AdvertisedPacket(data))
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        let fields = try records.fields(of: value)
        var reader = BigEndianReader(value.dropFirst(2))
        let digits = Array(Array(try reader.bytes(16, "uuid")).hexadecimal)
        let uuid = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
        return [.text(.beacon, "\(uuid)/\(try reader.u16("major"))/\(try reader.u16("minor"))")] + fields
    }
}
