// SPDX-License-Identifier: Apache-2.0

import Collector
import Publisher

/// Reads the layer that the gateway writes itself, after people's files. The layer wins.
extension ConfigurationReader {
    /// Reads a file of the machine layer.
    mutating func addMachines(_ document: TOMLDocument) {
        let root = document.root
        let (former, origin) = (BrokerWay(configuration), passwordOrigin)
        yield(to: root)
        isMachines = true
        add(document)
        isMachines = false
        guard !BrokerWay(configuration).mayUse(passwordOf: former, isNew: Self.givesPassword(root)) else { return }
        brokerIsMachines = true
        forgetPassword()
        guard configuration.mqtt.username != nil, let origin else { return }
        update {
            $0.warnings.append(
                "\(origin.file):\(origin.line): the password is not used: \(document.file) names another way to the broker than the "
                    + "one that the password was written for; give it again, as a phone or the page does")
        }
    }

    private static func givesPassword(_ root: [String: ConfigurationValue]) -> Bool {
        guard case .table(let mqtt)? = root["mqtt"] else { return false }
        return [mqtt["password"], mqtt["password_file"]].contains { $0 != nil && $0 != .string("") }
    }

    private var passwordOrigin: Origin? { origins[["mqtt", "password"]] ?? origins[["mqtt", "password_file"]] }

    private mutating func forgetPassword() {
        configuration.mqtt.password = nil
        configuration.passwordFile = nil
        for key in ["password", "password_file"] { origins[["mqtt", key]] = nil }
    }

    /// Removes the settings of people's files that would contradict the layer. Other settings are only replaced by the
    /// layer.
    private mutating func yield(to root: [String: ConfigurationValue]) {
        guard case .table(let mqtt)? = root["mqtt"] else { return }
        if case .string(let host)? = mqtt["host"],
            !has(["mqtt", "host"]) || configuration.mqtt.host.lowercased() != host.lowercased()
        {
            // User, password and certificates belong to one broker. They are of no use with another broker.
            let defaults = MQTTConfiguration()
            configuration.mqtt.host = defaults.host
            configuration.mqtt.port = defaults.port
            configuration.mqtt.brokers = []
            configuration.mqtt.username = nil
            for key in ["host", "port", "brokers", "username"] { origins[["mqtt", key]] = nil }
            forgetPassword()
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

    /// Whether an entry of the layer is left out: people's files have the sensor already, or there are too many
    /// entries.
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
