// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Govee's thermometers and hygrometers. Govee's company identifiers belong to other companies, so the name gives the
/// model, and the model the layout. Before the name is known, Govee's service identifies the maker, and the length the
/// layout if only one layout has this length.
///
/// A record is the octet of ``Layout``, followed by the data after the company identifier.
enum GoveeDecoder: RecordDecoder {
    static let records = RecordTable(.govee)
    static let carriers: [AdvertisementCarrier] =
        [
            .manufacturer(0xEC88), .manufacturer(0x0001), .manufacturer(0x8801), .manufacturer(GoveeEvents.company),
            .manufacturer(0x8803), .manufacturer(0x8843),
        ] + prefixes.map { .name($0 + "5") } + probes.keys.map { .service($0) }
    static let needs = records.needs(needsActiveScan: true)

    private enum Layout: UInt8 {
        case word = 1
        case hundredths, shifted, carbonDioxide, probes, remote, wide, dust, event, presence, probe
    }

    private static let service = BluetoothUUID(0xEC88 as UInt16)
    /// The models of thermometers for food, by their services.
    private static let probes: [BluetoothUUID: UInt8] = [
        0x5550: 55, 0x8151: 81, 0x8251: 82, 0x8351: 83, 0x8451: 84, 0x8551: 85, 0x9151: 91, 0x9851: 98,
    ]
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
        if let value = probe(advertisement) { return packet(value, records.model(of: value)) }
        return thermometer(advertisement)
    }

    private static func packet(_ value: [UInt8], _ model: String?) -> RecognisedPacket? {
        if let fields = try? decode(value), fields.isEmpty { return nil }
        return .plain(AdvertisedPacket(value, model: model))
    }

    static func unsealed(_ packet: SealedPacket, plaintext: [UInt8]) -> AdvertisedPacket? {
        let value = [Layout.event.rawValue] + packet.header + plaintext.reversed()
        guard let fields = try? decode(value), !fields.isEmpty else { return nil }
        return AdvertisedPacket(value, model: model(of: value), isEvent: true, isUnique: true)
    }

    /// The record of a thermometer for food. The model is in its service, or in its name without a service.
    private static func probe(_ advertisement: Advertisement) -> [UInt8]? {
        guard
            let model = advertisement.services.lazy.compactMap({ probes[$0] }).first
                ?? advertisement.name.flatMap(model).flatMap(probe(named:)),
            // Otherwise an iBeacon of the device.
            advertisement.manufacturerData(of: 0x004C) == nil
        else { return nil }
        let value = [Layout.probe.rawValue, model] + advertisement.manufacturerData.dropFirst(2)
        return records.form(of: value) == nil ? nil : value
    }

    private static func probe(named digits: String) -> UInt8? {
        guard digits == "5055" || digits.hasPrefix("51"), let model = UInt8(digits.suffix(2)) else { return nil }
        return probes.values.contains(model) ? model : nil
    }

    private static func thermometer(_ advertisement: Advertisement) -> RecognisedPacket? {
        let model = advertisement.name.flatMap(model)
        guard !SensorForm.isBlank(advertisement.manufacturerData.dropFirst(2)),
            let layout = layout(advertisement, model),
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
        // Shorter packets of these models are cut ones.
        case ("5140", _), ("5112", _), ("5178", _): nil
        case ("5108", let count): count == 8 ? .shifted : nil
        case (_, 6): .shifted
        default: nil
        }
    }

    private static let prefixes = ["GVH", "Govee_H", "Govee_", "Minger_H", "GV", "H", "B"]

    /// The digits of `GVH5075_1234`, `Govee_H5074_1234`, `GV5179_1234` or `B51781234`.
    private static func model(_ name: String) -> String? {
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
        value.first == Layout.event.rawValue ? records.model(of: value) : nil
    }

    static func impulses(of model: String) -> [Quantity: Int] {
        switch model {
        case "H5121": [.motion: 60]
        case "H5124": [.vibration: 60]
        default: [:]
        }
    }
}

/// Govee's event sensors. Their packets are encrypted with a key inside the packet, and protected by a checksum.
private enum GoveeEvents {
    static let company: UInt16 = 0xEF88
    private static let check = CyclicCheck(width: 16, polynomial: 0x1021, initial: 0x1D0F)

    /// Two octets, the time, a block, and its checksum. The cipher takes all data with the last octet first.
    static func sealed(_ advertisement: Advertisement) -> SealedPacket? {
        guard let data = advertisement.manufacturerData(of: company).map(Array.init), data.count == 24,
            check.of(data[6..<22]) == UInt16(data[22]) << 8 | UInt16(data[23])
        else { return nil }
        let time = Array(data[2..<6])
        let key = [UInt8](repeating: 0, count: 12) + time.reversed()
        return SealedPacket(.ecb(key: key), ciphertext: data[6..<22].reversed(), header: time)
    }
}
