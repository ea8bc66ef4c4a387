// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// iBeacon (Apple, "Proximity Beacon Specification"). A value is the 23 octets behind the company identifier.
///
/// Battery monitors with the UUID of the BM2 put their battery where the measured power belongs.
enum IBeaconDecoder: AdvertisementDecoder {
    static let family = "ibeacon"
    static let name = "iBeacon"
    static let carriers: [AdvertisementCarrier] = [.manufacturer(0x004C)]
    static let quantities: [Quantity] = [.beacon, .txPower, .battery]
    static let needs = FamilyNeeds(products: "Beacons of any maker whose address does not change")

    /// What Govee's sensors send beside their values tells nothing of them.
    private static let ofGovee = Array("INTELLI_ROCKS".utf8)

    private static let batteryMonitor = "655f83ca-ae16-a10a-702e-31f30d58dd82"
    private static let length = 23

    /// Manufacturer Specific Data, company identifier and all, is an iBeacon. Some makers append octets of their own.
    static func isBeacon(_ data: [UInt8]) -> Bool {
        data.count >= length + 2 && data.starts(with: [0x4C, 0x00, 0x02, 0x15])
    }

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let data = advertisement.manufacturerData(of: 0x004C).map({ Array($0.prefix(length)) }),
            isBeacon(advertisement.manufacturerData), !TiltDecoder.isTilt(data[2..<18]),
            !data[2...].starts(with: ofGovee)
        else { return nil }
        return .plain(AdvertisedPacket(data))
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = BigEndianReader(value)
        _ = try reader.u16("head")
        let digits = Array(Array(try reader.bytes(16, "uuid")).hexadecimal)
        let major = try reader.u16("major")
        let minor = try reader.u16("minor")
        let power = Int64(try reader.i8("power"))
        try reader.finish()
        let uuid = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
        let identity = Field.text(.beacon, "\(uuid)/\(major)/\(minor)")
        if uuid == batteryMonitor { return [identity, .int(.battery, power)] }
        return [identity, .int(.txPower, power)]
    }
}
