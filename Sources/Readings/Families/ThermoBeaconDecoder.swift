// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// ThermoBeacon, also sold under many other names. A value is the 18 octets after the company identifier. Packets of 20
/// octets report minima and maxima. Oria's newer models (T201, T301) have a layout of their own. Their value is an
/// octet 0xAA, which begins no other value, followed by the data after the address.
enum ThermoBeaconDecoder: AdvertisementDecoder {
    static let family = "thermobeacon"
    static let name = "ThermoBeacon"
    private static let companies: [UInt16] = [0x10, 0x11, 0x14, 0x15, 0x18, 0x1B, 0x30]
    private static let oria: UInt16 = 0xAA55
    private static let ofOria: UInt8 = 0xAA
    static let carriers: [AdvertisementCarrier] = (companies + [oria]).map { .manufacturer($0) }
    static let quantities: [Quantity] = [.temperature, .humidity, .voltage, .uptime, .battery]
    static let needs = FamilyNeeds(
        products: "ThermoBeacon, Brifit, ORIA (also T201 and T301), Sensor Blue WS02, WS08 and others")

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        let data = advertisement.manufacturerData
        if let data = advertisement.manufacturerData(of: oria).map(Array.init) {
            guard data.count >= 15, data[0] == 0x01, let address = advertisement.addressOctets,
                data[2..<8].elementsEqual(address), data[8] == 0x01, data[9] == 0x07
            else { return nil }
            return .plain(AdvertisedPacket([ofOria] + data[10..<15]))
        }
        guard data.count == 20, let address = advertisement.addressOctets,
            data[4..<10].elementsEqual(address.reversed())
        else { return nil }
        let value = Array(data.dropFirst(2))
        return .plain(AdvertisedPacket(value))
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        if value.first == ofOria {
            var reader = BigEndianReader(value.dropFirst())
            return [
                .decimal(.temperature, Int64(try reader.i16("temperature")), places: 2),
                .decimal(.humidity, Int64(try reader.u16("humidity")), places: 2),
                .int(.battery, Int64(try reader.u8("battery"))),
            ]
        }
        var reader = ByteReader(value)
        _ = try reader.bytes(8, "head")
        let voltage = Int64(try reader.u16("voltage"))
        let temperature = Int64(try reader.i16("temperature"))
        let humidity = Int64(try reader.u16("humidity"))
        let uptime = Int64(try reader.u32("uptime"))
        try reader.finish()
        guard (-40 * 16...100 * 16).contains(temperature) else { throw .invalid(field: "temperature") }
        // Sixteenths.
        return [
            .decimal(.temperature, temperature * 625, places: 4), .decimal(.humidity, humidity * 625, places: 4),
            .decimal(.voltage, voltage, places: 3), .int(.uptime, uptime),
        ]
    }
}
