// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The end of the last link to a sensor, and the number of lost links; a value.
struct LastLink: Equatable, Sendable {
    /// The newest end of a link, and its age in milliseconds.
    var end: SensorEvent?
    var age: Int64?
    /// Links that ended in the last 24 hours, without the gateway's own ends.
    var losses = 0

    /// Within this time, the last end is worth a word beside a working link.
    private static let recent: Int64 = 3_600_000
    /// From this number of losses in 24 hours, a person should act.
    static let manyLosses = 3

    var isLostOften: Bool { losses >= Self.manyLosses }

    /// `ended 14 min ago, after 3 min: 0x08 Connection Timeout – the radio lost it`; nil if no link has ended.
    ///
    /// - Parameter sensor: Its id, for the advice.
    func words(_ sensor: String) -> String? {
        guard let end, let age else { return nil }
        let after = end.lastedMs.map { ", after \(SpokenTime.of($0))" } ?? ""
        let why: String =
            if end.endedBy == .gateway, let detail = end.detail {
                "the gateway ended the link: \(SensorCase.clause(detail))"
            } else if let reason = end.reason {
                "\(reason) – \(LinkEndAdvice.of(reason, during: end.during, sensor: sensor).meaning)"
            } else {
                SensorCase.clause(end.detail ?? "nobody says why")
            }
        return "ended \(SpokenTime.of(age)) ago\(after): \(why)"
    }

    /// Like ``words(_:)``, for a recent end only.
    func recentWords(_ sensor: String) -> String? {
        guard let age, age <= Self.recent else { return nil }
        return words(sensor)
    }
}
