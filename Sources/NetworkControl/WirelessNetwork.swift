// SPDX-License-Identifier: Apache-2.0

/// A Wi-Fi network in range.
package struct WirelessNetwork: Codable, Equatable, Sendable {
    /// The security that the network demands.
    package enum Security: String, Codable, Sendable {
        case open, wep, wpa, wpa2, wpa3
        /// WPA2 or WPA3 with accounts (802.1X): a password alone is not enough to join.
        case enterprise
    }

    /// 1…32 octets; names that are no UTF-8 are left out.
    package var ssid: String
    /// Per cent, 0…100.
    package var strength: Int
    package var security: Security
    /// MHz.
    package var frequency: Int
    /// The gateway uses this network now.
    package var isJoined: Bool

    package init(ssid: String, strength: Int, security: Security, frequency: Int, isJoined: Bool) {
        self.ssid = ssid
        self.strength = strength
        self.security = security
        self.frequency = frequency
        self.isJoined = isJoined
    }
}

/// The settings for joining a network. Prints without the password.
package struct WirelessSettings: Codable, Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    /// 1…32 octets of UTF-8.
    package var ssid: String
    /// 8…63 characters, or 64 hexadecimal digits; nil for an open network.
    package var password: String?
    /// The network does not send its name.
    package var isHidden: Bool

    package init(ssid: String, password: String?, isHidden: Bool = false) {
        self.ssid = ssid
        self.password = password
        self.isHidden = isHidden
    }

    package var description: String { "network \(ssid)" }
    package var customMirror: Mirror { Mirror(self, children: ["ssid": ssid]) }
}

/// The gateway's connection.
package struct NetworkStatus: Codable, Equatable, Sendable {
    /// The gateway has an address that reaches beyond this machine.
    package var isConnected: Bool
    /// The name of the Wi-Fi network in use.
    package var ssid: String?
    /// Per cent.
    package var strength: Int?
    /// IPv4 and IPv6 addresses, without link-local addresses.
    package var addresses: [String]
    /// Two letters; nil when none is set.
    package var country: String?
    package var hasWiFi: Bool

    package init(
        isConnected: Bool = false, ssid: String? = nil, strength: Int? = nil, addresses: [String] = [],
        country: String? = nil, hasWiFi: Bool = false
    ) {
        self.isConnected = isConnected
        self.ssid = ssid
        self.strength = strength
        self.addresses = addresses
        self.country = country
        self.hasWiFi = hasWiFi
    }
}
