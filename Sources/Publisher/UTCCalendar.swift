// SPDX-License-Identifier: Apache-2.0

/// Writes Unix times as RFC 3339 in UTC with milliseconds; remembers the day, which seldom changes.
struct UTCCalendar {
    private static let millisecondsOfDay: Int64 = 86_400_000

    private var day = Int64.min
    private var date: [UInt8] = []

    mutating func write(_ unixMilliseconds: Int64, to octets: inout [UInt8]) {
        let (day, time) = Self.split(unixMilliseconds)
        if day != self.day {
            self.day = day
            date = Self.date(of: day)
        }
        octets.append(contentsOf: date)
        octets.append(digitsOf: UInt64(time / 3_600_000), atLeast: 2)
        octets.append(UInt8(ascii: ":"))
        octets.append(digitsOf: UInt64(time / 60_000 % 60), atLeast: 2)
        octets.append(UInt8(ascii: ":"))
        octets.append(digitsOf: UInt64(time / 1_000 % 60), atLeast: 2)
        octets.append(UInt8(ascii: "."))
        octets.append(digitsOf: UInt64(time % 1_000), atLeast: 3)
        octets.append(UInt8(ascii: "Z"))
    }

    /// Days since 1970 and the milliseconds of that day.
    private static func split(_ unixMilliseconds: Int64) -> (day: Int64, time: Int64) {
        // Years 0000 to 9999, which is what the text has room for.
        let bounded = min(max(unixMilliseconds, -62_167_219_200_000), 253_402_300_799_999)
        let (quotient, remainder) = bounded.quotientAndRemainder(dividingBy: millisecondsOfDay)
        return remainder < 0 ? (quotient - 1, remainder + millisecondsOfDay) : (quotient, remainder)
    }

    /// `2026-01-01T`. The Gregorian calendar in eras of 400 years that begin on 1 March.
    private static func date(of day: Int64) -> [UInt8] {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        var octets: [UInt8] = []
        octets.append(digitsOf: UInt64(max(year, 0)), atLeast: 4)
        octets.append(UInt8(ascii: "-"))
        octets.append(digitsOf: UInt64(month), atLeast: 2)
        octets.append(UInt8(ascii: "-"))
        octets.append(digitsOf: UInt64(dayOfMonth), atLeast: 2)
        octets.append(UInt8(ascii: "T"))
        return octets
    }
}
