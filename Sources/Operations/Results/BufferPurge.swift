// SPDX-License-Identifier: Apache-2.0

/// The result of `martlet buffer purge`.
package struct BufferPurge: Codable, Equatable, Sendable {
    /// Readings given up.
    package var purged: Int

    package init(purged: Int) { self.purged = purged }
}
