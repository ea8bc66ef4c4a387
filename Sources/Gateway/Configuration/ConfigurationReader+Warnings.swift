// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Foundation
import Publisher

/// What is no mistake, and probably not what was meant.
extension ConfigurationReader {
    /// Entries of which one is never reached: the first that accepts a sensor has it.
    mutating func warnOfTwins() {
        let sensors = configuration.sensors
        for (index, rule) in sensors.enumerated() {
            guard let twin = sensors[..<index].firstIndex(where: { $0.isTwin(of: rule) }) else { continue }
            let (here, there) = (sensorOrigins[index], sensorOrigins[twin])
            let what =
                rule.address.map { "the address \"\(DeviceAddress(kind: .public, value: $0).description)\"" }
                ?? rule.identifier.map { "the identifier \"\($0.uuidString)\"" } ?? "what this [[sensor]] asks for"
            update {
                $0.warnings.append(
                    "\(here.file):\(here.line): \(what) is in the [[sensor]] of \(there.file):\(there.line), too, which "
                        + "is taken: make one of them")
            }
        }
    }

    /// Keys in a configuration file that others can read. The gateway writes its own file so that nobody can.
    mutating func warnOfOpenKeys() {
        var told: Set<String> = []
        for (rule, origin) in zip(configuration.sensors, sensorOrigins)
        where rule.bindKey != nil && rule.bindKeyFile == nil && !origin.isMachines {
            guard GatewayConfiguration.isOpen(origin.file), told.insert(origin.file).inserted else { continue }
            update {
                $0.warnings.append(
                    "\(origin.file):\(origin.line): this [[sensor]] has a bindkey, and others can read the file; run chmod "
                        + "600 on it, or keep the key in a bindkey_file")
            }
        }
    }

    /// What may be left out on purpose; told to a person who asks.
    mutating func warnOfOmissions() {
        for file in emptyFiles {
            update { $0.warnings.append("\(file): it has no key, so that it changes nothing") }
        }
        if !has(["mqtt", "host"]), !has(["mqtt", "brokers"]) {
            update {
                $0.warnings.append(
                    "no mqtt.host is set, so the broker is looked for at \($0.mqtt.brokerNames): write host = "
                        + "\"broker.local\" below [mqtt]")
            }
        }
    }
}

extension SensorRule {
    /// Whether both are about the same one sensor, or accept by the same criteria.
    func isTwin(of other: SensorRule) -> Bool {
        if let address, address == other.address { return true }
        if let identifier, identifier == other.identifier { return true }
        return id == nil && other.id == nil && name == other.name && service == other.service
            && address == other.address && identifier == other.identifier && manufacturer == other.manufacturer
            && family == other.family && model == other.model
    }
}
