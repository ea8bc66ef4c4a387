// SPDX-License-Identifier: Apache-2.0

/// A profile of NetworkManager that is ours.
///
/// Its id marks the profile: `martlet-` and its UUID, which no person writes. The profile joins by itself only when it
/// is settled: until then a restart goes back to the former network.
struct ConnectionProfile {
    /// Above the profiles of other programs, which have 0 by default.
    static let priority: Int32 = 100

    let uuid: String
    let ssid: [UInt8]
    private let password: String?
    private let isHidden: Bool

    init(_ settings: WirelessSettings, uuid: String) throws(NetworkTrouble) {
        ssid = Array(settings.ssid.utf8)
        guard 1...32 ~= ssid.count else {
            throw NetworkTrouble(.notValid, "a network's name has 1 to 32 octets, not \(ssid.count)")
        }
        if let password = settings.password {
            let octets = Array(password.utf8)
            let isKey = octets.count == 64 && octets.allSatisfy(\.isHexadecimalDigit)
            guard isKey || 8...63 ~= octets.count else {
                throw NetworkTrouble(
                    .notValid, "a password has 8 to 63 characters, or is a key of 64 hexadecimal digits")
            }
            guard !octets.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
                throw NetworkTrouble(.notValid, "there is a control character in the password")
            }
        }
        self.uuid = uuid
        password = settings.password
        isHidden = settings.isHidden
    }

    /// The id of our profile with this UUID.
    static func identifier(of uuid: String) -> String { "martlet-\(uuid)" }

    static func isOurs(_ connection: [String: BusValue]) -> Bool {
        guard let id = connection["id"]?.text, let uuid = connection["uuid"]?.text else { return false }
        return id == identifier(of: uuid)
    }

    /// `a{sa{sv}}` for AddAndActivateConnection2.
    ///
    /// - Parameter accessPoint: The strongest access point of the network; nil if none is heard.
    func settings(for accessPoint: AccessPoint?) throws(NetworkTrouble) -> BusValue {
        var sections: [String: [String: BusValue]] = [
            "connection": [
                "id": .string(Self.identifier(of: uuid)), "uuid": .string(uuid), "type": .string("802-11-wireless"),
                "autoconnect": .boolean(false),
            ],
            "802-11-wireless": [
                "ssid": .octets(ssid), "mode": .string("infrastructure"), "hidden": .boolean(isHidden),
            ],
            "ipv4": ["method": .string("auto")],
            "ipv6": ["method": .string("auto")],
        ]
        switch (accessPoint?.security, password) {
        case (.enterprise?, _):
            throw NetworkTrouble(.notValid, "the network wants accounts (802.1X), which cannot be given here")
        case (.wep?, _):
            throw NetworkTrouble(.notValid, "the network has WEP, which protects nothing")
        case (.open?, nil), (nil, nil):
            break
        case (.open?, _?):
            throw NetworkTrouble(.notValid, "the network is open: it has no password")
        case (_, nil):
            throw NetworkTrouble(.notValid, "the network has a password")
        case (let security, let password?):
            sections["802-11-wireless-security"] = [
                // NetworkManager also uses WPA3 if an access point has both.
                "key-mgmt": .string(security == .wpa3 ? "sae" : "wpa-psk"), "psk": .string(password),
            ]
        }
        return .settings(sections)
    }
}

extension UInt8 {
    fileprivate var isHexadecimalDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
