// SPDX-License-Identifier: Apache-2.0

import Collector
import Publisher

/// How the layer that the gateway writes itself goes before people's files.
extension ConfigurationReader {
    /// Reads a file of that layer.
    mutating func addMachines(_ document: TOMLDocument) {
        yield(to: document.root)
        isMachines = true
        defer { isMachines = false }
        add(document)
    }

    /// Takes back what people's files say and what would contradict the layer, not only be replaced by it.
    private mutating func yield(to root: [String: ConfigurationValue]) {
        guard case .table(let mqtt)? = root["mqtt"] else { return }
        if case .string(let host)? = mqtt["host"], !has(["mqtt", "host"]) || configuration.mqtt.host != host {
            // User, password and certificates are for the broker that they were written for, and for no other.
            let defaults = MQTTConfiguration()
            configuration.mqtt.host = defaults.host
            configuration.mqtt.port = defaults.port
            configuration.mqtt.brokers = []
            configuration.mqtt.username = nil
            configuration.mqtt.password = nil
            configuration.passwordFile = nil
            for key in ["host", "port", "brokers", "username", "password", "password_file"] {
                origins[["mqtt", key]] = nil
            }
            forgetTLS()
            brokerIsMachines = true
        }
        if mqtt["password"] != nil {
            configuration.passwordFile = nil
            origins[["mqtt", "password_file"]] = nil
        }
        if case .table(let tls)? = mqtt["tls"], tls["enabled"] == .boolean(false) { forgetTLS() }
    }

    private mutating func forgetTLS() {
        configuration.tls = GatewayConfiguration.TLS()
        origins = origins.filter { !$0.key.starts(with: ["mqtt", "tls"]) }
    }

    /// Whether an entry of the layer is not taken: people's own are, and there is an end to their number.
    mutating func leavesOut(_ rule: SensorRule, _ origin: Origin) -> Bool {
        let twin = configuration.sensors.firstIndex { $0.isTwin(of: rule) || ($0.id != nil && $0.id == rule.id) }
        let reason: String
        if let twin {
            let other = sensorOrigins[twin]
            reason = "\(other.file):\(other.line) is about the same sensor, and is taken"
        } else if configuration.sensors.count >= Self.maximumRules {
            reason = "there are more than \(Self.maximumRules) of them"
        } else {
            return false
        }
        let text = "\(origin.file):\(origin.line): the [[sensor]] \(rule.label) is left out: \(reason)"
        configuration.warnings.append(text)
        configuration.leftOut.append(text)
        return true
    }
}
