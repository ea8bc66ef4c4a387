// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// The state of a sensor's link, and the time of the next act on it: a retry, a poll, or the end of a wait.
struct LinkPhase {
    private(set) var link: SensorStatus.Link = .unavailable
    /// When to act on the state; nil: an event comes first.
    private(set) var deadline: DispatchTime?

    private mutating func begin(_ link: SensorStatus.Link, until deadline: DispatchTime? = nil) {
        (self.link, self.deadline) = (link, deadline)
    }

    // MARK: The states

    /// There is no controller, or the collector stops.
    mutating func lost() { begin(.unavailable) }
    /// The controller looks for the sensor, which may come at any time.
    mutating func connecting() { begin(.connecting) }
    /// The set-up, or a pairing, is to be done at this time.
    mutating func settingUp(until limit: DispatchTime) { begin(.settingUp, until: limit) }
    mutating func collecting() { begin(.collecting) }
    /// The link is given up; the retry comes at this time at the latest. Nil: there is none.
    mutating func disconnecting(until limit: DispatchTime?) { begin(.disconnecting, until: limit) }
    /// The next attempt comes at this time; nil: when something has changed.
    mutating func waiting(until time: DispatchTime?) { begin(.waiting, until: time) }
    /// The sensor waits for its turn at a link.
    mutating func queued() { begin(.queued) }
    /// The values were read, and the link ends. The next poll comes at this time at the latest.
    mutating func resting(until limit: DispatchTime) { begin(.resting, until: limit) }
    /// Another gateway has the link.
    mutating func elsewhere() { begin(.elsewhere) }

    // MARK: The time

    /// A person takes a while to pair.
    mutating func prolongSetUp(until limit: DispatchTime) {
        if link == .settingUp { deadline = limit }
    }

    /// The next poll comes at this time, on the present link or the next one.
    mutating func poll(at time: DispatchTime) { deadline = time }

    /// Nothing more is to be done about this link.
    mutating func settle() { deadline = nil }

    /// Whether the time has come to act; once.
    mutating func takeDeadline(at now: DispatchTime) -> Bool {
        guard let deadline, deadline <= now else { return false }
        self.deadline = nil
        return true
    }
}
