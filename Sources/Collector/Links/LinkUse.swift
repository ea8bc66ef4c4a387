// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Platform

/// The worth and the cost of a sensor's links: the values, the pauses between links, and the time of the sensor's
/// radio.
struct LinkUse {
    var pace = LinkPace()
    var radio = RadioTime()
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

    mutating func setUpSucceeded() { backoff.reset() }

    /// The pause after a further failed attempt.
    mutating func nextPause() -> Duration { backoff.wait(spread: .random(in: 0.8...1.2)) }
}
