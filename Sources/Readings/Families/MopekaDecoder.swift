// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The content of a tank. Each medium has its own speed of sound.
package enum TankMedium: String, CaseIterable, Sendable {
    case propane, water, air, gasoline, diesel, oil, lng

    /// The medium's octet in a value.
    fileprivate var octet: UInt8 {
        switch self {
        case .propane: 0
        case .water: 1
        case .air: 2
        case .gasoline: 3
        case .diesel: 4
        case .oil: 5
        case .lng: 6
        }
    }

    /// Millimetres of a unit of the echo's time: a + b·t + c·t², `t` being degrees above −40 °C.
    fileprivate var factors: (Double, Double, Double) {
        switch self {
        case .propane: (0.573045, -0.002822, -0.00000535)
        case .water: (0.600592, 0.003124, -0.00001368)
        case .air: (0.153096, 0.000327, -0.000000294)
        case .gasoline, .diesel, .oil, .lng: (0.7373417462, -0.001978229885, 0.00000202162)
        }
    }
}

/// Mopeka's tank sensors. A value is the data after the company identifier. The identifier is Nordic's, so the service
/// identifies the maker. A further octet gives the tank's content if the sensor's entry names it. Otherwise the model's
/// usual medium counts.
enum MopekaDecoder: AdvertisementDecoder {
    static let family = "mopeka"
    static let name = "Mopeka"
    static let carriers: [AdvertisementCarrier] = [.manufacturer(0x0059)]
    static let quantities: [Quantity] = [.liquidLevel, .levelQuality, .temperature, .voltage, .battery]
    static let needs = FamilyNeeds(
        products: "Mopeka Pro Check, Pro Plus, Pro H2O and others",
        hint:
            "The level is that of propane; of a Pro H2O that of water, and models above the liquid (Pro-200, TD40, TD200) "
            + "measure the air. No published list of models names one for gasoline, diesel or oil. For anything else the "
            + "entry says `medium = \"water\"`, `\"gasoline\"`, `\"diesel\"`, `\"oil\"`, `\"lng\"` or `\"air\"`.")

    /// The medium of each model. Sensors above a liquid measure the air down to it.
    private static let kinds: [UInt8: TankMedium] = [
        0x03: .propane, 0x04: .air, 0x05: .water, 0x06: .propane, 0x08: .propane, 0x09: .propane, 0x0A: .air,
        0x0B: .air, 0x0C: .propane, 0x12: .air,
    ]

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let data = advertisement.manufacturerData(of: 0x0059).map(Array.init), data.count == 10,
            kinds[data[0]] != nil, advertisement.services.contains(BluetoothUUID(0xFEE5 as UInt16)),
            let address = advertisement.addressOctets, data[5..<8].elementsEqual(address.suffix(3)),
            (try? decode(data)) != nil
        else { return nil }
        return .plain(AdvertisedPacket(data))
    }

    static func value(_ value: [UInt8], ofTankWith medium: TankMedium) -> [UInt8] {
        value + [medium.octet]
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        guard var medium = kinds[try reader.u8("kind")] else { throw .invalid(field: "kind") }
        // Thirty-seconds of a volt.
        let voltage = Int64(try reader.u8("voltage") & 0x7F)
        let warmth = Int64(try reader.u8("temperature") & 0x7F)
        let echo = try reader.u16("echo")
        _ = try reader.bytes(5, "address and tilt")
        if reader.remaining > 0 {
            let octet = try reader.u8("medium")
            guard let known = TankMedium.allCases.first(where: { $0.octet == octet }) else {
                throw .invalid(field: "medium")
            }
            medium = known
        }
        try reader.finish()
        // 2.2 V is empty, 2.85 V is full.
        let battery = min(max((voltage * 3_125 - 220_000) * 100 / 65_000, 0), 100)
        var fields: [Field] = [
            .int(.temperature, warmth - 40), .decimal(.voltage, voltage * 3_125, places: 5), .int(.battery, battery),
            .int(.levelQuality, Int64(echo >> 14)),
        ]
        if echo >> 14 > 0 {
            let degrees = Double(warmth)
            let (a, b, c) = medium.factors
            let millimetres = Double(echo & 0x3FFF) * (a + b * degrees + c * degrees * degrees)
            fields.append(.decimal(.liquidLevel, Int64(millimetres), places: 3))
        }
        return fields
    }
}
