// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// RuuviTag and Ruuvi Air: data formats 3, 5, 6, C5 and E1 (docs.ruuvi.com, "Bluetooth Advertisements").
enum RuuviDecoder: AdvertisementDecoder {
    static let family = "ruuvi"
    static let name = "Ruuvi"
    static let carriers: [AdvertisementCarrier] = [.manufacturer(0x0499)]
    static let quantities: [Quantity] = [
        .temperature, .humidity, .pressure, .accelerationX, .accelerationY, .accelerationZ, .voltage, .txPower,
        .movementCounter, .sequence, .pm1, .pm25, .pm4, .pm10, .co2, .vocIndex, .noxIndex, .illuminance, .calibrating,
    ]
    static let needs = FamilyNeeds(
        products: "RuuviTag, RuuviTag Pro, Ruuvi Air",
        hint:
            "Ruuvi Air sends its whole set (format E1) by extended advertising, and a part of it (format 6) to everybody. "
            + "The first packet of a sample counts."
    )

    private enum Format: UInt8 {
        case raw1 = 0x03
        case raw2 = 0x05
        case air = 0x06
        case cut = 0xC5
        case extended = 0xE1

        /// Octets, with the format's own octet.
        var length: Int {
            switch self {
            case .raw1: 14
            case .raw2: 24
            case .air: 20
            case .cut: 18
            case .extended: 40
            }
        }

