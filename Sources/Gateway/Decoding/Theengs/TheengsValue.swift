// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A JSON value in a definition.
enum TheengsValue: Decodable, Equatable {
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([TheengsValue])
    case table([String: TheengsValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([Self].self) {
            self = .list(list)
        } else {
            self = .table(try container.decode([String: Self].self))
        }
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var list: [Self]? { if case .list(let list) = self { list } else { nil } }
    var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }

    /// A number of hexadecimal digits, or a place among them: 0…1,024.
    var digits: Int? {
        guard case .number(let number) = self, number >= 0, number <= 1_024, number == number.rounded() else {
            return nil
        }
        return Int(number)
    }

    /// The value as TOML.
    var toml: String? {
        switch self {
        case .flag(let flag): String(flag)
        case .number(let number):
            number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : String(number)
        case .text(let text): quoted(text)
        case .list, .table: nil
        }
    }
}

/// Why a definition cannot be converted.
package struct TheengsError: Error, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}
