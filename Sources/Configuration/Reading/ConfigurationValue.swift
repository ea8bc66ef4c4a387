// SPDX-License-Identifier: Apache-2.0

/// A TOML value as plain data.
package enum ConfigurationValue: Equatable, Sendable {
    case string(String)
    case integer(Int)
    case real(Double)
    case boolean(Bool)
    case list([ConfigurationValue])
    case table([String: ConfigurationValue])
    case date

    /// The kind of the value, for a person: "a string".
    package var kind: String {
        switch self {
        case .string: "a string"
        case .integer: "an integer"
        case .real: "a number with a fraction or an exponent"
        case .boolean: "true or false"
        case .list: "a list"
        case .table: "a table"
        case .date: "a date or time"
        }
    }
}
