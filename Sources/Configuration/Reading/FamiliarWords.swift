// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import MQTT
import Readings

/// Words of other programs, and the keys of the same meaning.
enum FamiliarWords {
    private static let words: [String: [String]] = [
        "user": ["username"], "login": ["username"], "user_name": ["username"],
        "pass": ["password"], "passwd": ["password"], "pwd": ["password"], "secret": ["password"],
        "server": ["host"], "broker": ["host"], "hostname": ["host"], "url": ["host"], "uri": ["host"],
        "clientid": ["client_id"], "base_topic": ["topic_prefix"], "prefix": ["topic_prefix"],
        "topic": ["topic_prefix"], "ssl": ["enabled"], "tls": ["enabled"], "ca": ["ca_file"],
        "cert": ["certificate_file"], "cert_file": ["certificate_file"],
        "mac": ["address"], "mac_address": ["address"], "device": ["address"], "type": ["family"],
        "key": ["bindkey", "key_file"], "encryption_key": ["bindkey"], "pin": ["passkey"],
        "friendly_name": ["label"], "title": ["label"], "area": ["room"], "location": ["room"],
        "interval": ["value_every_s", "read_every_s"],
    ]

    /// The key of this section with the meaning of the unknown key in other programs.
    static func key(for word: String, among names: [String]) -> String? {
        words[word.lowercased().replacing("-", with: "_")]?.first { names.contains($0) }
    }

    /// The family of sensors behind a product's name: `RuuviTag`.
    static func family(for word: String, among names: some Sequence<String>) -> String? {
        let letters = plain(word)
        let matches = names.filter { name in
            let family = plain(name)
            return family.count >= 4 && letters.count >= 4 && (letters.hasPrefix(family) || family.hasPrefix(letters))
        }
        // The longest name is the most exact name.
        return matches.max { ($0.count, $1) < ($1.count, $0) }
    }

    private static func plain(_ text: String) -> String {
        text.prefix(64).lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    /// The keys to write in place of a broker's URL, like `mqtt://broker:1883`; nil for another text. A URL's user and
    /// password are not repeated.
    static func keys(forURL text: String) -> String? {
        guard let mark = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<mark.lowerBound].lowercased()
        guard !scheme.isEmpty, scheme.allSatisfy({ $0.isASCII && $0.isLetter }) else { return nil }
        let authority = text[mark.upperBound...].prefix { !"/?#".contains($0) }
        let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        if ["ws", "wss", "http", "https"].contains(scheme) {
            return
                "\(scheme):// is no way to the broker here: give the name and the port at which it speaks MQTT over TCP"
        }
        guard let address = BrokerAddress(String(place), port: 0) else { return nil }
        let isSecured = ["mqtts", "ssl", "tls"].contains(scheme)
        return "write host = \(quoted(address.host))" + (address.port > 0 ? " and port = \(address.port)" : "")
            + (isSecured ? ", and below [mqtt.tls] enabled = true" : "")
            + (authority.contains("@") ? "; user and password have keys of their own" : "")
    }
}
