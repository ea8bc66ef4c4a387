// SPDX-License-Identifier: Apache-2.0

/// A file for somebody who is to help: what `martlet support-bundle` is answered with.
package struct SupportBundle: Codable, Equatable, Sendable {
    /// Where the gateway keeps it; nil where it could not write it.
    package var path: String?
    /// Why it could not.
    package var problem: String?
    /// Octets.
    package var bytes: Int
    /// What is in it; nil where only the place was asked for.
    package var text: String?

    package init(path: String?, bytes: Int, text: String? = nil) {
        (self.path, self.bytes, self.text) = (path, bytes, text)
    }
}
