// SPDX-License-Identifier: Apache-2.0

import Readings

/// What the lock file knows of row numbers: three lines of one length, so that nothing is left of what was there before.
struct NumberMarks: Equatable, Sendable {
    /// All row numbers up to here may have been used.
    struct Reservation: Equatable, Sendable {
        /// No row number above this one has ever been used.
        var number: Int64
        /// This one has been used, or was skipped: the journal was closed after it.
        var isExact: Bool
    }

    /// What a commit leaves behind.
    struct Used: Equatable, Sendable {
        /// The last number that it gave.
        var number: Int64
        /// Readings that had been given a number by then; fewer than the number where numbers have leapt. Nil in a file of
        /// a version that did not count them.
        var rows: Int?
    }

    private static let lineLength = 28
    static let length = 3 * lineLength
    /// Where the line of the reservation ends.
    static let usedOffset = lineLength

    var reservation: Reservation?
    var used: Used?

    init(_ octets: some Collection<UInt8>) {
        let lines = String(decoding: octets.prefix(Self.length), as: UTF8.self)
            .split(separator: "\n").map { $0.split(separator: " ") }
        func number(_ line: Int, _ words: [Substring]) -> Int64? {
            guard lines.count > line, lines[line].count == 2, words.contains(lines[line][1]) else { return nil }
            return Int64(lines[line][0]).flatMap { (0...JournalStatistics.largestCount).contains($0) ? $0 : nil }
        }
        reservation = number(0, ["open", "closed"]).map { Reservation(number: $0, isExact: lines[0][1] == "closed") }
        used = number(1, ["used"]).map { Used(number: $0, rows: number(2, ["rows"]).map { Int($0) }) }
    }

    static func line(_ reservation: Reservation) -> String {
        line(reservation.number, reservation.isExact ? "closed" : "open  ")
    }

    static func lines(_ used: Used) -> String {
        line(used.number, "used  ") + (used.rows.map { line(Int64($0), "rows  ") } ?? "")
    }

    private static func line(_ number: Int64, _ word: String) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(20 - digits.count, 0)) + digits + " " + word + "\n"
    }
}
