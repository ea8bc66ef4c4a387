// SPDX-License-Identifier: Apache-2.0

/// What the lanes have done since the process began. Repeats count again.
struct LaneCounts: Equatable, Sendable {
    /// Messages sent to `…/state`.
    var live = 0
    /// Messages sent to `…/history`.
    var history = 0
    /// Messages of either that the broker acknowledged.
    var acknowledged = 0
    /// Of these, those to `…/state`.
    var liveAcknowledged = 0
    /// How long the broker took for them.
    var times = AcknowledgementTimes()
    /// Readings that pacing kept from `…/state`.
    var suppressed = 0
    /// Readings given up because the broker takes no message of their size.
    var tooLarge = 0

    var published: Int { live + history }
}