        /// The last octets of the sensor's address in a packet: their number and their place.
        var address: (count: Int, offset: Int)? {
            switch self {
            case .raw1: nil
            case .raw2: (6, 18)
            case .air: (3, 17)
            case .cut: (6, 12)
            case .extended: (6, 34)
            }
        }
    }

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard var data = advertisement.manufacturerData(of: 0x0499).map(Array.init), let first = data.first,
            let format = Format(rawValue: first), data.count >= format.length
        else { return nil }
        // Only format 6 may grow. Other formats are filled up with zeros.
        guard format == .air || data[format.length...].allSatisfy({ $0 == 0 }) else { return nil }
        if format != .air { data.removeLast(data.count - format.length) }
        if let place = format.address {
            guard let address = advertisement.addressOctets,
                data[place.offset..<place.offset + place.count].elementsEqual(address.suffix(place.count))
            else { return nil }
        }
        guard (try? decode(data)) != nil else { return nil }
        let edition: AdvertisedPacket.Edition =
            switch format {
            case .air: .short
            case .extended: .long
            case .raw1, .raw2, .cut: .only
            }
        return .plain(AdvertisedPacket(data, number: number(of: data, format), edition: edition))
    }

    private static func number(of data: [UInt8], _ format: Format) -> PacketNumber? {
        switch format {
        case .raw1: nil
        case .raw2: number(data[16...17])
        case .cut: number(data[10...11])
        case .air: number(data[15...15])
        case .extended: number(data[25...27])
        }
    }

    /// Nil if the sensor does not know the number: all ones, in more octets than one.
    private static func number(_ octets: ArraySlice<UInt8>) -> PacketNumber? {
        guard octets.count == 1 || octets.contains(where: { $0 != .max }) else { return nil }
        return PacketNumber(octets.reduce(0) { $0 << 8 | UInt32($1) }, bits: octets.count * 8)
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = BigEndianReader(value)
        guard let format = Format(rawValue: try reader.u8("format")) else { throw .invalid(field: "format") }
        switch format {
        case .raw1: return try raw1(&reader)
        case .raw2, .cut: return try raw2(&reader, hasAcceleration: format == .raw2)
        case .air, .extended: return try air(&reader, isExtended: format == .extended)
        }
    }

    // MARK: - Formats

    private static func raw1(_ reader: inout BigEndianReader) throws(DecodeError) -> [Field] {
        var fields: [Field] = []
        let humidity = try reader.u8("humidity")
        let whole = try reader.u8("temperature")
        let hundredths = try reader.u8("temperature")
        // A sign and a magnitude, not a two's complement.
        guard hundredths < 100 else { throw .invalid(field: "temperature") }
        let magnitude = Int64(whole & 0x7F) * 100 + Int64(hundredths)
        fields.append(.decimal(.temperature, whole & 0x80 == 0 ? magnitude : -magnitude, places: 2))
        if humidity <= 200 { fields.append(.decimal(.humidity, Int64(humidity) * 5, places: 1)) }
        fields.append(.decimal(.pressure, Int64(try reader.u16("pressure")) + 50_000, places: 2))
        for quantity in [Quantity.accelerationX, .accelerationY, .accelerationZ] {
            fields.append(acceleration(quantity, try reader.i16("acceleration")))
        }
        fields.append(.decimal(.voltage, Int64(try reader.u16("voltage")), places: 3))
        try reader.finish()
        return fields
    }

    private static func raw2(
        _ reader: inout BigEndianReader, hasAcceleration: Bool
    ) throws(DecodeError) -> [Field] {
        var fields = try climate(&reader)
        if hasAcceleration {
            for quantity in [Quantity.accelerationX, .accelerationY, .accelerationZ] {
                let value = try reader.i16("acceleration")
                if value != .min { fields.append(acceleration(quantity, value)) }
            }
        }
        let power = try reader.u16("power")
        if power >> 5 != 0x7FF { fields.append(.decimal(.voltage, Int64(power >> 5) + 1_600, places: 3)) }
        if power & 0x1F != 0x1F { fields.append(.int(.txPower, Int64(power & 0x1F) * 2 - 40)) }
        let movements = try reader.u8("movements")
        if movements != .max { fields.append(.int(.movementCounter, Int64(movements))) }
        let sequence = try reader.u16("sequence")
        if sequence != .max { fields.append(.int(.sequence, Int64(sequence))) }
        _ = try reader.bytes(6, "address")
        try reader.finish()
        return fields
    }

    private static func air(_ reader: inout BigEndianReader, isExtended: Bool) throws(DecodeError) -> [Field] {
        var fields = try climate(&reader)
        for quantity in isExtended ? [Quantity.pm1, .pm25, .pm4, .pm10] : [.pm25] {
            let value = try reader.u16("particles")
            if value != .max { fields.append(.decimal(quantity, Int64(value), places: 1)) }
        }
        let co2 = try reader.u16("co2")
        if co2 != .max { fields.append(.int(.co2, Int64(co2))) }
        // Their lowest bits are in the flags.
        let voc = Int64(try reader.u8("voc"))
        let nox = Int64(try reader.u8("nox"))
        var luminosity: Field?
        let sequence: Int64?
        if isExtended {
            let hundredths = try reader.u24("luminosity")
            if hundredths != 0xFF_FFFF { luminosity = .decimal(.illuminance, Int64(hundredths), places: 2) }
            _ = try reader.bytes(3, "reserved")
            let number = try reader.u24("sequence")
            sequence = number == 0xFF_FFFF ? nil : Int64(number)
        } else {
            let code = try reader.u8("luminosity")
            if code != .max { luminosity = .int(.illuminance, lux(of: code)) }
            _ = try reader.u8("reserved")
            sequence = Int64(try reader.u8("sequence"))
        }
        let flags = try reader.u8("flags")
        let vocIndex = voc << 1 | Int64(flags >> 6 & 1)
        let noxIndex = nox << 1 | Int64(flags >> 7)
        if vocIndex != 511 { fields.append(.int(.vocIndex, vocIndex)) }
        if noxIndex != 511 { fields.append(.int(.noxIndex, noxIndex)) }
        if let luminosity { fields.append(luminosity) }
        if let sequence { fields.append(.int(.sequence, sequence)) }
        fields.append(.binary(.calibrating, flags & 1 != 0))
        return fields
    }

    /// Temperature, humidity and pressure at the beginning of formats 5, 6, C5 and E1.
    private static func climate(_ reader: inout BigEndianReader) throws(DecodeError) -> [Field] {
        var fields: [Field] = []
        let temperature = try reader.i16("temperature")
        if temperature != .min { fields.append(.decimal(.temperature, Int64(temperature) * 5, places: 3)) }
        let humidity = try reader.u16("humidity")
        // Near saturation (100 %), the sensor reports up to 120 %. A higher number is impossible.
        if humidity <= 48_000 { fields.append(.decimal(.humidity, Int64(min(humidity, 40_000)) * 25, places: 4)) }
        let pressure = try reader.u16("pressure")
        if pressure != .max { fields.append(.decimal(.pressure, Int64(pressure) + 50_000, places: 2)) }
        return fields
    }

    /// 1000 mG are 9.80665 m/s².
    private static func acceleration(_ quantity: Quantity, _ milligravities: Int16) -> Field {
        let hundredThousandths = Int64(milligravities) * 980_665 / 1_000
        return .decimal(quantity, (hundredThousandths + (hundredThousandths < 0 ? -50 : 50)) / 100, places: 3)
    }

    /// The code is logarithmic: 0 is dark, 254 is 65,535 lx.
    private static func lux(of code: UInt8) -> Int64 {
        // Repeated multiplication keeps this free of a mathematical library; 65536^(1/254) = 1.04463006…
        var lux = 1.0
        for _ in 0..<code { lux *= 1.0446300614125956 }
        return Int64(lux - 1 + 0.5)
    }
}
