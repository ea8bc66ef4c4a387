// SPDX-License-Identifier: Apache-2.0

/// A time in the UTC form of RFC 3339, `2026-06-30T21:40:12.480Z`, to the millisecond.
package struct UniversalTime: Equatable, Sendable {
    /// Milliseconds since 1970, leap seconds not counted.
    package var unixMilliseconds: Int64

    private static let day: Int64 = 86_400_000

    package init(unixMilliseconds: Int64) { self.unixMilliseconds = unixMilliseconds }

    /// Reads `YYYY-MM-DDTHH:MM:SSZ`, with 1 to 9 digits of a fraction or none; nil for anything else, and for years
    /// outside 2000…2199.
    package init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        func number(_ digits: Int, in range: ClosedRange<Int64>, then end: UInt8?) -> Int64? {
            guard rest.count >= digits else { return nil }
            var value: Int64 = 0
            for octet in rest.prefix(digits) {
                guard (0x30...0x39).contains(octet) else { return nil }
                value = value * 10 + Int64(octet - 0x30)
            }
            rest = rest.dropFirst(digits)
            if let end { guard rest.popFirst() == end else { return nil } }
            return range.contains(value) ? value : nil
        }
        guard let year = number(4, in: 2000...2199, then: UInt8(ascii: "-")),
            let month = number(2, in: 1...12, then: UInt8(ascii: "-")),
            let date = number(2, in: 1...31, then: UInt8(ascii: "T")),
            date <= Self.days(in: month, of: year),
            let hour = number(2, in: 0...23, then: UInt8(ascii: ":")),
            let minute = number(2, in: 0...59, then: UInt8(ascii: ":")),
            let second = number(2, in: 0...59, then: nil), let last = rest.popLast(), last == UInt8(ascii: "Z")
        else { return nil }
        var milliseconds: Int64 = 0
        if !rest.isEmpty {
            guard rest.popFirst() == UInt8(ascii: "."), (1...9).contains(rest.count),
                rest.allSatisfy({ (0x30...0x39).contains($0) })
            else { return nil }
            for place in 0..<3 {
                let digit = rest.dropFirst(place).first.map { Int64($0 - 0x30) } ?? 0
                milliseconds = milliseconds * 10 + digit
            }
        }
        let seconds = (hour * 60 + minute) * 60 + second
        unixMilliseconds = Self.days(toYear: year, month: month, day: date) * Self.day + seconds * 1_000 + milliseconds
    }

    /// Nil for years outside 2000…2199.
    package var text: String? {
        let first = Self.days(toYear: 2000, month: 1, day: 1) * Self.day
        guard unixMilliseconds >= first, unixMilliseconds < Self.days(toYear: 2200, month: 1, day: 1) * Self.day else {
            return nil
        }
        var days = unixMilliseconds / Self.day
        let time = unixMilliseconds % Self.day
        var (year, month): (Int64, Int64) = (1970 + days / 366, 1)
        while Self.days(toYear: year + 1, month: 1, day: 1) <= days { year += 1 }
        days -= Self.days(toYear: year, month: 1, day: 1)
        while days >= Self.days(in: month, of: year) {
            days -= Self.days(in: month, of: year)
            month += 1
        }
        func digits(_ value: Int64, _ width: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        let clock = [time / 3_600_000, time / 60_000 % 60, time / 1_000 % 60].map { digits($0, 2) }
        return
            "\(year)-\(digits(month, 2))-\(digits(days + 1, 2))T\(clock.joined(separator: ":")).\(digits(time % 1_000, 3))Z"
    }

    private static func isLeap(_ year: Int64) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func days(toYear year: Int64, month: Int64, day: Int64) -> Int64 {
        // Between 1970 and 2200 only 2100 is divided by 4 and has no leap day.
        var days = (year - 1970) * 365 + (year - 1969) / 4 - (year > 2100 ? 1 : 0) + day - 1
        for former in 1..<month { days += Self.days(in: former, of: year) }
        return days
    }
}
