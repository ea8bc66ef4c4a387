// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Glibc
import MQTT

/// A person's remedies for a failed connection.
extension MQTTFailure {
    /// Whether the gateway may have used the wrong speech, with TLS or without.
    package var mayBeOtherSpeech: Bool {
        switch self {
        case .library(let code, _):
            [LibraryCode.connectionLost, LibraryCode.protocolError, LibraryCode.malformedPacket, LibraryCode.tls]
                .contains(code)
        case .broken, .noAnswer, .noHandshake: true
        default: false
        }
    }

    /// The failure at an address, and the remedy.
    package func explained(at address: BrokerAddress, _ configuration: MQTTConfiguration) -> String {
        switch self {
        case .refused(let reason) where reason == .badUserNameOrPassword || reason == .notAuthorized:
            guard configuration.username == nil else { return description }
            return "the broker refuses the connection: \(reason.named): it wants a user and a password, or does not "
                + "allow this client: give both (mqtt.username, mqtt.password_file)"
        case .unknownHost(let code):
            let reason = String(cString: gai_strerror(code))
            let hint =
                address.host.lowercased().hasSuffix(".local")
                ? "; names in .local need multicast DNS, as of the package libnss-mdns" : ""
            return
                "the broker's name \(quoted(address.host)) cannot be looked up (\(reason)): check it (mqtt.host), "
                + "and the name servers of this machine\(hint)"
        case .lookupTimedOut:
            return
                "the broker's name \(quoted(address.host)) cannot be looked up: \(description): do the name servers of "
                + "this machine answer?"
        case .system(let code):
            return "\(address): \(description)" + (Self.advice(on: code).map { ": \($0)" } ?? "")
        case .speaksTLS:
            return "\(address) speaks TLS, and the gateway does not: turn TLS on (mqtt.tls.enabled = true)"
        case .speaksHTTP:
            let usual = configuration.tls == nil ? 1883 : 8883
            return "\(address): \(description): give the broker's port (mqtt.port), which is usually \(usual)"
        case .speaksNoTLS:
            let port = address.port == 1883 ? ", which is usually 8883" : ""
            return "\(address) speaks MQTT without TLS: give the broker's port for TLS (mqtt.port)\(port), "
                + "or turn TLS off (mqtt.tls.enabled = false)"
        case .noAnswer, .cutAnswer, .noHandshake: return "\(address): \(description)"
        case .library(code: LibraryCode.tls, let detail?):
            return Self.advice(onAlert: detail, configuration).map { "TLS with \(address): \(detail): \($0)" }
                ?? "TLS with \(address): \(detail)"
        default: return description
        }
    }

    private static func advice(on error: Int32) -> String? {
        switch error {
        case ECONNREFUSED:
            "nothing listens there, or it refuses; is the broker running, and are its address and port right (mqtt.host, mqtt.port)?"
        case EHOSTUNREACH, ENETUNREACH, ENETDOWN, EADDRNOTAVAIL:
            "is the network up, and is the broker's address right (mqtt.host)?"
        case ETIMEDOUT:
            "is that machine on, are address and port right (mqtt.host, mqtt.port), and does a firewall let it through?"
        default: nil
        }
    }

    /// OpenSSL's words for the broker's objection to the gateway.
    private static func advice(onAlert detail: String, _ configuration: MQTTConfiguration) -> String? {
        // A broker may close the connection before its alert is read.
        if detail == "it ended without a reason", configuration.tls?.certificateFile == nil {
            return
                "perhaps it wants a certificate: if the broker wants a certificate of the gateway, set mqtt.tls.certificate_file and "
                + "mqtt.tls.key_file"
        }
        guard detail.contains("alert") else { return nil }
        if ["certificate", "unknown ca"].contains(where: detail.contains) {
            let perhaps = detail.contains("certificate required") ? "" : "perhaps "
            return configuration.tls?.certificateFile == nil
                ? "\(perhaps)the broker wants a certificate of the gateway: set mqtt.tls.certificate_file and mqtt.tls.key_file"
                : "the broker does not accept mqtt.tls.certificate_file: has it expired, or is it of another authority?"
        }
        if ["version", "handshake failure"].contains(where: detail.contains) {
            return "perhaps the broker has no TLS 1.2 or 1.3, or wants a certificate of the gateway"
        }
        return nil
    }
}
