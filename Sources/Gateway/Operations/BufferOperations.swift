// SPDX-License-Identifier: Apache-2.0

import Journal
import Operations
import Publisher
import Readings

/// Clients' operations on the readings that wait for the broker. No operation blocks the caller's thread or the
/// gateway's queues.
package protocol BufferOperations: AnyObject, Sendable {
    /// The books of the journal and of each sensor.
    func buffer() async throws(OperationError) -> JournalStatistics

    /// Pauses history, resumes it, or sends all of it without a limit.
    func setHistory(_ mode: HistoryMode) async -> HistoryAnswer

    /// Drops all readings on disk.
    func purgeBuffer() async throws(OperationError) -> BufferPurge

    /// Gives disk space back after an outage.
    func compactBuffer() async throws(OperationError) -> BufferCompaction
}
