// SPDX-License-Identifier: Apache-2.0

/// Limits on a sensor's values for `…/state`.
package struct LivePacing: Equatable, Sendable {
    /// The fate of values that do not go out on `…/state`.
    package enum Suppressed: String, Sendable {
        /// They go to `…/history`.
        case history
        /// They are given up, and counted as dropped.
        case drop
    }

    /// The time between two values of a quantity of a characteristic; zero sends each value. At the end of the
    /// interval, the newest value goes out.
    package var minimumInterval: Duration = .zero
    /// The least movement that is news; nil, and a width of 0 for everything, send all values.
    package var deadBand: DeadBand?
    /// The dead band holds a value back for this long at most.
    package var maximumInterval: Duration = .seconds(60)
    package var suppressed = Suppressed.history

    package init() {}

    /// The dead band in effect.
    @inlinable package var band: DeadBand? { deadBand == .all(0) ? nil : deadBand }

    @inlinable package var isActive: Bool { minimumInterval > .zero || band != nil }
}

/// The pacing in a sensor's entry; nil leaves the choice to `[mqtt]`.
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
