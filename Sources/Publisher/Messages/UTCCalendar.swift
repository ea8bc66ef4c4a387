// SPDX-License-Identifier: Apache-2.0

/// Writes Unix times as RFC 3339 in UTC with milliseconds; remembers the second, because readings often share a second.
struct UTCCalendar {
    private var second = Int64.min
    /// `2026-01-01T00:00:00.`
    private var text: [UInt8] = []

    mutating func write(_ unixMilliseconds: Int64, to octets: inout OctetBuffer) {
        // Years 0000 to 9999, because the text has room for four digits.
        let bounded = min(max(unixMilliseconds, -62_167_219_200_000), 253_402_300_799_999)
        let (second, milliseconds) = Self.split(bounded, by: 1_000)
        if second != self.second {
            self.second = second
            text = Self.text(of: second)
        }
        octets.append(text)
        octets.append(UInt64(milliseconds), digits: 3)
        octets.append("Z" as StaticString)
    }

    private static func split(_ number: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func text(of second: Int64) -> [UInt8] {
        let (day, time) = split(second, by: 86_400)
        var octets = OctetBuffer()
        write(day: day, to: &octets)
        octets.append(UInt64(time / 3_600), digits: 2)
        octets.append(":" as StaticString)
        octets.append(UInt64(time / 60 % 60), digits: 2)
        octets.append(":" as StaticString)
        octets.append(UInt64(time % 60), digits: 2)
        octets.append("." as StaticString)
        return octets.octets
    }

    /// `2026-01-01T`. The Gregorian calendar in eras of 400 years from 1 March on.
    private static func write(day: Int64, to octets: inout OctetBuffer) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        octets.append(UInt64(max(year, 0)), digits: 4)
        octets.append("-" as StaticString)
        octets.append(UInt64(month), digits: 2)
        octets.append("-" as StaticString)
        octets.append(UInt64(dayOfMonth), digits: 2)
        octets.append("T" as StaticString)
    }
}
