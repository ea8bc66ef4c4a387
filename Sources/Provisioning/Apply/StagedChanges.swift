// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Gateway
import NetworkControl

/// A phone's changes before Apply. Each value is checked when it is written. ``plan(for:)`` and the gateway's own check
/// judge the values together.
package struct StagedChanges: Sendable {
    /// A nil value leaves the present value.
    package struct Broker: Equatable, Sendable {
        package var host: String?
        package var port: Int?
        package var usesTLS: Bool?
        /// Empty removes the user name.
        package var username: String?
        /// Empty removes the password.
        package var password: Secret?
        /// Home Assistant is told of the sensors.
        package var homeAssistant: Bool?

        package init() {}

        var isEmpty: Bool { self == Broker() }
    }

    package private(set) var country: String?
    package private(set) var wireless: ApplyPlan.Wireless?
    package private(set) var broker = Broker()
    package var authority: StagedAuthority?
    package private(set) var name: String?

    package init() {}

    package var isEmpty: Bool {
        country == nil && wireless == nil && broker.isEmpty && authority == nil && name == nil
    }

    // MARK: Writing

    package mutating func setCountry(_ octets: [UInt8]) throws(WriteRefusal) {
        let text = try PlainText.decode(octets)
        guard text.utf8.count == 2, text.allSatisfy({ $0.isASCII && $0.isLetter }) else {
            throw WriteRefusal(.notValid, "The country has to be two letters of ISO 3166, like DE.")
        }
        country = text.uppercased()
    }

    package mutating func setName(_ octets: [UInt8]) throws(WriteRefusal) {
        let text = try PlainText.decode(octets)
        // A character may be many code points.
        guard (1...32).contains(text.count), text.utf8.count <= 128, PlainText.isPlain(text),
            !text.allSatisfy(\.isWhitespace)
        else { throw WriteRefusal(.notValid, "The name has to be 1 to 32 characters that can be seen.") }
        name = text
    }

    /// `known`: the networks heard in the last scan, with their security.
    package mutating func setWireless(_ octets: [UInt8], known: [WirelessNetwork] = []) throws(WriteRefusal) {
        let message = try StrictMessage.decode(
            WirelessMessage.self, from: octets, keys: ["ssid", "password", "hidden", "password_set"])
        var former: WirelessSettings?
        if case .join(let settings) = wireless { former = settings }
        guard let ssid = message.ssid ?? former?.ssid else {
            throw WriteRefusal(.notValid, "The key “ssid” is missing: the name of the network.")
        }
        guard !ssid.isEmpty else {
            guard message.password?.isEmpty ?? true else {
                throw WriteRefusal(.notValid, "A password without the name of a network.")
            }
            wireless = ApplyPlan.Wireless.none
            return
        }
        guard ssid.utf8.count <= 32, PlainText.isPlain(ssid) else {
            throw WriteRefusal(.notValid, "The name of a network has 1 to 32 octets, and no control characters.")
        }
        if former?.ssid != ssid { former = nil }
        var settings = WirelessSettings(
            ssid: ssid, password: former?.password, isHidden: message.hidden ?? former?.isHidden ?? false)
        if let password = message.password {
            guard password.isEmpty || Self.isKey(password) else {
                throw WriteRefusal(
                    .notValid,
                    "The password of a Wi-Fi network has 8 to 63 characters of ASCII, or 64 hexadecimal digits.")
            }
            settings.password = password.isEmpty ? nil : password
        }
        try Self.check(settings, against: known.first { $0.ssid == ssid })
        wireless = .join(settings)
    }

    private static func check(_ settings: WirelessSettings, against heard: WirelessNetwork?) throws(WriteRefusal) {
        switch heard?.security {
        case .enterprise:
            throw WriteRefusal(
                .notSupported, "This network wants an account (802.1X), and cannot be joined by a password alone.")
        case .wpa, .wpa2, .wpa3, .wep:
            guard settings.password != nil else {
                throw WriteRefusal(.notValid, "This network wants a password: write it with the key “password”.")
            }
        case .open, nil: break
        }
    }

    /// IEEE 802.11-2020, J.4.1: a passphrase of 8 to 63 printable characters of ASCII, or the key itself.
    private static func isKey(_ password: String) -> Bool {
        let octets = password.utf8
        if octets.count == 64 { return password.allSatisfy { $0.isASCII && $0.isHexDigit } }
        return (8...63).contains(octets.count) && octets.allSatisfy { (0x20...0x7E).contains($0) }
    }

    package mutating func setBroker(_ octets: [UInt8]) throws(WriteRefusal) {
        var message = try StrictMessage.decode(
            BrokerMessage.self, from: octets,
            keys: ["host", "port", "tls", "username", "password", "password_set", "home_assistant"])
        // Clients may write back the key from an earlier read.
        message.passwordSet = nil
        guard message != BrokerMessage() else {
            throw WriteRefusal(.notValid, "Nothing of a broker is in this.")
        }
        var new = broker
        if let host = message.host {
            guard (1...253).contains(host.utf8.count), PlainText.isGraphic(host) else {
                throw WriteRefusal(.notValid, "The broker's host has to be a name or an address, like broker.local.")
            }
            new.host = host
        }
        if let port = message.port {
            guard (1...65_535).contains(port) else {
                throw WriteRefusal(.notValid, "The broker's port has to be 1 to 65535.")
            }
            new.port = port
        }
        if let tls = message.tls { new.usesTLS = tls }
        if let told = message.homeAssistant { new.homeAssistant = told }
        if let username = message.username {
            guard PlainText.isPlain(username) else {
                throw WriteRefusal(.notValid, "The user name has characters that cannot be seen.")
            }
            new.username = username
        }
        if let password = message.password {
            guard PlainText.isPlain(password) else {
                throw WriteRefusal(.notValid, "The password has characters that cannot be seen.")
            }
            new.password = Secret(password)
        }
        broker = new
    }
}
