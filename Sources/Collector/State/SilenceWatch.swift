// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Learns one value in how many milliseconds is usual for a sensor, and notices where a link that stands brings none.
///
/// Looks at counts now and then: a value costs nothing. The state of the sensor is judged by ``SensorFacts``.
struct SilenceWatch: Equatable, Sendable {
    enum Change: Equatable, Sendable {
        /// The time without a value.
        case silent(forMs: Int64)
        /// Values come again; the time without a value.
        case speaking(afterMs: Int64)
    }

    /// Minimum number of values behind the usual interval.
    private static let sample = 4

    private struct Mark: Equatable {
        var at: Int64
        var readings: Int
    }

    private var mark: Mark?
    /// The time of the last value before the silence, and the number of values until then.
    private var silence: Mark?
    /// The average time between the last values, in milliseconds; kept from link to link.
    private(set) var usualMs: Int64?

    var isSilent: Bool { silence != nil }
    /// When the last value came before the silence, in milliseconds since boot.
    var silentSince: Int64? { silence?.at }

    /// A link is set up. All times in milliseconds since boot.
    mutating func began(at now: Int64, readings: Int) {
        mark = Mark(at: now, readings: readings)
        silence = nil
    }

    mutating func ended() { (mark, silence) = (nil, nil) }

    /// `readings`: values since the start. `lastValue`: the time of the newest value.
    mutating func look(at now: Int64, readings: Int, lastValue: Int64?, limits: SilenceLimits = .init()) -> Change? {
        guard let mark else { return nil }
        let last = max(mark.at, lastValue ?? mark.at)
        if let silence {
            guard readings > silence.readings else { return nil }
            // The gap is no interval of values.
            self.mark = Mark(at: last, readings: readings)
            self.silence = nil
            return .speaking(afterMs: max(0, last.subtractingSaturated(silence.at)))
        }
        let new = readings - mark.readings
        if new >= Self.sample {
            usualMs = max(1, last.subtractingSaturated(mark.at) / Int64(new))
            self.mark = Mark(at: last, readings: readings)
        }
        let quiet = now.subtractingSaturated(last)
        guard quiet > limits.limit(usual: usualMs) else { return nil }
        silence = Mark(at: last, readings: readings)
        return .silent(forMs: quiet)
    }
}
