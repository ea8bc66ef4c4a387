// SPDX-License-Identifier: Apache-2.0

import Readings

/// The lock file's marks of row numbers: three lines of equal length, so that a new line covers the old line.
struct NumberMarks: Equatable, Sendable {
    /// All row numbers up to here may have been used.
    struct Reservation: Equatable, Sendable {
        /// No row number above this number has ever been used.
        var number: Int64
        /// This number was used or skipped, and the journal was closed after it.
        var isExact: Bool
    }

    /// The mark of a commit.
    struct Used: Equatable, Sendable {
        /// The last number that the commit gave.
        var number: Int64
        /// Readings that had a number by then; fewer than the number if numbers have leapt. Nil in a file of a version
        /// without this count.
        var rows: Int?
    }

    private static let lineLength = 28
    static let length = 3 * lineLength
    /// The end of the reservation's line.
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
