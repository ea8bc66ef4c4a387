// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

extension InspectionReport {
    /// An entry for the sensor, as in martlet.toml.
    package var suggestedEntry: String {
        var lines = ["[[sensor]]"]
        if let name { lines.append("# \(name)") }
        lines.append("id = \"\(SensorID.suggested(for: self))\"")
        lines.append("address = \"\(address)\"")
        if needsKey {
            lines.append("bindkey_file = \"/etc/martlet/\(address.filter { $0 != ":" }.lowercased()).key\"")
        }
        let known = services.compactMap { BluetoothUUID($0.uuid) }
        if let profile = name.flatMap(SensorProfile.ofSensor(named:)) {
            lines.append("profile = \"\(profile.name)\"")
        } else if family == nil, let profile = SensorProfile.of(known), !profile.read.isEmpty {
            lines.append("profile = \"\(profile.name)\"")
        } else if family == nil {
            let feeds = decodable { $0.contains("notify") || $0.contains("indicate") }
            let reads = decodable { $0.contains("read") && !$0.contains("notify") && !$0.contains("indicate") }
            if !feeds.isEmpty { lines += Self.list("subscribe", feeds) }
            if !reads.isEmpty { lines += Self.list("read", reads) }
            // A characteristic without notifications is worth little if it is read only once a link.
            if feeds.isEmpty, !reads.isEmpty { lines.append("read_every_s = 600") }
            if feeds.isEmpty, reads.isEmpty {
                lines.append("# Nothing of it is decoded here: name what to collect, as SERVICE/CHARACTERISTIC.")
                lines.append("# subscribe = [\"…/…\"]")
            }
        }
        return lines.joined(separator: "\n")
    }

    /// A characteristic as the configuration names it, and the sensor's own name of the characteristic.
    private typealias Item = (text: String, ownName: String?)

    private func decodable(_ properties: ([String]) -> Bool) -> [Item] {
        services.flatMap { service in
            service.characteristics.filter {
                properties($0.properties) && Decoders.decoder(for: $0.uuid) != nil
                    && !Decoders.isOfSomeMakers($0.uuid)
            }.map { characteristic in
                (
                    "\"\(service.name ?? service.uuid)/\(characteristic.name ?? characteristic.uuid)"
                        + (characteristic.instance.map { "#\($0)" } ?? "") + "\"", characteristic.ownName
                )
            }
        }
    }

    /// One line; or a line for each item, if the sensor has names of its own for some of them.
    private static func list(_ key: String, _ items: [Item]) -> [String] {
        guard items.contains(where: { $0.ownName != nil }) else {
            return ["\(key) = [\(items.map(\.text).joined(separator: ", "))]"]
        }
        return ["\(key) = ["] + items.map { "    \($0.text)," + ($0.ownName.map { "  # \($0)" } ?? "") } + ["]"]
    }

    /// The octets of a User Description as a comment in a line, without its padding; nil if they are no UTF-8 or have neither letter
    /// nor digit. Flash memory that was never written is 0xFF.
    static func ownName(_ octets: [UInt8]) -> String? {
        let padded = octets.lastIndex { $0 != 0 && $0 != 0xFF }.map { octets[...$0] } ?? []
        guard let text = String(validating: padded, as: UTF8.self), let name = AdvertisedName.clean(text),
            name.contains(where: { $0.isLetter || $0.isNumber })
        else { return nil }
        return name
    }

    /// Numbers characteristics of equal UUID, by their handles.
    mutating func number() {
        var totals: [[String]: Int] = [:]
        for service in services {
            for characteristic in service.characteristics {
                totals[[service.uuid, characteristic.uuid], default: 0] += 1
            }
        }
        var counts: [[String]: Int] = [:]
        for place in services.indices {
            for index in services[place].characteristics.indices {
                let key = [services[place].uuid, services[place].characteristics[index].uuid]
                guard totals[key, default: 1] > 1 else { continue }
                counts[key, default: 0] += 1
                services[place].characteristics[index].instance = counts[key]
            }
        }
    }
}
