// SPDX-License-Identifier: Apache-2.0

/// The result of `martlet buffer compact`.
package struct BufferCompaction: Codable, Equatable, Sendable {
    /// Octets of the journal's file before.
    package var before: Int64
    /// Octets of the file now.
    package var after: Int64
    /// Why the file was left unchanged; nil for a file written anew.
    package var reason: String?

    package init(before: Int64, after: Int64, reason: String? = nil) {
        (self.before, self.after, self.reason) = (before, after, reason)
    }
}
