// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The layer as TOML.
extension MachineLayer {
    package var text: String {
        var blocks = [
            "# Written by the gateway: change it by the page, a phone or a command, not by hand."
        ]
        for section in GatewayConfiguration.sections {
            let own = values.filter { Array($0.key.dropLast()) == section.path }
            if !own.isEmpty {
                blocks.append(Self.table("[\(section.name)]", own.map { ($0.key[$0.key.count - 1], $0.value) }))
            }
        }
        blocks += sensors.map { Self.table("[[sensor]]", Array($0)) }
        return blocks.joined(separator: "\n\n") + "\n"
    }

    private static func table(_ header: String, _ entries: [(key: String, value: ConfigurationValue)]) -> String {
        let lines = entries.sorted { $0.key < $1.key }.map { "\(ConfigurationValue.name($0.key)) = \($0.value.toml)" }
        return ([header] + lines).joined(separator: "\n")
    }
}
