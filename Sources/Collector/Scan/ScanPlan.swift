// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Decides when the scan for sensors runs, begins anew, or waits for known sensors.
struct ScanPlan {
    /// The interval after which a scan begins anew: coalesced sightings may have lacked the name that a rule needs.
    static let period = DispatchTimeInterval.seconds(60)
    /// The interval while candidates make room for newer candidates.
    static let crowdedPeriod = DispatchTimeInterval.seconds(10)
    /// After a person's request, the scan looks for all devices for this time, because the person is likely to ask
    /// again.
    static let askedTime = DispatchTimeInterval.seconds(30)
    /// The interval while a person watches, because a scan reports each device once.
    static let askedPeriod = DispatchTimeInterval.seconds(10)
    /// Known sensors have the radio for themselves for this time after a start, and after each known sensor that has
    /// come. After the end of a killed process, they advertise again when the 5 s of a link's supervision time-out are
    /// over.
    static let holdLimit = DispatchTimeInterval.seconds(10)

    private(set) var isRunning = false
    /// The scan reports every device, whatever the rules need.
    private var tellsOfAll = false
    /// Until this time a person wants to know which devices are in the air.
    private var askedUntil = DispatchTime(uptimeNanoseconds: 0)
    private var renewal: DispatchTime?
    /// Until this time the collector connects to known sensors only.
    private var hold: DispatchTime?

    var isHeld: Bool { hold != nil }
    /// When to look at the plan again.
    var deadline: DispatchTime? { [renewal, hold].compactMap(\.self).min() }

    // MARK: People

    mutating func ask(at now: DispatchTime) { askedUntil = now + Self.askedTime }
    func isAsked(at now: DispatchTime) -> Bool { now < askedUntil }

    // MARK: Known sensors first

    mutating func hold(at now: DispatchTime) { hold = now + Self.holdLimit }
    mutating func release() { hold = nil }
    /// A known sensor has come. The other known sensors get the full time again.
    mutating func prolongHold(at now: DispatchTime) { if hold != nil { hold(at: now) } }
    func isHoldOver(at now: DispatchTime) -> Bool { hold.map { $0 <= now } ?? false }

    // MARK: The scan

    /// Whether a wanted scan may begin, or begin anew.
    func mayBegin(at now: DispatchTime) -> Bool {
        let isAsked = isAsked(at: now)
        guard hold == nil || isAsked else { return false }
        return !isRunning || (isAsked && !tellsOfAll)
    }

    mutating func began(tellingOfAll: Bool, at now: DispatchTime) {
        (isRunning, tellsOfAll) = (true, tellingOfAll)
        renewal = now + (isAsked(at: now) ? Self.askedPeriod : Self.period)
    }

    /// The next scan begins anew although a scan runs, so dropped devices are reported again.
    mutating func interrupt() { isRunning = false }

    /// The scan ends. False if no scan ran.
    mutating func end() -> Bool {
        guard isRunning else { return false }
        lose()
        return true
    }

    /// The controller is gone, and its scan as well.
    mutating func lose() { (isRunning, renewal) = (false, nil) }

    /// A candidate made room: the next scan, which reports the candidate again, comes sooner.
    mutating func renewSoon(at now: DispatchTime) { renewal = renewal.map { min($0, now + Self.crowdedPeriod) } }

    /// Whether to check the scan again; true once for each renewal.
    mutating func takeRenewal(at now: DispatchTime) -> Bool {
        guard let renewal, renewal <= now else { return false }
        self.renewal = nil
        return true
    }
}
