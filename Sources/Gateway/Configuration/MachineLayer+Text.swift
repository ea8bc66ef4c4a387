// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The layer as TOML.
extension MachineLayer {
    var text: String {
        var blocks = [
            "# Written by the gateway: change it by martlet configure, martlet accept or a phone, not by hand."
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
        let lines = entries.sorted { $0.key < $1.key }.map { "\(name($0.key)) = \(toml($0.value))" }
        return ([header] + lines).joined(separator: "\n")
    }

    private static func toml(_ value: ConfigurationValue) -> String {
        switch value {
        case .string(let text): quoted(text)
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .boolean(let flag): String(flag)
        case .list(let values): "[" + values.map(toml).joined(separator: ", ") + "]"
        case .table(let entries):
            "{ "
                + entries.sorted { $0.key < $1.key }.map { "\(name($0.key)) = \(toml($0.value))" }
                .joined(separator: ", ") + " }"
        // No key takes one, so that a layer cannot hold one.
        case .date: quoted("")
        }
    }

    private static func name(_ key: String) -> String {
        let isBare = key.utf8.allSatisfy { $0.isBareKeyOctet }
        return isBare && !key.isEmpty ? key : quoted(key)
    }
}

extension UInt8 {
    fileprivate var isBareKeyOctet: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
