// SPDX-License-Identifier: Apache-2.0

import Collector
import Gateway
import Readings

extension InspectionReport {
    /// For people.
    var lines: [String] {
        var lines = ["\(address)  \(Text.plain(name ?? "–"))\(rssi.map { "  \($0) dBm" } ?? "")"]
        if let acceptedAs { lines.append("It is collected already, as \(Text.plain(acceptedAs)).") }
        if let family {
            lines.append("It advertises as \(family): \(values ?? (needsKey ? "encrypted, its key is needed" : "–"))")
        }
        if let octets { lines.append("Its advertisements are not understood: \(octets.words)") }
        for service in services {
            let trouble = service.trouble.map { ": its characteristics are not known: " + Text.plain($0) } ?? ""
            lines.append("\(service.name ?? "service") (\(service.uuid))\(trouble)")
            for characteristic in service.characteristics {
                let value =
                    characteristic.text ?? characteristic.value ?? characteristic.trouble.map { "not read: \($0)" }
                let known =
                    Decoders.isOfSomeMakers(characteristic.uuid) ? nil : Decoders.name(of: characteristic.uuid)
                lines.append(
                    "  \(characteristic.name ?? known ?? "characteristic") (\(characteristic.uuid)"
                        + (characteristic.instance.map { "#\($0)" } ?? "") + ")  "
                        + characteristic.properties.joined(separator: ", ")
                        + (value.map { ": " + Text.plain($0) } ?? ""))
            }
        }
        if let peculiarities {
            lines.append("It departs from the specification:")
            lines += peculiarities.map { "  " + Text.plain($0) }
        }
        return lines + [""]
    }
}

extension SensorInspection.Step {
    func line(of address: String) -> String {
        switch self {
        case .listening: "listening for \(address)…"
        case .connecting: "connecting…"
        case .reading: "reading…"
        }
    }
}
