// SPDX-License-Identifier: Apache-2.0

import Collector

/// The reference of all keys, as Markdown. The table that reads the keys is its source.
package enum ConfigurationReference {
    package static var markdown: String {
        // The gateway's own default depends on the machine, and tells a reader nothing.
        let defaults = GatewayConfiguration(gateway: "")
        var sections = GatewayConfiguration.sections.map { section(of: $0, titled: "[\($0.name)]", defaults) }
        sections.append(section(of: GatewayConfiguration.sensorSection, titled: "[[sensor]]", SensorRule()))
        sections.append(section(of: DecoderDescription.section, titled: "decoders.d/*.toml", DecoderDescription()))
        sections.append(section(of: FormDescription.section, titled: "[match]", FormDescription()))
        sections.append(section(of: FieldDescription.section, titled: "[[field]]", FieldDescription()))
        sections.append(section(of: VectorDescription.section, titled: "[[vector]]", VectorDescription()))
        return sections.joined(separator: "\n")
    }

    private static func section<Root>(
        of section: ConfigurationSection<Root>, titled title: String, _ defaults: Root
    ) -> String {
        var lines = [
            "### `\(title)`", "", section.help, "", "| key | type | default | meaning |", "| --- | --- | --- | --- |",
        ]
        for key in section.keys {
            let fallback = key.fallback(defaults).flatMap { $0 == "\"\"" ? nil : "`\($0)`" } ?? "–"
            let mark =
                switch key.effect {
                case .live: ""
                case .reconnect: " (reconnect)"
                case .restart: " (restart)"
                }
            lines.append("| `\(key.name)` | \(key.type) | \(fallback) | \(key.help)\(mark) |")
        }
        if !section.former.isEmpty {
            let names = section.former.map { "`\($0)`" }.joined(separator: ", ")
            lines += ["", "Keys of the release before: \(names). The gateway warns of them, and ignores them."]
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension ConfigurationSection {
    var name: String { path.joined(separator: ".") }
}
