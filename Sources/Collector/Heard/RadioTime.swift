// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Estimates how long links keep a sensor's radio on: the cost of the collection for the sensor's battery.
/// Advertisements are not included. All times in milliseconds since boot.
struct RadioTime: Equatable, Sendable {
    /// Radio time of an empty connection event on LE 1M, in microseconds: two packets of 80, the space of 150 between
    /// them, and as much again for early listening and for the start. Core 5.4, Vol 6, Part B, 4.1.1 and 4.5.7.
    static let event = 500.0
    /// Radio time of a value of 20 octets and its acknowledgement, in microseconds.
    static let value = 450.0
    private static let day = 86_400_000.0

    /// When its first link began.
    private var began: Int64?
    /// Events are counted up to this time.
    private var counted: Int64 = 0
    private var events = 0.0
    private var interval: Double?

    /// The sensor attends an event every `interval` on the link that began at `start`.
    mutating func runs(every interval: Duration, from start: Int64, to now: Int64) {
        let milliseconds = max(1, interval / .milliseconds(1))
        count(from: start, to: now, every: self.interval ?? milliseconds)
        self.interval = milliseconds
    }

    /// The link that began at `start` has ended.
    mutating func ended(from start: Int64, to now: Int64) {
        count(from: start, to: now, every: interval ?? 40)
        interval = nil
    }

    private mutating func count(from start: Int64, to now: Int64, every interval: Double) {
        began = began ?? start
        let from = max(counted, start)
        guard now > from else { return }
        events += Double(now.subtractingSaturated(from)) / interval
        counted = now
    }

    /// Seconds a day; nil before an estimate is possible. `readings`: values that came on links.
    func secondsPerDay(readings: Int, at now: Int64) -> Double? {
        guard let began, now.subtractingSaturated(began) >= 10_000, events > 0 else { return nil }
        let microseconds = events * Self.event + Double(readings) * Self.value
        return microseconds / 1_000_000 * Self.day / Double(now.subtractingSaturated(began))
    }
}
