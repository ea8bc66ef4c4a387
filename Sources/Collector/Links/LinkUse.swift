// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Platform

/// The worth and the cost of a sensor's links: the values, the pauses between links, and the time of the sensor's
/// radio.
struct LinkUse {
    private static let ownPaceTime: Int64 = 10_000

    private var pace = LinkPace()
    private var radio = RadioTime()
    /// Links in a row without a value.
    private var fruitless = 0
    /// Between attempts to set up a link, while they fail.
    private var backoff = Backoff(.seconds(1)...(.seconds(60)))

    /// A link ends that began at `start`, milliseconds since boot. Returns the pause before the next link.
    mutating func ended(_ reason: LinkEndReason?, hasBrought: Bool, from start: Int64, to now: Int64) -> Duration {
        pace.ended(byUs: reason?.party == .gateway, at: now)
        radio.ended(from: start, to: now)
        fruitless = hasBrought ? 0 : min(fruitless + 1, 1_000)
        return ReconnectionRule.of(reason).pause(fruitless: fruitless)
    }

    /// The sensor attends an event every `interval` on the link that began at `start`.
    mutating func runs(every interval: Duration, from start: Int64, to now: Int64) {
        radio.runs(every: interval, from: start, to: now)
    }

    /// Whether a slower link may be asked for. Each sensor has some time first to ask for its own pace: 5 s by Core
    /// 5.4, Vol 3, Part C, 9.3.9.
    ///
    /// - Parameters:
    ///   - interval: The present connection interval.
    ///   - start: When the link began.
    func mayBeSlower(than interval: Duration, since start: Int64, at now: Int64) -> Bool {
        pace.isOpen && interval < LinkPace.unasked && now.subtractingSaturated(start) >= Self.ownPaceTime
    }

    mutating func madeSlower(at now: Int64) { pace.changed(at: now) }

    /// Seconds a day for which links keep the sensor's radio on, to a tenth; nil before an estimate is possible.
    func radioSecondsDay(readings: Int, at now: Int64) -> Double? {
        radio.secondsPerDay(readings: readings, at: now).map { ($0 * 10).rounded() / 10 }
    }

    mutating func setUpSucceeded() { backoff.reset() }

    /// The pause after a further failed attempt.
    ///
    /// - Parameter spread: As in ``Backoff/wait(spread:)``.
    mutating func nextPause(spread: Double) -> Duration { backoff.wait(spread: spread) }
}
