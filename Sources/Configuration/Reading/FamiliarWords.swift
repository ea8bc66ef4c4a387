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
        "server": ["host"], "broker": ["host"], "hostname": ["host"],
        "url": ["host", "post_url"], "uri": ["host", "post_url"], "webhook": ["post_url"],
        "clientid": ["client_id"], "base_topic": ["topic_prefix"], "prefix": ["topic_prefix"],
        "topic": ["topic_prefix"], "ssl": ["enabled", "tls"], "tls": ["enabled"], "use_tls": ["enabled", "tls"],
        "use_ssl": ["enabled", "tls"], "secure": ["enabled", "tls"], "ca": ["ca_file"], "cafile": ["ca_file"],
        "ca_cert": ["ca_file"], "ca_certs": ["ca_file"], "ca_certificate": ["ca_file"],
        "cert": ["certificate_file"], "cert_file": ["certificate_file"], "certfile": ["certificate_file"],
        "certificate": ["certificate_file"], "client_cert": ["certificate_file"], "keyfile": ["key_file"],
        "private_key": ["key_file"], "client_key": ["key_file"], "insecure": ["verify_hostname"],
        "tls_insecure": ["verify_hostname"], "verify": ["verify_hostname"], "verify_ssl": ["verify_hostname"],
        "enabled": ["discovery", "listen"], "enable": ["enabled", "discovery", "listen"], "port": ["listen"],
        "bind": ["listen"],
        "host": ["listen"], "max": ["above"], "maximum": ["above"], "high": ["above"], "min": ["below"],
        "minimum": ["below"], "low": ["below"], "delay": ["for_s"], "delay_s": ["for_s"],
        "adapter": ["controller"], "hci": ["controller"], "interface": ["controller"],
        "mac": ["address"], "mac_address": ["address"], "device": ["address", "controller"], "type": ["family"],
        "key": ["bindkey", "key_file"], "encryption_key": ["bindkey"], "pin": ["passkey"],
        "friendly_name": ["label"], "title": ["label"], "area": ["room"], "location": ["room"],
        "interval": ["value_every_s", "read_every_s"],
    ]

    /// The key of this section with the meaning of the unknown key in other programs.
    static func key(for word: String, among names: [String]) -> String? {
        words[word.lowercased().replacing("-", with: "_")]?.first { names.contains($0) }
    }

    /// Makers, and programs for their sensors, whose families have other names.
    private static let makers = ["xiaomi": "mibeacon", "mijia": "mibeacon", "pvvx": "atc", "shelly": "bthome"]

    /// The family of sensors behind a product's name: `RuuviTag`, `BTHome v2`.
    static func family(for word: String, among names: [String]) -> String? {
        let letters = plain(word)
        guard letters.count >= 4 else { return nil }
        // The longest name is the most exact name.
        func longest(_ matches: [String]) -> String? { matches.max { ($0.count, $1) < ($1.count, $0) } }
        let known = names.filter { plain($0).count >= 4 }
        return longest(known.filter { letters.hasPrefix(plain($0)) })
            ?? makers.first { letters.hasPrefix($0.key) && names.contains($0.value) }?.value
            ?? NearestName.of(word, among: names) ?? longest(known.filter { plain($0).hasPrefix(letters) })
    }

    /// The quantity whose key begins with a word: `temp`, `hum`. The shortest key is the likely one.
    static func quantity(for word: String, among names: [String]) -> String? {
        let letters = word.prefix(64).lowercased()
        guard letters.count >= 3 else { return nil }
        return names.filter { $0.hasPrefix(letters) }.min { ($0.count, $0) < ($1.count, $1) }
    }

    private static func plain(_ text: String) -> String {
        text.prefix(64).lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    /// The keys to write in place of a broker's URL, like `mqtt://broker:1883`, or of `broker:1883`; nil for another
    /// text. A URL's user and password are not repeated.
    static func keys(forURL text: String) -> String? {
        guard let mark = text.firstRange(of: "://") else {
            guard !text.contains("@"), let address = BrokerAddress(text, port: 0), address.port > 0 else { return nil }
            return "write host = \(quoted(address.host))" + " and port = \(address.port)"
        }
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

    /// The entry of a list of brokers in place of a URL: `broker:1883`; nil for another text, or a text with a user.
    static func entry(forURL text: String) -> String? {
        guard let mark = text.firstRange(of: "://"), !text.contains("@") else { return nil }
        let place = String(text[mark.upperBound...].prefix { !"/?#".contains($0) })
        return BrokerAddress(place, port: 0) == nil ? nil : place
    }

    /// The answer that a person gives in words: `yes`; nil for another text.
    static func flag(for word: String) -> Bool? {
        switch word.lowercased() {
        case "true", "yes", "on", "1", "enabled": true
        case "false", "no", "0", "disabled": false
        default: nil
        }
    }
}
