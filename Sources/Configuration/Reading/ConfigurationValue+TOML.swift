// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A value as TOML, in one line.
extension ConfigurationValue {
    package var toml: String {
        switch self {
        case .string(let text): quoted(text)
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .boolean(let flag): String(flag)
        case .list(let values): "[" + values.map(\.toml).joined(separator: ", ") + "]"
        case .table(let entries):
            "{ "
                + entries.sorted { $0.key < $1.key }.map { "\(Self.name($0.key)) = \($0.value.toml)" }
                .joined(separator: ", ") + " }"
        // No key has a date as its value.
        case .date: quoted("")
        }
    }

    /// A key in TOML: bare if possible, else quoted.
    package static func name(_ key: String) -> String {
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
