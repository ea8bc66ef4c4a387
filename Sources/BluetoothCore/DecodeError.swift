// SPDX-License-Identifier: Apache-2.0

/// Why octets from outside could not be decoded.
package enum DecodeError: Error, Equatable, Sendable {
    /// The input ended inside the named field.
    case truncated(field: StaticString)
    /// The named field holds a value that its specification forbids.
    case invalid(field: StaticString)
    /// Octets were left after the last field.
    case trailing(octets: Int)

    package static func == (left: DecodeError, right: DecodeError) -> Bool {
        left.description == right.description
    }
}

extension DecodeError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .truncated(let field): "input ends inside \(field)"
        case .invalid(let field): "\(field) has a value that is not allowed"
        case .trailing(let octets): "\(octets) octets too many"
        }
    }
}
