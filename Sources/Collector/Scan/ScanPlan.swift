// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// When the scan for sensors runs, begins anew, and waits for sensors that are known.
struct ScanPlan {
    /// A scan is begun anew this often: coalesced sightings may have lacked the name that a rule looks for.
    static let period = DispatchTimeInterval.seconds(60)
    /// The same while candidates have to make room for others.
    static let crowdedPeriod = DispatchTimeInterval.seconds(10)
    /// Somebody who asks is likely to ask again: for so long everything is scanned for.
    static let askedTime = DispatchTimeInterval.seconds(30)
    /// A scan tells of each device once: while somebody watches, it begins anew this often.
    static let askedPeriod = DispatchTimeInterval.seconds(10)
    /// So long known sensors have the radio for themselves at a start, and after each of them that has come. Where the process was
    /// killed, they advertise again when they have missed us for the 5 s of a link's supervision time-out.
    static let holdLimit = DispatchTimeInterval.seconds(10)

    private(set) var isRunning = false
    /// It tells of every device, whatever the rules look for.
    private var tellsOfAll = false
    /// Until then somebody wants to know which devices are in the air.
    private var askedUntil = DispatchTime(uptimeNanoseconds: 0)
    private var renewal: DispatchTime?
    /// Until then only known sensors are connected to.
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
    /// A known sensor has come: the others have as long again.
    mutating func prolongHold(at now: DispatchTime) { if hold != nil { hold(at: now) } }
    func isHoldOver(at now: DispatchTime) -> Bool { hold.map { $0 <= now } ?? false }

    // MARK: The scan

    /// Whether a scan is to begin, or to begin anew, of one that is wanted.
    func mayBegin(at now: DispatchTime) -> Bool {
        let isAsked = isAsked(at: now)
        guard hold == nil || isAsked else { return false }
        return !isRunning || (isAsked && !tellsOfAll)
    }

    mutating func began(tellingOfAll: Bool, at now: DispatchTime) {
        (isRunning, tellsOfAll) = (true, tellingOfAll)
        renewal = now + (isAsked(at: now) ? Self.askedPeriod : Self.period)
    }

    /// The next one begins anew, though one runs: devices that were let go are told of again.
    mutating func interrupt() { isRunning = false }

    /// It runs no more. False where none ran.
    mutating func end() -> Bool {
        guard isRunning else { return false }
        lose()
        return true
    }

    /// The controller is gone, and the scan with it.
    mutating func lose() { (isRunning, renewal) = (false, nil) }

    /// Somebody had to make room: the scan that tells of them again comes sooner.
    mutating func renewSoon(at now: DispatchTime) { renewal = renewal.map { min($0, now + Self.crowdedPeriod) } }

    /// Whether the scan is to be looked at again; it is told once.
    mutating func takeRenewal(at now: DispatchTime) -> Bool {
        guard let renewal, renewal <= now else { return false }
        self.renewal = nil
        return true
    }
}
