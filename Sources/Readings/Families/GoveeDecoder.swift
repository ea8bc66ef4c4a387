// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Govee's thermometers and hygrometers. Govee's company identifiers belong to other companies, so the name gives the
/// model, and the model the layout. Before the name is known, Govee's service identifies the maker, and the length the
/// layout if only one layout has this length.
///
/// A value is the octet of ``Layout``, followed by the data after the company identifier.
enum GoveeDecoder: AdvertisementDecoder {
    static let family = "govee"
    static let name = "Govee"
    static let carriers: [AdvertisementCarrier] =
        [
            .manufacturer(0xEC88), .manufacturer(0x0001), .manufacturer(0x8801), .manufacturer(GoveeEvents.company),
            .manufacturer(0x8803), .manufacturer(0x8843),
        ] + prefixes.map { .name($0 + "5") } + GoveeProbes.services.keys.map { .service($0) }
    static let quantities: [Quantity] = [
        .temperature, .humidity, .battery, .co2, .pm25, .window, .motion, .vibration, .occupancy, .button,
    ]
    static let needs = FamilyNeeds(
        needsActiveScan: true,
        products:
            "H5051, H5052, H5055, H5071, H5072, H5074, H5075, H5100–H5106, H5108, H5110, H5112, H5121–H5127, H5129, "
            + "H5130, H5140, H5174, H5177–H5179, H5181–H5185, H5191, H5198")

    private enum Layout: UInt8 {
        /// A word of temperature and humidity at 1, battery at 4.
        case word = 1
        /// Hundredths, little-endian, at 1 and 3, battery at 5.
        case hundredths
        /// `01 01`, a word at 2, battery at 5.
        case shifted
        /// Like ``shifted``, with carbon dioxide at 5.
        case carbonDioxide
        /// Like ``shifted``, with the probe's number at 7. The second probe has no humidity.
        case probes
        /// Inside or outside at 2, a word at 3, battery at 6.
        case remote
        /// Hundredths, little-endian, at 4 and 6, battery at 8.
        case wide
        /// A longer word at 2, with fine dust.
        case dust
        /// The decrypted block of ``GoveeEvents``, after the time of the event.
        case event
        /// Presence at 4, motion at 5.
        case presence
        /// The model of ``GoveeProbes``, and its data.
        case probe
    }

