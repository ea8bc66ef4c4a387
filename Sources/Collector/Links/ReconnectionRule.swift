// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The pause before the next connection to a sensor, by the reason of the last end. A link with a value was worth its
/// cost, so the pauses grow only with links in a row without a value.
struct ReconnectionRule: Equatable, Sendable {
    /// After a link with a value.
    let first: Duration
    /// After the first link without a value. Each further link without a value doubles the pause, up to ``longest``.
    let step: Duration
    let longest: Duration

    private init(_ first: Duration, _ step: Duration, _ longest: Duration) {
        (self.first, self.step, self.longest) = (first, step, longest)
    }

    /// `fruitless`: links in a row without a value, up to the last link.
    func pause(fruitless: Int) -> Duration {
        guard fruitless > 0 else { return first }
        return max(first, min(step * (1 << min(fruitless - 1, 16)), longest))
    }

    /// `reason`: Core 5.4, Vol 1, Part F, 2.
    static func of(_ reason: LinkEndReason?) -> Self {
        switch reason?.rawValue {
        // Connection Timeout: the sensor is out of range, or may return at any moment. The controller waits for the
        // sensor without sending anything, so a pause would save nothing.
        case 0x08: Self(.zero, .seconds(1), .seconds(60))
        // Remote User Terminated: the sensor wants to rest, and advertises when it has new values. A sensor that always
        // hangs up before its first value gets longer pauses.
        case 0x13: Self(.zero, .seconds(2), .seconds(300))
        // Low Resources: the sensor has no room for this gateway now.
        case 0x14: Self(.seconds(10), .seconds(30), .seconds(600))
        // Power Off: the sensor advertises when it has power again.
        case 0x15: Self(.zero, .seconds(1), .seconds(60))
        // LL Response Timeout: the sensor's link layer hangs, and an immediate link would find the link layer
        // unchanged.
        case 0x22: Self(.seconds(2), .seconds(5), .seconds(300))
        // MIC Failure: the keys do not fit, or an attacker interferes. Hurry helps the attacker.
        case 0x3D: Self(.seconds(10), .seconds(30), .seconds(3_600))
        // Authentication Failure, Key Missing, Insufficient Security, Encryption Mode Not Acceptable: a person has to act.
        case 0x05, 0x06, 0x25, 0x2F: Self(.seconds(1), .seconds(30), .seconds(3_600))
        // Connection Failed to be Established: the host has already retried several times before it reports the
        // failure.
        case 0x3E: Self(.seconds(1), .seconds(1), .seconds(60))
        default: Self(.zero, .seconds(1), .seconds(60))
        }
    }
}
