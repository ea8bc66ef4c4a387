// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Inkbird's thermometers. Most have a value in place of the company identifier.
///
/// A value is the octet of ``Layout``, followed by the Manufacturer Specific Data from its first octet on.
enum InkbirdDecoder: AdvertisementDecoder {
    static let family = "inkbird"
    static let name = "Inkbird"
    static let carriers: [AdvertisementCarrier] = [
        .name("sps"), .name("tps"), .service(service), .head(0x2449), .head(0x3254), .head(0x0000), .head(0x0001),
    ]
    static let quantities: [Quantity] = [.temperature, .humidity, .battery, .co2]
    static let needs = FamilyNeeds(
        needsActiveScan: true,
        products: "IBS-TH, IBS-TH2, IBS-P01B, ITH-11-B, ITH-13-B, ITH-21-B, IBS-P02B, IAM-T2, iBBQ")

    private static let service = BluetoothUUID(0xFFF0 as UInt16)

    private enum Layout: UInt8 {
        case climate = 1, temperature, long, air, barbecue
    }

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let layout = layout(advertisement) else { return nil }
        let value = [layout.rawValue] + advertisement.manufacturerData
        guard let fields = try? decode(value), !fields.isEmpty else { return nil }
        return .plain(AdvertisedPacket(value))
    }

    private static func layout(_ advertisement: Advertisement) -> Layout? {
        let data = advertisement.manufacturerData
        switch (advertisement.name, data.count) {
        case ("sps", 9): return .climate
        case ("tps", 9): return .temperature
        // Before its scan response, a sensor has no name. The checksum identifies the sensor.
        case (_, 9): return advertisement.services.contains(service) ? .temperature : nil
        case (_, 18) where data.starts(with: [0x49, 0x24]): return .long
        case (_, 17): return data.starts(with: [0x54, 0x32, 0x00, 0x62]) ? .air : nil
        case ("iBBQ", 12...), ("xBBQ", 12...): return isOfProbes(data) ? .barbecue : nil
        case (nil, 12...):
            guard isOfProbes(data), let address = advertisement.addressOctets else { return nil }
            let own = data[4..<10]
            return own.elementsEqual(address) || own.elementsEqual(address.reversed()) ? .barbecue : nil
        default: return nil
        }
    }

    /// Temperatures follow 0000 or 0001 and two zeros. Other numbers introduce other data: the uptime, for example. The
    /// sensor's address follows.
    private static func isOfProbes(_ data: [UInt8]) -> Bool {
        data.count.isMultiple(of: 2) && data[0] <= 1 && data[1...3].allSatisfy { $0 == 0 }
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        guard let layout = value.first.flatMap(Layout.init) else { throw .invalid(field: "layout") }
        let data = value.dropFirst()
        var reader = ByteReader(data)
        switch layout {
        case .climate, .temperature:
            let checked = data.prefix(5)
            let temperature = Int64(try reader.i16("temperature"))
            let humidity = try reader.u16("humidity")
            _ = try reader.u8("probe")
            guard try reader.u16("check") == checksum(checked) else { throw .invalid(field: "check") }
            let battery = try reader.u8("battery")
            var fields: [Field] = [.decimal(.temperature, temperature, places: 2)]
            // Models without a humidity sensor send 0 or FFFF.
            if layout == .climate || (humidity != 0 && humidity != .max) {
                guard humidity <= 10_000 else { throw .invalid(field: "humidity") }
                fields.append(.decimal(.humidity, Int64(humidity), places: 2))
            }
            return fields + [.int(.battery, Int64(battery))]
        case .long:
            _ = try reader.bytes(6, "head")
            let temperature = Int64(try reader.i16("temperature"))
            let humidity = try reader.u16("humidity")
            let battery = try reader.u8("battery")
            // The sensor begins a day with 0 °C and humidity FFFF.
            guard humidity <= 1_000, (-500...1_500).contains(temperature) else { throw .invalid(field: "humidity") }
            return [.decimal(.temperature, temperature, places: 1)]
                + (humidity == 0 ? [] : [.decimal(.humidity, Int64(humidity), places: 1)])
                + [.int(.battery, Int64(battery))]
        case .air: return try air(data)
        case .barbecue: return try barbecue(data)
        }
    }

    private static func air(_ data: ArraySlice<UInt8>) throws(DecodeError) -> [Field] {
        var reader = BigEndianReader(data)
        _ = try reader.bytes(9, "head")
        let isFahrenheit = try reader.u8("flags") & 0x02 != 0
        let tenths = Int64(try reader.i16("temperature"))
        let humidity = Int64(try reader.u16("humidity"))
        let co2 = Int64(try reader.u16("co2"))
        guard (-1_000...2_500).contains(tenths) else { throw .invalid(field: "temperature") }
        let temperature: Field =
            isFahrenheit
            ? .decimal(.temperature, (tenths - 320) * 50 / 9, places: 2) : .decimal(.temperature, tenths, places: 1)
        return [temperature] + (humidity <= 1_000 ? [.decimal(.humidity, humidity, places: 1)] : []) + [.int(.co2, co2)]
    }

    private static func barbecue(_ data: ArraySlice<UInt8>) throws(DecodeError) -> [Field] {
        var reader = ByteReader(data)
        _ = try reader.bytes(10, "head")
        var fields: [Field] = []
        var probe: UInt8 = 0
        while reader.remaining >= 2, probe < 8 {
            let tenths = try reader.u16("temperature")
            probe += 1
            guard tenths != .max, tenths != 0xFFF6 else { continue }
            let value = Int64(Int16(bitPattern: tenths))
            guard (-500...6_000).contains(value) else { throw .invalid(field: "temperature") }
            fields.append(Field(.temperature, .decimal(.init(mantissa: value, places: 1)), index: probe))
        }
        return fields
    }

    /// CRC-16/MODBUS, by which foreign octets are recognised.
    private static func checksum(_ octets: ArraySlice<UInt8>) -> UInt16 {
        octets.reduce(0xFFFF) { sum, octet in
            (0..<8).reduce(sum ^ UInt16(octet)) { sum, _ in sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xA001 }
        }
    }
}
