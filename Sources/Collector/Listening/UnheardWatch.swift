// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Judges whether the advertising sensors are unheard although the radio hears other devices. A restart of the scan may
/// then help, because some controllers report each device only once. All times in milliseconds since boot.
struct UnheardWatch: Equatable, Sendable {
    enum Verdict: Equatable, Sendable {
        /// Start the scan again.
        case renew
        /// The restart has helped, after this time without the sensors.
        case helped(afterMs: Int64)
    }

    /// An advertising sensor.
    struct Sensor: Equatable, Sendable {
        /// The time of its last packet.
        var last: Int64
        /// The time between its last values; nil while unknown.
        var usual: Int64?
    }

    /// A restart of the scan shows its effect within this time.
    static let proof: Int64 = 30_000
    /// Pause after a restart without effect.
    static let pause: Int64 = 3_600_000

    private var tried: Int64?
    private var quietSince: Int64?
    private var isProving = false
    private var hasHelped = false

    /// `hearsOthers`: the radio has received some advertisement lately.
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

    /// After a restart that helped, a sensor without a known interval is unheard after the shortest silence.
    private func limit(_ sensor: Sensor, _ limits: SilenceLimits) -> Int64 {
        sensor.usual == nil && hasHelped ? limits.least : limits.limit(usual: sensor.usual)
    }
}
