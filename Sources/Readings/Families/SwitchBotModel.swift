// SPDX-License-Identifier: Apache-2.0

/// The layouts of SwitchBot's devices: models share them.
enum SwitchBotModel: Sendable {
    case meter, meterCO2, hub2, hub3, climatePanel, contact, motion, leak, plug, relay, relayPower, relayTwo, curtain
    case blind, bot, lock, lockPro, presence, thermostat

    /// The layouts by the first octet of a value: the letter of the service data, or the octet of ``suffixes``.
    static let all: [UInt8: (kind: SwitchBotModel, name: String)] = {
        let letters: [(String, SwitchBotModel, String)] = [
            ("Tt", .meter, "Meter"), ("iI", .meter, "Meter Plus"), ("wW", .meter, "Outdoor Meter"),
            ("4\u{14}", .meter, "Meter Pro"), ("5\u{15}", .meterCO2, "Meter Pro CO2"), ("vV", .hub2, "Hub 2"),
            ("%\u{05}", .hub2, "Hub Mini Matter"), ("dD", .contact, "Contact Sensor"), ("sS", .motion, "Motion Sensor"),
            ("&\u{06}", .leak, "Leak Detector"), ("gGjJ?\u{1F}", .plug, "Plug Mini"),
            (";\u{1B}", .relay, "Relay Switch 1"), ("<\u{1C}", .relayPower, "Relay Switch 1PM"),
            ("=\u{1D}", .relayTwo, "Relay Switch 2PM"), ("cC", .curtain, "Curtain"), ("{[", .curtain, "Curtain 3"),
            ("xX", .blind, "Blind Tilt"), ("H", .bot, "Bot"), ("oO", .lock, "Lock"), ("-\u{0D}", .lock, "Lock Lite"),
            ("$\u{04}", .lockPro, "Lock Pro"), ("`", .hub3, "Hub 3"), ("@", .climatePanel, "Climate Panel"),
            ("^", .lockPro, "Lock Ultra"), ("_", .meter, "Weather Station"), ("~", .presence, "Presence Sensor"),
            ("|", .thermostat, "Smart Radiator Thermostat"),
        ]
        var all: [UInt8: (SwitchBotModel, String)] = [:]
        for (octets, kind, name) in letters { for octet in octets.utf8 { all[octet] = (kind, name) } }
        return all
    }()

    /// Meters are recognised by name, too, without the service data.
    static let names: [String: UInt8] = [
        "WoSensorTH": UInt8(ascii: "T"), "WoSensorTHP": UInt8(ascii: "i"), "WoIOSensorTH": UInt8(ascii: "w"),
    ]

    /// Newer models have three octets behind the battery, or at the end of the service data, instead of a letter. The
    /// octet before them is 0 or 1.
    private static let suffixes: [[UInt8]: UInt8] = [
        [0x10, 0xB9, 0x40]: UInt8(ascii: "`"), [0x10, 0xF3, 0xD8]: UInt8(ascii: "@"),
        [0x10, 0xA5, 0xB8]: UInt8(ascii: "^"), [0x10, 0x53, 0xB0]: UInt8(ascii: "_"),
        [0x10, 0xCC, 0xC8]: UInt8(ascii: "~"), [0x11, 0x36, 0x40]: UInt8(ascii: "|"),
    ]

    /// The first octet of a value; nil for an unknown model.
    static func octet(of service: [UInt8]) -> UInt8? {
        if service.count >= 4, service[service.count - 4] <= 1, let octet = suffixes[Array(service.suffix(3))] {
            return octet
        }
        if service.count > 7, service[3] <= 1, let octet = suffixes[Array(service[4..<7])] { return octet }
        guard let letter = service.first.map({ $0 & 0x7F }), all[letter] != nil, !suffixes.values.contains(letter)
        else { return nil }
        return letter
    }

    /// The battery's share in the service data; nil if missing or invalid.
    static func battery(in service: [UInt8]) -> UInt8? {
        guard service.count >= 3, service[2] & 0x7F <= 100 else { return nil }
        return service[2] & 0x7F
    }
}
