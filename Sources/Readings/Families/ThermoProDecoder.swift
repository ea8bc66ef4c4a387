// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// ThermoPro's thermometers. They have a value in place of the company identifier.
///
/// A value is the octet of ``Layout``, followed by the Manufacturer Specific Data from its first octet on.
enum ThermoProDecoder: AdvertisementDecoder {
    static let family = "thermopro"
    static let name = "ThermoPro"
    static let carriers: [AdvertisementCarrier] = [.name("TP3"), .service(probeService)]
    static let quantities: [Quantity] = [.temperature, .humidity, .battery, .voltage]
    static let needs = FamilyNeeds(
        needsActiveScan: true, products: "TP350, TP357, TP358, TP359, TP393 and their kin, TP960R, TP962R, TP972S",
        hint: "Each probe has two temperatures (tip and surroundings) and the voltage of its battery.")

    private enum Layout: UInt8 {
        case climate = 1, probe
    }

    private static let probeService = BluetoothUUID(high: 0x72FB_B631_6F6B_D1BA, low: 0xDB55_2EE6_FDD9_42BD)

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        let data = advertisement.manufacturerData
        let layout: Layout
        if let name = advertisement.name, name.hasPrefix("TP3"), data.count >= 6, data[0] == 0xC2 {
            layout = .climate
        } else if advertisement.services.contains(probeService), data.count == 7 || data.count == 13 {
            // The address of the base may follow the values.
            layout = .probe
        } else {
            return nil
        }
        let value = [layout.rawValue] + (layout == .probe ? Array(data.prefix(7)) : data)
        if let fields = try? decode(value), fields.isEmpty { return nil }
        return .plain(AdvertisedPacket(value))
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        guard let layout = value.first.flatMap(Layout.init) else { throw .invalid(field: "layout") }
        var reader = ByteReader(value.dropFirst())
        switch layout {
        case .climate:
            _ = try reader.u8("head")
            let temperature = try reader.i16("temperature")
            let humidity = try reader.u8("humidity")
            let battery = try reader.u8("battery") & 0x03
            // These numbers mean that the sensor has failed.
            if temperature == -1, humidity == 0xFF { return [] }
            guard (-400...1_000).contains(temperature) else { throw .invalid(field: "temperature") }
            let level = [0: Int64(1), 1: 50, 2: 100][battery]
            return [.decimal(.temperature, Int64(temperature), places: 1), .int(.humidity, Int64(humidity))]
                + (level.map { [.int(.battery, $0)] } ?? [])
        case .probe:
            let number = try reader.u8("probe")
            guard number < 8 else { throw .invalid(field: "probe") }
            let tip = Int64(try reader.u16("tip")) - 30
            let voltage = Int64(try reader.u16("voltage"))
            let ambient = Int64(try reader.u16("ambient")) - 30
            guard (-30...500).contains(tip), (-30...500).contains(ambient) else { throw .invalid(field: "temperature") }
            return [
                Field(.temperature, .int(tip), index: 2 * number + 1),
                Field(.temperature, .int(ambient), index: 2 * number + 2),
                Field(.voltage, .decimal(.init(mantissa: voltage, places: 3)), index: number + 1),
            ]
        }
    }
}
