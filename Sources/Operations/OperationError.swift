// SPDX-License-Identifier: Apache-2.0

/// The reason for a refusal or failure, in words for a person, with advice.
package struct OperationError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Kind: String, Codable, Sendable {
        case notValid = "not-valid"
        case notFound = "not-found"
        /// Another client is making a change.
        case busy
        case refused
        case failed
    }

    package var kind: Kind
    package var description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
