// SPDX-License-Identifier: Apache-2.0

/// Says when "now" is, and how far that can be trusted.
package protocol WallClock: Sendable {
    /// Cheap enough to be called for each reading.
    func stamp() -> TimeStamp
}
