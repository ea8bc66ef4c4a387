// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Oral-B's toothbrushes. A value is the data after Procter & Gamble's company identifier: at least nine octets. The
/// first octet is the version of the protocol.
enum OralBDecoder: AdvertisementDecoder {
    static let family = "oral-b"
    static let name = "Oral-B"
    static let carriers: [AdvertisementCarrier] = [.manufacturer(0x00DC)]
    static let quantities: [Quantity] = [.brushState, .running, .brushingTime, .brushPressure, .brushSector]
    static let needs = FamilyNeeds(products: "Oral-B Smart, Genius, iO")

    private static let states: [UInt8: String] = [
        1: "starting", 2: "idle", 3: "running", 4: "charging", 5: "set_up", 6: "menu", 8: "selection_menu", 9: "off",
        10: "statistics", 113: "final_test", 114: "board_test", 115: "sleeping", 116: "transport",
    ]

    private static let versions = UInt8(0)...UInt8(8)

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let data = advertisement.manufacturerData(of: 0x00DC).map(Array.init), (try? decode(data)) != nil else {
            return nil
        }
        return .plain(AdvertisedPacket(data))
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        guard value.count >= 9 else { throw .truncated(field: "value") }
        var reader = ByteReader(value)
        guard versions.contains(try reader.u8("version")) else { throw .invalid(field: "version") }
        _ = try reader.bytes(2, "model and firmware")
        let state = try reader.u8("state")
        let flags = try reader.u8("flags")
        let minutes = Int64(try reader.u8("minutes"))
        let seconds = Int64(try reader.u8("seconds"))
        guard minutes < 60, seconds < 60 else { throw .invalid(field: "time") }
        _ = try reader.u8("mode")
        var sector = try reader.u8("sector") & 0x07
        if sector == 7, value.count >= 11 {
            // The last sector, whose number is the count of sectors.
            _ = try reader.u8("timer")
            sector = try reader.u8("count") & 0x07
        }
        return (states[state].map { [.text(.brushState, $0)] } ?? []) + [
            .binary(.running, state == 3), .int(.brushingTime, minutes * 60 + seconds),
            .text(.brushPressure, flags & 0x80 != 0 ? "high" : "normal"),
        ] + (sector == 0 || state != 3 ? [] : [.int(.brushSector, Int64(sector))])
    }
}
