// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// How soon a sensor is connected to again, by why its link ended. A link that has brought something was worth it: only of those
/// in a row that brought nothing the pauses grow.
struct ReconnectionRule: Equatable, Sendable {
    /// After a link that has brought a value.
    let first: Duration
    /// After the first that has brought none; each further one doubles it, up to ``longest``.
    let step: Duration
    let longest: Duration

    private init(_ first: Duration, _ step: Duration, _ longest: Duration) {
        (self.first, self.step, self.longest) = (first, step, longest)
    }

    /// `fruitless`: links in a row, this one included, on which no value came.
    func pause(fruitless: Int) -> Duration {
        guard fruitless > 0 else { return first }
        return max(first, min(step * (1 << min(fruitless - 1, 16)), longest))
    }

    /// `reason`: Core 5.4, Vol 1, Part F, 2.
    static func of(_ reason: LinkEndReason?) -> Self {
        switch reason?.rawValue {
        // Connection Timeout: it is out of range, or comes back at any moment; the controller waits for it without a word on the
        // air, so there is nothing to spare.
        case 0x08: Self(.zero, .seconds(1), .seconds(60))
        // Remote User Terminated: it wants to rest, and advertises when it has something to say. One that hangs up each time
        // before it has said anything is left in peace for longer.
        case 0x13: Self(.zero, .seconds(2), .seconds(300))
        // Low Resources: it has no room for us now.
        case 0x14: Self(.seconds(10), .seconds(30), .seconds(600))
        // Power Off: it advertises when it is on again.
        case 0x15: Self(.zero, .seconds(1), .seconds(60))
        // LL Response Timeout: its link layer hangs, and a new link at once would find it as it is.
        case 0x22: Self(.seconds(2), .seconds(5), .seconds(300))
        // MIC Failure: keys that do not fit, or somebody who interferes: hurry helps the one who does.
        case 0x3D: Self(.seconds(10), .seconds(30), .seconds(3_600))
        // Authentication Failure, Key Missing, Insufficient Security, Encryption Mode Not Acceptable: a person has to act.
        case 0x05, 0x06, 0x25, 0x2F: Self(.seconds(1), .seconds(30), .seconds(3_600))
        // Connection Failed to be Established: the host has tried at once and several times before it is told.
        case 0x3E: Self(.seconds(1), .seconds(1), .seconds(60))
        default: Self(.zero, .seconds(1), .seconds(60))
        }
    }
}
