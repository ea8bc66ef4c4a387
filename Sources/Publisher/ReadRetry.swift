// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// When the journal may be read again after it could not be; a value.
struct ReadRetry {
    static let pause: Duration = .seconds(1)

    private var again = MonotonicTime.zero
    /// Tries that failed, in a row.
    private var failures = 0

    func isOpen(at now: MonotonicTime) -> Bool { now >= again }

    /// How long the journal is left alone; nil where it may be read.
    func wait(from now: MonotonicTime) -> Duration? { isOpen(at: now) ? nil : again - now }

    /// - Returns: How many tries have failed, where that is worth a line in the log: the first of a row, then at doubling
    ///   distances.
    mutating func failed(at now: MonotonicTime) -> Int? {
        again = now + Self.pause
        failures = failures.addingSaturated(1)
        return failures & (failures - 1) == 0 ? failures : nil
    }

    /// A turn has read what there was.
    ///
    /// - Parameter now: When the turn began: one that failed has closed it since.
    mutating func succeeded(at now: MonotonicTime) {
        if isOpen(at: now) { failures = 0 }
    }
}
