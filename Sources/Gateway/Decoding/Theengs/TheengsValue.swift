// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A JSON value in a definition. A table keeps its order, because a property works with the calculation before it.
enum TheengsValue: Equatable {
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([TheengsValue])
    case table(Table)
    case null

    struct Table: Equatable {
        struct Entry: Equatable {
            var key: String
            var value: TheengsValue
        }

        var entries: [Entry] = []

        subscript(key: String) -> TheengsValue? { entries.first { $0.key == key }?.value }
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var list: [Self]? { if case .list(let list) = self { list } else { nil } }
    var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
    var table: Table? { if case .table(let table) = self { table } else { nil } }

    /// A number of hexadecimal digits, or a place among them: 0…1,024.
    var digits: Int? {
        guard case .number(let number) = self, number >= 0, number <= 1_024, number == number.rounded() else {
            return nil
        }
        return Int(number)
    }

    /// The number, which a text may have.
    var number: Double? {
        switch self {
        case .number(let number): number
        case .text(let text): Double(text)
        default: nil
        }
    }

    /// The value as TOML.
    var toml: String? {
        switch self {
        case .flag(let flag): String(flag)
        case .number(let number):
            number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : String(number)
        case .text(let text): quoted(text)
        case .list, .table, .null: nil
        }
    }
}

/// Why a definition cannot be converted.
package struct TheengsError: Error, CustomStringConvertible {
    package let description: String
    /// Texts of the file are among the words.
    init(_ description: String) { self.description = description.onOneLine }
}

extension String {
    /// Control characters, line breaks among them, become spaces: texts of a foreign file go into comments and to terminals.
    var onOneLine: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}
