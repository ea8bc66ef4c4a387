// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// When the journal may be read again after a failure; a value.
struct ReadRetry {
    static let pause: Duration = .seconds(1)
    /// Between two looks at a journal that is not open yet, which may take long and is no failure.
    static let openingPause: Duration = .milliseconds(100)

    private var again = MonotonicTime.zero
    /// Failed attempts in a row.
    private var failures = 0

    func isOpen(at now: MonotonicTime) -> Bool { now >= again }

    /// How long the journal is left alone; nil if reading is allowed.
    func wait(from now: MonotonicTime) -> Duration? { isOpen(at: now) ? nil : again - now }

    /// - Returns: The number of failed attempts, if worth a line in the log: the first of a row, then at doubling
    ///   distances.
    mutating func failed(at now: MonotonicTime) -> Int? {
        again = now + Self.pause
        failures = failures.addingSaturated(1)
        return failures & (failures - 1) == 0 ? failures : nil
    }

    /// The journal is not open yet.
    mutating func postpone(at now: MonotonicTime) { again = now + Self.openingPause }

    /// A turn has read all present rows.
    ///
    /// - Parameter now: The start of the turn: a failure in the turn has closed the journal since.
    mutating func succeeded(at now: MonotonicTime) {
        if isOpen(at: now) { failures = 0 }
    }
}
