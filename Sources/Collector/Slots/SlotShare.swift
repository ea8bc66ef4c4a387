// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch

/// How many links there are for how many sensors, and when that is looked at again.
struct SlotShare {
    /// The number of links that the controller was taken to bear is tried again after so long, in milliseconds: it may have been a
    /// moment of want.
    static let probePause: Int64 = 3_600_000

    enum Change: Equatable, Sendable {
        case began(SlotShortage)
        case ended
    }

    /// More sensors want a link than the controller bears.
    private(set) var shortage: SlotShortage?
    /// When the sensors' turns are to be looked at again.
    private(set) var deadline: DispatchTime?
    private var isPending = false
    /// When a link more than the controller is known to bear is tried, in milliseconds since boot; nil before it has refused one.
    private var nextProbe: Int64?

    /// Something has changed. True for the first change in a wake-up: the links are shared once for all of them.
    mutating func request() -> Bool {
        defer { isPending = true }
        return !isPending
    }

    mutating func begin() { isPending = false }

    /// The controller has refused a link; milliseconds since boot.
    mutating func refused(at now: Int64) { nextProbe = now.addingSaturated(Self.probePause) }

    /// The links for so many claims where `known` are known to work: one more when it is time to try that.
    func links(known: Int, claims: Int, at now: Int64) -> Int {
        guard claims > known, let nextProbe, now >= nextProbe else { return known }
        return known + 1
    }

    /// Takes the number of those that claim a link, of those that rest and come back, and of the links.
    mutating func note(claims: Int, resting: Int, links: Int) -> Change? {
        let before = shortage
        shortage = SlotShortage(claims: claims, resting: resting, links: links, isKnown: before != nil)
        guard (before == nil) != (shortage == nil) else { return nil }
        return shortage.map(Change.began) ?? .ended
    }

    mutating func look(at deadline: DispatchTime?) { self.deadline = deadline }

    /// Whether the turns are to be looked at again; it is told once.
    mutating func takeDeadline(at now: DispatchTime) -> Bool {
        guard let deadline, deadline <= now else { return false }
        self.deadline = nil
        return true
    }
}
