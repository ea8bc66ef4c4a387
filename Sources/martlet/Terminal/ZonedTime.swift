// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Times for people, with their zone.
enum ZonedTime {
    /// The zone's distance from UTC at that time: `UTC`, or `UTC+01:00`.
    static func offset(of zone: TimeZone, at date: Date) -> String {
        let minutes = zone.secondsFromGMT(for: date) / 60
        guard minutes != 0 else { return "UTC" }
        let (hours, rest) = minutes.magnitude.quotientAndRemainder(dividingBy: 60)
        func two(_ number: UInt) -> String { (number < 10 ? "0" : "") + String(number) }
        return "UTC" + (minutes < 0 ? "-" : "+") + two(hours) + ":" + two(rest)
    }

    /// `2026-11-23T14:05:33+01:00`; UTC has a Z.
    static func text(_ unixMs: Int64, _ zone: TimeZone) -> String {
        Date(timeIntervalSince1970: Double(unixMs) / 1_000).formatted(
            Date.ISO8601FormatStyle(timeZoneSeparator: .colon, timeZone: zone))
    }
}
