// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Judges whether the sensors that advertise are not heard though the radio hears others: then starting the scan again may help, as
/// some controllers tell of each device only once. All times in milliseconds since boot.
struct UnheardWatch: Equatable, Sendable {
    enum Verdict: Equatable, Sendable {
        /// The scan is to be started again.
        case renew
        /// That has helped, after so long without them.
        case helped(afterMs: Int64)
    }

    /// A sensor that advertises.
    struct Sensor: Equatable, Sendable {
        /// When it was heard last.
        var last: Int64
        /// From one value to the next, as the last ones came; nil while that is not known.
        var usual: Int64?
    }

    /// What helps shows within so long.
    static let proof: Int64 = 30_000
    /// Where it did not help, it is tried again after so long.
    static let pause: Int64 = 3_600_000

    private var tried: Int64?
    private var quietSince: Int64?
    private var isProving = false
    private var hasHelped = false

    /// `hearsOthers`: the radio has told of some advertisement lately.
    mutating func look(at now: Int64, _ sensors: [Sensor], hearsOthers: Bool, limits: SilenceLimits) -> Verdict? {
        if isProving, let tried, let quietSince {
            if sensors.contains(where: { $0.last > tried }) {
                (isProving, hasHelped) = (false, true)
                return .helped(afterMs: now.subtractingSaturated(quietSince))
            }
            guard now.subtractingSaturated(tried) > Self.proof else { return nil }
            (isProving, hasHelped) = (false, false)
        }
        guard hearsOthers, let newest = sensors.map(\.last).max(),
            sensors.allSatisfy({ now.subtractingSaturated($0.last) > limit($0, limits) })
        else { return nil }
        if !hasHelped, let tried, now.subtractingSaturated(tried) < Self.pause { return nil }
        (tried, quietSince, isProving) = (now, newest, true)
        return .renew
    }

    /// Of one that was heard once, and again when the scan was started again, no more is needed.
    private func limit(_ sensor: Sensor, _ limits: SilenceLimits) -> Int64 {
        sensor.usual == nil && hasHelped ? limits.least : limits.limit(usual: sensor.usual)
    }
}