    private static let service = BluetoothUUID(0xEC88 as UInt16)
    /// Govee's iBeacon, which some hosts deliver as the end of the values.
    private static let beacon = [0x4C, 0x00, 0x02, 0x15] + Array("INTELLI_ROCKS".utf8)
    private static let beaconLength = 25

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        var advertisement = advertisement
        let data = advertisement.manufacturerData
        if data.count > beaconLength + 2, data.suffix(beaconLength).starts(with: beacon) {
            advertisement.manufacturerData.removeLast(beaconLength)
        }
        if let sealed = GoveeEvents.sealed(advertisement) { return .sealed(sealed) }
        if let model = GoveeProbes.model(advertisement) {
            return packet(
                [Layout.probe.rawValue, model.rawValue] + advertisement.manufacturerData.dropFirst(2), "\(model)")
        }
        return thermometer(advertisement)
    }

    private static func packet(_ value: [UInt8], _ model: String?) -> RecognisedPacket? {
        if let fields = try? decode(value), fields.isEmpty { return nil }
        return .plain(AdvertisedPacket(value, model: model?.uppercased()))
    }

    static func unsealed(_ packet: SealedPacket, plaintext: [UInt8]) -> AdvertisedPacket? {
        let value = [Layout.event.rawValue] + packet.header + plaintext.reversed()
        guard let fields = try? decode(value), !fields.isEmpty else { return nil }
        let model = GoveeEvents.model(of: value.dropFirst())
        return AdvertisedPacket(value, model: model, isEvent: true, isUnique: true)
    }

    private static func thermometer(_ advertisement: Advertisement) -> RecognisedPacket? {
        let model = advertisement.name.flatMap(model)
        guard let layout = layout(advertisement, model),
            model != nil || layout == .presence || advertisement.services.contains(service)
        else { return nil }
        return packet([layout.rawValue] + advertisement.manufacturerData.dropFirst(2), model.map { "H" + $0 })
    }

    private static func layout(_ advertisement: Advertisement, _ model: String?) -> Layout? {
        if let data = advertisement.manufacturerData(of: 0xEC88) {
            return [6: .word, 7: .hundredths, 9: .hundredths][data.count]
        }
        if let data = advertisement.manufacturerData(of: 0x8801) {
            return data.count == 9 && (model ?? "5179") == "5179" ? .wide : nil
        }
        if (advertisement.manufacturerData(of: 0x8803) ?? advertisement.manufacturerData(of: 0x8843)) != nil {
            return model == "5127" || advertisement.name == nil ? .presence : nil
        }
        guard let data = advertisement.manufacturerData(of: 0x0001), data.starts(with: [1, 1]) else { return nil }
        return shiftedLayout(model, data.count)
    }

    /// Several models have packets of six and of eight octets. Without a name, such packets belong to no model.
    private static func shiftedLayout(_ model: String?, _ count: Int) -> Layout? {
        guard let model else { return count == 9 ? .remote : nil }
        return switch (model, count) {
        case ("5106", 6): .dust
        case ("5140", 8): .carbonDioxide
        case ("5112", 8): .probes
        case ("5178", 9): .remote
        case (_, 6), ("5108", 8): .shifted
        default: nil
        }
    }

    private static let prefixes = ["GVH", "Govee_H", "Govee_", "Minger_H", "GV", "H", "B"]

    /// The digits of `GVH5075_1234`, `Govee_H5074_1234`, `GV5179_1234` or `B51781234`.
    static func model(_ name: String) -> String? {
        for prefix in prefixes where name.hasPrefix(prefix) {
            let digits = name.dropFirst(prefix.count).prefix(4)
            guard digits.count == 4, digits.first == "5", digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
                continue
            }
            return String(digits)
        }
        return nil
    }

    static func model(of value: [UInt8]) -> String? {
        value.first == Layout.event.rawValue ? GoveeEvents.model(of: value.dropFirst()) : nil
    }

    static func impulses(of model: String) -> [Quantity: Int] {
        switch model {
        case "H5121": [.motion: 60]
        case "H5124": [.vibration: 60]
        default: [:]
        }
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        guard let layout = value.first.flatMap(Layout.init) else { throw .invalid(field: "layout") }
        var reader = BigEndianReader(value.dropFirst())
        switch layout {
        case .word:
            guard try reader.u8("head") == 0 else { throw .invalid(field: "head") }
            return try climate(try reader.u24("word"), battery: try reader.u8("battery"))
        case .shifted:
            _ = try reader.u16("head")
            return try climate(try reader.u24("word"), battery: try reader.u8("battery"))
        case .carbonDioxide:
            _ = try reader.u16("head")
            let fields = try climate(try reader.u24("word"), battery: nil)
            let co2 = try reader.u16("co2")
            return try reader.u8("error") == 0 ? fields + [.int(.co2, Int64(co2))] : []
        case .probes:
            _ = try reader.u16("head")
            let fields = try climate(try reader.u24("word"), battery: try reader.u8("battery"))
            _ = try reader.u8("reserved")
            return try of(probe: try reader.u8("probe"), fields)
        case .remote:
            _ = try reader.u16("head")
            let place = try reader.u8("place")
            guard place <= 1 else { throw .invalid(field: "place") }
            let fields = try climate(try reader.u24("word"), battery: try reader.u8("battery"))
            return fields.map { Field($0.quantity, $0.value, index: place + 1) }
        case .dust: return try dust(&reader)
        case .event: return try GoveeEvents.decode(value.dropFirst())
        case .presence: return try presence(&reader)
        case .probe: return try GoveeProbes.decode(value.dropFirst())
        case .hundredths: return try hundredths(value, behind: [0])
        case .wide: return try hundredths(value, behind: [0xEC, 0x00, 0x01, 0x01])
        }
    }

    private static func of(probe: UInt8, _ fields: [Field]) throws(DecodeError) -> [Field] {
        switch probe {
        case 0x41: return fields.map { $0.quantity == .temperature ? Field($0.quantity, $0.value, index: 1) : $0 }
        case 0x82:
            return fields.filter { $0.quantity != .humidity }.map {
                $0.quantity == .temperature ? Field($0.quantity, $0.value, index: 2) : $0
            }
        default: throw .invalid(field: "probe")
        }
    }

    /// Tenths of degrees × 1000 + tenths of percents; the highest bit is a sign. The highest bit of the battery means
    /// that the sensor has failed.
    private static func climate(_ word: UInt32, battery: UInt8?) throws(DecodeError) -> [Field] {
        let level: [Field] = battery.map { [.int(.battery, Int64(min($0 & 0x7F, 100)))] } ?? []
        if let battery, battery & 0x80 != 0 { return level }
        let magnitude = Int64(word & 0x7F_FFFF)
        let tenths = word & 0x80_0000 == 0 ? magnitude / 1_000 : -(magnitude / 1_000)
        guard (-400...1_000).contains(tenths) else { throw .invalid(field: "temperature") }
        return [.decimal(.temperature, tenths, places: 1), .decimal(.humidity, magnitude % 1_000, places: 1)] + level
    }

    private static func presence(_ reader: inout BigEndianReader) throws(DecodeError) -> [Field] {
        let head = try reader.u32("head")
        guard head == 0xEC00_0101 || head == 0xEC00_0201 else { throw .invalid(field: "head") }
        let (isPresent, motion) = (try reader.u8("presence"), try reader.u8("motion"))
        try reader.finish()
        return [.binary(.occupancy, isPresent == 1), .binary(.motion, motion == 0x11)]
    }

    private static func dust(_ reader: inout BigEndianReader) throws(DecodeError) -> [Field] {
        _ = try reader.u16("head")
        let word = try reader.u32("word")
        try reader.finish()
        let magnitude = Int64(word & 0x7FFF_FFFF)
        let tenths = word & 0x8000_0000 == 0 ? magnitude / 1_000_000 : -(magnitude / 1_000_000)
        guard (-400...1_000).contains(tenths) else { throw .invalid(field: "temperature") }
        return [
            .decimal(.temperature, tenths, places: 1), .decimal(.humidity, magnitude % 1_000_000 / 1_000, places: 1),
            .int(.pm25, magnitude % 1_000),
        ]
    }

    private static func hundredths(_ value: [UInt8], behind head: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value.dropFirst())
        guard try reader.bytes(head.count, "head").elementsEqual(head) else { throw .invalid(field: "head") }
        let temperature = Int64(try reader.i16("temperature"))
        let humidity = Int64(try reader.u16("humidity"))
        let battery = Int64(try reader.u8("battery"))
        guard (-4_000...10_000).contains(temperature), humidity <= 10_000 else { throw .invalid(field: "climate") }
        return [
            .decimal(.temperature, temperature, places: 2), .decimal(.humidity, humidity, places: 2),
            .int(.battery, battery),
        ]
    }
}
