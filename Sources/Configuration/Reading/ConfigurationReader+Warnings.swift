// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Foundation
import Publisher

/// Warnings: keys that are valid, but probably not meant so.
extension ConfigurationReader {
    /// Warns of a `[[sensor]]` that is never reached, because an earlier entry accepts all of its sensors.
    mutating func warnOfTwins() {
        let sensors = configuration.sensors
        for (index, rule) in sensors.enumerated() {
            guard let twin = sensors[..<index].firstIndex(where: { $0.isTwin(of: rule) }) else { continue }
            let (here, there) = (sensorOrigins[index], sensorOrigins[twin])
            let what =
                rule.address.map { "the address \"\(DeviceAddress(kind: .public, value: $0).description)\"" }
                ?? rule.identifier.map { "the identifier \"\($0.uuidString)\"" } ?? "the criteria of this [[sensor]]"
            update {
                $0.warnings.append(
                    "\(here.file):\(here.line): \(what) is in the [[sensor]] of \(there.file):\(there.line), too, which "
                        + "is taken: make one of them")
            }
        }
    }

    /// Warns of keys in configuration files that other users can read. Only the gateway can read its own file.
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

    /// Warns of a key of the release before: the gateway starts, whatever the value of the key is.
    mutating func warnOfFormer(_ path: [String], _ document: TOMLDocument) {
        update {
            $0.warnings.append(
                "\(document.file):\(document.line(of: path)): \(path.joined(separator: ".")) has no effect any more: remove "
                    + "it, for the next release does not know it")
        }
    }

    /// Warnings of keys that may be absent on purpose. Only a person who asks for a check gets these warnings.
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
    /// Whether both rules are about the same sensor, or accept by equal criteria.
    func isTwin(of other: SensorRule) -> Bool {
        if let address, address == other.address { return true }
        if let identifier, identifier == other.identifier { return true }
        return id == nil && other.id == nil && name == other.name && service == other.service
            && address == other.address && identifier == other.identifier && manufacturer == other.manufacturer
            && family == other.family && model == other.model
    }
}
