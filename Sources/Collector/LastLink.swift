// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// How the last link to a sensor ended, and how many were lost; a value.
struct LastLink: Equatable, Sendable {
    /// The newest end of a link, and how many milliseconds ago that was.
    var end: SensorEvent?
    var age: Int64?
    /// Links that others than the gateway have ended in the last 24 hours.
    var losses = 0

    /// The last end is worth a word beside a link that works.
    private static let recent: Int64 = 3_600_000
    /// Losses in 24 hours that somebody should do something about.
    static let manyLosses = 3

    var isLostOften: Bool { losses >= Self.manyLosses }

    /// `ended 14 min ago, after 3 min: 0x08 Connection Timeout – the radio lost it`; nil where no link has ended.
    ///
    /// - Parameter sensor: Its id, for the advice.
    func words(_ sensor: String) -> String? {
        guard let end, let age else { return nil }
        let after = end.lastedMs.map { ", after \(SpokenTime.of($0))" } ?? ""
        let why: String =
            if end.endedBy == .gateway, let detail = end.detail {
                "the gateway ended it: \(SensorCase.clause(detail))"
            } else if let reason = end.reason {
                "\(reason) – \(LinkEndAdvice.of(reason, sensor: sensor).meaning)"
            } else {
                SensorCase.clause(end.detail ?? "nobody says why")
            }
        return "ended \(SpokenTime.of(age)) ago\(after): \(why)"
    }

    /// The same where it is not long ago.
    func recentWords(_ sensor: String) -> String? {
        guard let age, age <= Self.recent else { return nil }
        return words(sensor)
    }
}
