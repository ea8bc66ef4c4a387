// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The state that a sensor is in, and since when; a value.
struct SensorStanding: Equatable, Sendable {
    struct Change: Equatable, Sendable {
        var from: SensorState
        var to: SensorState
        /// How long no value had come, in milliseconds; nil where none has come in this run.
        var quietMs: Int64?
    }

    private(set) var state = SensorState.neverHeard
    /// Milliseconds since boot; nil before the first look.
    private(set) var since: Int64?
    /// This gateway itself has its values of the present, whoever takes care of it.
    private(set) var isPresentHere = false
    /// Since when the radio hears nobody, where the state is unknown for this reason alone; in milliseconds since boot.
    private(set) var unheardSince: Int64?
    /// When the newest value came, in milliseconds since boot: the characteristic that it came from may be forgotten.
    private var lastValue: Int64?
    /// Since when a link is sought in vain.
    private var soughtSince: Int64?
    /// A link was sought since the newest value: the radio could hear the sensor by its advertisements alone.
    private(set) var wasSought = false

    /// - Parameter isSought: A link is wanted, and there is none.
    mutating func recordLink(isSought: Bool, at now: Int64) {
        soughtSince = isSought ? soughtSince ?? now : nil
        if isSought { wasSought = true }
    }

    /// Takes new facts.
    ///
    /// - Returns: The change of state; nil where there is none.
    mutating func update(_ new: SensorFacts, at now: Int64, _ limits: SilenceLimits) -> Change? {
        let former = lastValue
        let facts = completed(new)
        lastValue = facts.lastValue
        if lastValue != former, soughtSince == nil { wasSought = false }
        let judgement = facts.judge(at: now, limits)
        isPresentHere = facts.here.judge(at: now, limits).state.isPresent
        unheardSince = judgement.isUnheard ? judgement.since : nil
        guard judgement.state != state || since == nil else {
            // The radio's fault is found later than it began.
            if let known = judgement.since {
                since = state == .unknown ? min(since ?? known, known) : known
            }
            return nil
        }
        defer { (state, since) = (judgement.state, judgement.since ?? now) }
        guard judgement.state != state else { return nil }
        let isBack = judgement.state == .fresh
        let (quietSince, until) = isBack ? (former, lastValue ?? now) : (lastValue, now)
        return Change(
            from: state, to: judgement.state, quietMs: quietSince.map { max(0, until.subtractingSaturated($0)) })
    }

    /// When the state changes next if nothing is heard; nil where it stays.
    func nextChange(_ new: SensorFacts, after now: Int64, _ limits: SilenceLimits) -> Int64? {
        completed(new).nextChange(after: now, limits)
    }

    private func completed(_ new: SensorFacts) -> SensorFacts {
        var facts = new
        facts.lastValue = [lastValue, new.lastValue].compactMap { $0 }.max()
        facts.soughtSince = soughtSince
        return facts
    }
}
