// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch

/// The numbers of links and sensors, and the time of the next check.
struct SlotShare {
    /// The assumed number of links is tested again after this time, in milliseconds, because the shortage may have been
    /// temporary.
    static let probePause: Int64 = 3_600_000

    enum Change: Equatable, Sendable {
        case began(SlotShortage)
        case ended
    }

    /// More sensors want a link than the controller bears.
    private(set) var shortage: SlotShortage?
    /// The time of the next check of the sensors' turns.
    private(set) var deadline: DispatchTime?
    private var isPending = false
    /// When a further link is tried, in milliseconds since boot; nil before the first refusal.
    private var nextProbe: Int64?

    /// A change has happened. True for the first change in a wake-up: the links are shared once for all changes.
    mutating func request() -> Bool {
        defer { isPending = true }
        return !isPending
    }

    mutating func begin() { isPending = false }

    /// The controller has refused a link; milliseconds since boot.
    mutating func refused(at now: Int64) { nextProbe = now.addingSaturated(Self.probePause) }

    /// The links for `claims` if `known` links are known to work: a further link when a test is due.
    func links(known: Int, claims: Int, at now: Int64) -> Int {
        guard claims > known, let nextProbe, now >= nextProbe else { return known }
        return known + 1
    }

    /// Takes the number of sensors that claim a link, of sensors that rest and come back, and of links.
    mutating func record(claims: Int, resting: Int, links: Int) -> Change? {
        let before = shortage
        shortage = SlotShortage(claims: claims, resting: resting, links: links, isKnown: before != nil)
        guard (before == nil) != (shortage == nil) else { return nil }
        return shortage.map(Change.began) ?? .ended
    }

    mutating func look(at deadline: DispatchTime?) { self.deadline = deadline }

    /// Whether to check the turns again; true once for each deadline.
    mutating func takeDeadline(at now: DispatchTime) -> Bool {
        guard let deadline, deadline <= now else { return false }
        self.deadline = nil
        return true
    }
}
