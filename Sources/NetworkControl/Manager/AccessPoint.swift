// SPDX-License-Identifier: Apache-2.0

/// An access point as NetworkManager reports it.
struct AccessPoint: Equatable {
    var name: [UInt8]
    var strength: Int
    var frequency: Int
    /// NM80211ApFlags.
    var flags: Int
    /// NM80211ApSecurityFlags, of WPA and of RSN (WPA2, WPA3).
    var wpa: Int
    var rsn: Int

    private static let privacy = 0x1
    private static let presharedKey = 0x100
    private static let accounts = 0x200
    private static let sae = 0x400
    private static let suiteB = 0x2000

    /// The security that the access point demands. If it offers several, the choice is one that takes a password and
    /// that all devices know: WPA2 before WPA3.
    var security: WirelessNetwork.Security {
        if rsn & Self.presharedKey != 0 { return .wpa2 }
        if rsn & Self.sae != 0 { return .wpa3 }
        if wpa & Self.presharedKey != 0 { return .wpa }
        if (rsn | wpa) & (Self.accounts | Self.suiteB) != 0 { return .enterprise }
        // OWE encrypts without a password, so it is open to every device.
        return flags & Self.privacy != 0 && rsn == 0 && wpa == 0 ? .wep : .open
    }

    init(name: [UInt8], strength: Int, frequency: Int, flags: Int, wpa: Int, rsn: Int) {
        self.name = name
        self.strength = strength
        self.frequency = frequency
        self.flags = flags
        self.wpa = wpa
        self.rsn = rsn
    }

    /// Nil for a hidden network, which does not send its name.
    init?(properties: [String: BusValue]) {
        guard let name = properties["Ssid"]?.data, !name.isEmpty, name.count <= 32 else { return nil }
        self.init(
            name: name, strength: properties["Strength"]?.integer ?? 0,
            frequency: properties["Frequency"]?.integer ?? 0,
            flags: properties["Flags"]?.integer ?? 0, wpa: properties["WpaFlags"]?.integer ?? 0,
            rsn: properties["RsnFlags"]?.integer ?? 0)
    }
}

extension [AccessPoint] {
    /// Networks in a list, at most: a person has to choose from it.
    static var maximumNetworks: Int { 64 }

    /// Each network once, by its strongest access point; strongest first. Names that are no UTF-8, or that would look
    /// different on a screen, are left out.
    func networks(joined: [UInt8]?) -> [WirelessNetwork] {
        var seen: Set<[UInt8]> = []
        return sorted { ($0.strength, $1.name.description) > ($1.strength, $0.name.description) }.compactMap { each in
            guard seen.insert(each.name).inserted, let ssid = String(validating: each.name, as: UTF8.self),
                !ssid.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else { return nil }
            return WirelessNetwork(
                ssid: ssid, strength: Swift.min(100, Swift.max(0, each.strength)), security: each.security,
                frequency: each.frequency, isJoined: each.name == joined)
        }.prefix(Self.maximumNetworks).map { $0 }
    }

    /// The strongest access point of a network.
    func strongest(of name: [UInt8]) -> AccessPoint? {
        filter { $0.name == name }.max { $0.strength < $1.strength }
    }
}
