// SPDX-License-Identifier: Apache-2.0

import Readings

/// The readings of a sensor: their number by source, their usual interval, and a silence. All times in milliseconds
/// since boot.
struct SensorReadings: Equatable, Sendable {
    private var counts = SourceCounts()
    private var watch = SilenceWatch()

    var total: Int { counts.total }
    /// By the names of `Reading.Source`, without zero counts.
    var named: [String: Int] { counts.named }
    /// The usual milliseconds between readings.
    var usualMs: Int64? { watch.usualMs }
    /// When the last reading came before the silence; nil without a silence.
    var silentSince: Int64? { watch.silentSince }

    mutating func count(_ source: Reading.Source) { counts.count(source) }

    /// Readings can come from now on. Earlier readings say nothing about the interval.
    mutating func begin(at now: Int64) { watch.began(at: now, readings: total) }

    /// The link is gone: silence is no fault of the sensor until the next link.
    mutating func linkEnded() { watch.ended() }

    /// Learns the usual interval, and looks for a silence. `lastValue`: the time of the newest value.
    mutating func look(at now: Int64, lastValue: Int64?, limits: SilenceLimits) -> SilenceWatch.Change? {
        watch.look(at: now, readings: total, lastValue: lastValue, limits: limits)
    }
}
