// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// SwitchBot's devices. The service data, which most devices send only in the scan response, has the model and the
/// battery. The Manufacturer Specific Data has the values; with older firmware, the service data has them.
///
/// A record is the octet of ``SwitchBotModel``, the battery in percent (FF: none), and the Manufacturer Specific Data
/// after the address. For older firmware, a record is the model's octet with its highest bit set, and the rest of the
/// service data.
enum SwitchBotDecoder: RecordDecoder {
    static let records = RecordTable(.switchbot)
    /// The identifiers of SwitchBot, Espressif and Nordic, which devices of several years have sent.
    private static let companies: [UInt16] = [0x0969, 0x02E5, 0x0059]
    /// The second UUID belongs to the first firmware.
    private static let services: [UInt16] = [0xFD3D, 0x0D00]
    static let carriers: [AdvertisementCarrier] = services.map { .serviceData($0) } + [.manufacturer(companies[0])]
    static let needs = records.needs(needsActiveScan: true)

    private static let ofService: UInt8 = 0x80
    private static let noBattery: UInt8 = 0xFF

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard
            let service = services.lazy.compactMap({ advertisement.serviceData[$0] }).first
                ?? advertisement.name.flatMap({ SwitchBotModel.names[$0] }).map({ [$0] }),
            let octet = SwitchBotModel.octet(of: service)
        else { return nil }
        if let data = companies.lazy.compactMap({ advertisement.manufacturerData(of: $0) }).first,
            let address = advertisement.addressOctets, data.count > 7, data.prefix(6).elementsEqual(address)
        {
            let value = [octet, SwitchBotModel.battery(in: service) ?? noBattery] + data.dropFirst(6)
            if let fields = try? decode(value), !fields.isEmpty {
                return .plain(
                    AdvertisedPacket(
                        value, number: PacketNumber(UInt32(value[2]), bits: 8), model: records.model(of: value),
                        numbersChanges: true))
            }
        }
        // The address of another device is in its place.
        guard advertisement.manufacturerData(of: companies[0]) == nil else { return nil }
        let value = [octet | ofService] + service.dropFirst()
        guard let fields = try? decode(value), !fields.isEmpty else { return nil }
        return .plain(AdvertisedPacket(value, model: records.model(of: value)))
    }
}

/// The first octet of a record: the letter of the service data, or an octet of newer models.
private enum SwitchBotModel {
    /// Meters are recognised by name, too, without the service data.
    static let names: [String: UInt8] = [
        "WoSensorTH": UInt8(ascii: "T"), "WoSensorTHP": UInt8(ascii: "i"), "WoIOSensorTH": UInt8(ascii: "w"),
    ]

    /// Newer models have three octets behind the battery, or at the end of the service data, instead of a letter. The
    /// octet before them is 0 or 1.
    private static let suffixes: [[UInt8]: UInt8] = [
        [0x10, 0xB9, 0x40]: UInt8(ascii: "`"), [0x10, 0xF3, 0xD8]: UInt8(ascii: "@"),
        [0x10, 0xA5, 0xB8]: UInt8(ascii: "^"), [0x10, 0x53, 0xB0]: UInt8(ascii: "_"),
        [0x10, 0xCC, 0xC8]: UInt8(ascii: "~"), [0x11, 0x36, 0x40]: UInt8(ascii: "|"), [0x11, 0x69, 0x08]: 0x01,
        [0x11, 0x69, 0x09]: 0x02, [0x10, 0xFF, 0x90]: 0x03,
    ]

    /// Nil without service data, and for a letter equal to a newer model's octet.
    static func octet(of service: [UInt8]) -> UInt8? {
        if service.count >= 4, service[service.count - 4] <= 1, let octet = suffixes[Array(service.suffix(3))] {
            return octet
        }
        if service.count > 7, service[3] <= 1, let octet = suffixes[Array(service[4..<7])] { return octet }
        guard let letter = service.first.map({ $0 & 0x7F }), !suffixes.values.contains(letter) else { return nil }
        return letter
    }

    /// The battery's share in the service data; nil if missing or invalid.
    static func battery(in service: [UInt8]) -> UInt8? {
        guard service.count >= 3, service[2] & 0x7F <= 100 else { return nil }
        return service[2] & 0x7F
    }
}
