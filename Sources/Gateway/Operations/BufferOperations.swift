// SPDX-License-Identifier: Apache-2.0

import Journal
import Publisher
import Readings

/// What clients may do with the readings that wait for the broker. Nothing of it blocks the caller's thread or the gateway's
/// queues.
package protocol BufferOperations: AnyObject, Sendable {
    /// The journal's books, and those of each sensor.
    func buffer() async throws(OperationError) -> JournalStatistics

    /// Holds history up, lets it go, or sends all of it without a limit.
    func setHistory(_ mode: HistoryMode) async -> HistoryAnswer

    /// Gives up all readings on disk.
    func purgeBuffer() async throws(OperationError) -> BufferPurge

    /// Gives disk space back that an outage has taken.
    func compactBuffer() async throws(OperationError) -> BufferCompaction
}

/// What `martlet buffer pause`, `resume` and `drain` are answered with.
package struct HistoryAnswer: Codable, Equatable, Sendable {
    package var mode: HistoryMode
    /// Readings on disk that the broker has not acknowledged, live ones among them.
    package var buffered: Int
}
