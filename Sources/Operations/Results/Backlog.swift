// SPDX-License-Identifier: Apache-2.0

/// Readings that wait for the broker, and how soon they will be delivered.
package struct Backlog: Codable, Equatable, Sendable {
    /// Readings on disk.
    package var rows: Int
    /// Delivered readings a second.
    package var perSecond: Double
    /// Seconds until the broker has all readings, if both rates stay; nil while the backlog does not shrink.
    package var secondsLeft: Int64?

    package init(rows: Int, perSecond: Double, secondsLeft: Int64?) {
        (self.rows, self.perSecond, self.secondsLeft) = (rows, perSecond, secondsLeft)
    }
}
