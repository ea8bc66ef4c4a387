// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Tilt and Tilt Pro hydrometers, which look like iBeacons. A record is the 23 octets after Apple's company identifier.
enum TiltDecoder: RecordDecoder {
    static let records = RecordTable(.tilt)
    static let carriers: [AdvertisementCarrier] = [.manufacturer(0x004C)]

    /// Whether the UUID of an iBeacon is a Tilt's. Tilts differ in the fourth octet: 10 to 80 are colors.
    static func isTilt(_ uuid: ArraySlice<UInt8>) -> Bool {
        var same = Array(uuid)
        guard same.count == 16, same[3] & 0x0F == 0, (1...8).contains(same[3] >> 4) else { return false }
        same[3] = 0
        return same == [
            0xA4, 0x95, 0xBB, 0x00, 0xC5, 0xB1, 0x4B, 0x44, 0xB5, 0x12, 0x13, 0x70, 0xF0, 0x2D, 0x74, 0xDE,
        ]
    }

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let data = advertisement.manufacturerData(of: 0x004C).map({ Array($0.prefix(23)) }),
            IBeaconDecoder.isBeacon(advertisement.manufacturerData), isTilt(data[2..<18]), (try? decode(data)) != nil
        else { return nil }
        return .plain(AdvertisedPacket(data, model: records.model(of: data)))
    }
}
