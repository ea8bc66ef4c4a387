// SPDX-License-Identifier: Apache-2.0

/// How much of what a sensor sends goes out on `…/state`.
package struct LivePacing: Equatable, Sendable {
    /// What becomes of values that do not go out there.
    package enum Suppressed: String, Sendable {
        /// They go to `…/history`.
        case history
        /// They are given up, and counted as dropped.
        case drop
    }

    /// From one value of a quantity of a characteristic to its next; zero sends each. The newest goes out when the interval
    /// ends.
    package var minimumInterval: Duration = .zero
    /// What moves less is no news; nil, and a width of 0 for everything, send all.
    package var deadBand: DeadBand?
    /// The dead band keeps a value back for so long at most.
    package var maximumInterval: Duration = .seconds(60)
    package var suppressed = Suppressed.history

    package init() {}

    /// The dead band that is to be looked at.
    @inlinable package var band: DeadBand? { deadBand == .all(0) ? nil : deadBand }

    @inlinable package var isActive: Bool { minimumInterval > .zero || band != nil }
}

/// What one sensor's entry says of its pacing; nil leaves it to `[mqtt]`.
package struct LivePacingRule: Equatable, Sendable {
    package var minimumInterval: Duration?
    package var deadBand: DeadBand?
    package var maximumInterval: Duration?
    package var suppressed: LivePacing.Suppressed?

    package init() {}

    package func applied(to common: LivePacing) -> LivePacing {
        var pacing = common
        if let minimumInterval { pacing.minimumInterval = minimumInterval }
        if let deadBand { pacing.deadBand = deadBand }
        if let maximumInterval { pacing.maximumInterval = maximumInterval }
        if let suppressed { pacing.suppressed = suppressed }
        return pacing
    }
}
