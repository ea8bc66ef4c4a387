// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The result of setting a time.
package enum ClockTrust: Equatable, Sendable {
    case taken
    /// A source vouches for the system's clock, which stays; how many milliseconds it is behind the new time.
    case notNeeded(differenceMs: Int64)
    /// Refused unless the sender insists.
    case doubtful(ClockDoubt)
    /// Before this program was made, or beyond the century: refused from every sender.
    case implausible
}

/// Why a new time looks like a slip of the hand.
package struct ClockDoubt: Equatable, Sendable, CustomStringConvertible {
    package enum Reference: Equatable, Sendable {
        /// A time that a time service, or an earlier run in this boot, vouched for.
        case knownTime
        /// The system's clock, which may have stood still while the machine was off.
        case systemClock
        /// The age of the program: no other reference is known.
        case program
    }

    package var reference: Reference
    /// By how many milliseconds the new time is ahead of the reference.
    package var differenceMs: Int64

    /// `the new time is 1137 days ahead of the system's clock`.
    package var description: String {
        let days = "\(differenceMs.magnitude / 86_400_000) days"
        let direction = differenceMs < 0 ? "behind" : "ahead of"
        return switch reference {
        case .knownTime: "the new time is \(days) \(direction) the known time"
        case .systemClock: "the new time is \(days) \(direction) the system's clock"
        case .program: "the new time is \(days) after this program was made"
        }
    }
}

extension ClockMachine {
    private static let day: Int64 = 86_400_000
    /// Times that are accepted when only the age of the program speaks against them: ten years.
    private static let programAge: Int64 = 3_653 * day

    /// Takes the time from a trusted sender, unless a source vouches for the system's clock.
    ///
    /// - Parameter insists: Accept the time even if it is far from all known times.
    mutating func trust(
        unixMilliseconds unix: Int64, insists: Bool = false, at sample: ClockSample
    ) -> ClockTrust {
        guard (Self.earliest..<Self.latest).contains(unix) else { return .implausible }
        if isSynchronized { return .notNeeded(differenceMs: unix.subtractingSaturated(sample.unix)) }
        if !insists, let doubt = doubt(about: unix, at: sample) { return .doubtful(doubt) }
        learn(
            Base(
                source: .trusted, offset: unix.subtractingSaturated(sample.uptime), learnedAt: sample.uptime,
                error: Self.givenError))
        return .taken
    }

    private func doubt(about unix: Int64, at sample: ClockSample) -> ClockDoubt? {
        // An earlier set time may be the mistake that this time mends.
        if let base, base.source != .trusted {
            let difference = unix.subtractingSaturated(sample.uptime.addingSaturated(base.offset))
            let isNear = (-Self.day...Self.day).contains(difference)
            return isNear ? nil : ClockDoubt(reference: .knownTime, differenceMs: difference)
        }
        if (Self.earliest..<Self.latest).contains(sample.unix) {
            let difference = unix.subtractingSaturated(sample.unix)
            // A clock without a battery continues, after a year in a drawer, where it stopped.
            let isNear = (-Self.day...(366 * Self.day)).contains(difference)
            return isNear ? nil : ClockDoubt(reference: .systemClock, differenceMs: difference)
        }
        let difference = unix.subtractingSaturated(Self.earliest)
        return difference <= Self.programAge ? nil : ClockDoubt(reference: .program, differenceMs: difference)
    }
}
