// SPDX-License-Identifier: Apache-2.0

/// A file for somebody who is to help: what `martlet support-bundle` is answered with.
package struct SupportBundle: Codable, Equatable, Sendable {
    /// Where the gateway keeps it.
    package var path: String
    /// Octets.
    package var bytes: Int
    /// What is in it; nil where only the place was asked for.
    package var text: String?
}
