// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Configuration
import Journal
import Readings

/// Numbers above all numbers from another board of the same gateway: a pair of `gw` and `n` names one reading for ever.
package enum NumberLeap {
    /// The least number of unused numbers.
    static let least: Int64 = 1_000_000

    /// The number below the next reading's number.
    ///
    /// - Parameters:
    ///   - used: The greatest known number.
    ///   - moments: Milliseconds since 1970. No gateway takes a thousand readings a second for years, so its numbers stay below. If
    ///     the clock is in the past, as at a start without a real-time clock, ``least`` unused numbers remain: enough for another
    ///     board that has given fewer numbers since.
    /// - Throws: ``BackupError/unfit(_:)`` if a wrong clock leaves no number.
    static func number(above used: Int64, at moments: Int64...) throws(BackupError) -> Int64 {
        let number = moments.reduce(used.addingSaturated(least), max)
        guard number < JournalStatistics.largestCount / 2 else {
            throw .unfit("the clock, or the backup's, is wrong: no number is left for new readings")
        }
        return number
    }

    /// Leaps after the word of an operator: the card's gateway goes on in a new board. Call this function before the journal is open.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Returns: The number below the next reading's number; nil if there was nothing to leap over.
    package static func finish(
        stateDirectory: String, journal: String, at now: Int64
    ) throws(BackupError) -> Int64? {
        let place = GatewayName(stateDirectory: stateDirectory)
        guard case .identity(var identity) = place.read(), identity.leaps else { return nil }
        let hold = try withJournal { () throws(JournalError) in try JournalHold(path: journal) }
        defer { hold.release() }
        let used = max(hold.greatest, JournalCopy.content(of: journal)?.greatest ?? 0)
        let number = try number(above: used, at: now)
        try withJournal { () throws(JournalError) in try hold.leap(above: number) }
        identity.hasLeapt()
        do throws(GatewayName.Failure) { try place.keep(identity) } catch {
            throw .unfit("\(place.path) cannot be written (\(error.description))")
        }
        return number
    }
}
