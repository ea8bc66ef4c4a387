// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The facts that the state of a sensor follows from; a value. All times in milliseconds since boot.
struct SensorFacts: Equatable, Sendable {
    /// Since when the sensor is looked for.
    var began: Int64
    /// When its newest value came.
    var lastValue: Int64?
    /// One value in so many milliseconds is usual; nil where that is not known.
    var usual: Int64?
    /// Values come at the gateway's own pace, one in so many milliseconds: by polls, or by turns at a link.
    var pace: Int64?
    /// Its entry says after how many milliseconds it is silent.
    var silentAfter: Int64?
    /// Since when a link is sought in vain; nil where there is one, or none is wanted.
    var soughtSince: Int64?
    /// When something came last that could not be read.
    var unreadAt: Int64?
    /// It has told of events alone, and so is not silent when it says nothing.
    var speaksOfEvents = false
    /// Another gateway has it.
    var isElsewhere = false
    var radio = RadioOutage.Fact.works
    /// Short times without a radio. They do not count as silence.
    var pauses: [RadioOutage.Pause] = []
    /// The newest time with a deaf radio: from the last sign in the sensor's way to the end of the failure.
    var deafness: RadioOutage.Pause?
    /// When the radio last heard anybody in the way in which it hears the sensor; nil where that is not known.
    var heardAt: Int64?
    /// The controller refuses to listen in this way, and always will.
    var isRefused = false

    /// These facts without the facts of other gateways.
    var here: SensorFacts {
        var facts = self
        facts.isElsewhere = false
        return facts
    }

    struct Judgement: Equatable, Sendable {
        var state: SensorState
        /// Since when, where the facts say so; nil: since it was noticed.
        var since: Int64?
        /// The state is unknown because the radio hears nobody, and has not been judged.
        var isUnheard = false
    }

    func judge(at now: Int64, _ limits: SilenceLimits) -> Judgement {
        if isElsewhere { return Judgement(state: .elsewhere) }
        if case .failed(let since) = radio, (lastValue ?? .min) <= since {
            return Judgement(state: .unknown, since: since)
        }
        guard let lastValue else {
            return unreadAt == nil ? Judgement(state: .neverHeard, since: began) : Judgement(state: .notUnderstood)
        }
        // A radio that is back has to listen for a while before silence says something.
        if case .back(let since, let back) = radio, lastValue <= since, !isSilent(at: now, from: back, limits) {
            return Judgement(state: .unknown, since: since)
        }
        guard isSilent(at: now, from: lastValue, limits) else {
            let isLate = lateLimit(limits).map { quiet(from: lastValue, to: now) > $0 } ?? false
            return isLate ? Judgement(state: .late, since: lastValue) : Judgement(state: .fresh)
        }
        let isUnread = unreadAt.map { $0 > lastValue } ?? false
        if !isUnread, let heardAt, isUnheard(since: heardAt, at: now, from: lastValue, limits) {
            return Judgement(state: .unknown, since: max(heardAt, lastValue), isUnheard: true)
        }
        if !isUnread, let deafness, wasDeaf(deafness, at: now, from: lastValue, limits) {
            return Judgement(state: .unknown, since: max(deafness.since, lastValue))
        }
        return Judgement(state: isUnread ? .notUnderstood : .silent, since: lastValue)
    }

    /// The sensor was not silent before the radio became deaf, and the radio has listened too shortly since.
    private func wasDeaf(
        _ deafness: RadioOutage.Pause, at now: Int64, from last: Int64, _ limits: SilenceLimits
    ) -> Bool {
        let heardUntil = min(now, deafness.since.addingSaturated(limits.pause))
        return last <= deafness.back && !isSilent(at: heardUntil, from: last, limits)
            && !isSilent(at: now, from: deafness.back, limits)
    }

    /// The sensor was not silent while the radio was known to hear, and the radio has not been judged since.
    private func isUnheard(since heardAt: Int64, at now: Int64, from last: Int64, _ limits: SilenceLimits) -> Bool {
        let heardUntil = min(now, heardAt.addingSaturated(limits.pause))
        let isInTime = isRefused || now.subtractingSaturated(heardAt) <= limits.hearing
        return isInTime && !isSilent(at: heardUntil, from: last, limits)
    }

    /// When the state changes next if nothing is heard; nil where it stays.
    func nextChange(after now: Int64, _ limits: SilenceLimits) -> Int64? {
        let last: Int64? =
            switch radio {
            case .back(let since, let back) where (lastValue ?? .min) <= since: back
            default: lastValue
            }
        guard let last else { return nil }
        var moments: [Int64] = []
        func add(_ limit: Int64, from: Int64) {
            moments.append(from.addingSaturated(limit).addingSaturated(paused(from: from, to: now)))
        }
        if let limit = silenceLimit(limits) { add(limit, from: last) }
        if let limit = lateLimit(limits) { add(limit, from: last) }
        if let soughtSince { add(limits.least, from: max(soughtSince, last)) }
        if let deafness, last <= deafness.back {
            if let limit = silenceLimit(limits) { add(limit, from: deafness.back) }
            if let soughtSince { add(limits.least, from: max(soughtSince, deafness.back)) }
        }
        if let heardAt { moments.append(heardAt.addingSaturated(limits.hearing)) }
        return moments.filter { $0 >= now }.min()?.addingSaturated(1)
    }

    /// The time without a value that is silence; nil: none is.
    func silenceLimit(_ limits: SilenceLimits) -> Int64? {
        if let silentAfter { return silentAfter }
        return speaksOfEvents ? nil : limits.limit(usual: pace ?? usual)
    }

    private func lateLimit(_ limits: SilenceLimits) -> Int64? {
        speaksOfEvents ? nil : limits.lateLimit(usual: pace ?? usual)
    }

    private func isSilent(at now: Int64, from last: Int64, _ limits: SilenceLimits) -> Bool {
        let quiet = quiet(from: last, to: now)
        guard let limit = silenceLimit(limits) else { return false }
        if quiet > limit { return true }
        // A link that does not come about says more than the interval. Between polls and turns there is none on purpose.
        guard silentAfter == nil, let soughtSince else { return false }
        return self.quiet(from: max(soughtSince, last), to: now) > limits.least
            && (pace == nil || quiet > lateLimit(limits) ?? limits.leastLate)
    }

    /// The time in which the radio could have heard the sensor.
    private func quiet(from: Int64, to now: Int64) -> Int64 {
        now.subtractingSaturated(from).subtractingSaturated(paused(from: from, to: now))
    }

    private func paused(from: Int64, to now: Int64) -> Int64 {
        pauses.reduce(0) { sum, pause in
            sum.addingSaturated(max(0, min(pause.back, now).subtractingSaturated(max(pause.since, from))))
        }
    }
}
