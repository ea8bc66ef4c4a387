// SPDX-License-Identifier: Apache-2.0

/// The lanes' work since the process began. Repeats count again.
struct LaneCounts: Equatable, Sendable {
    /// Messages sent to `…/state`.
    var live = 0
    /// Messages sent to `…/history`.
    var history = 0
    /// Acknowledged messages of both lanes.
    var acknowledged = 0
    /// Acknowledged messages to `…/state`.
    var liveAcknowledged = 0
    /// The broker's times for these acknowledgements.
    var times = AcknowledgementTimes()
    /// Readings that pacing kept from `…/state`.
    var suppressed = 0
    /// Readings given up because the broker accepts no message of their size.
    var tooLarge = 0

    var published: Int { live + history }
}
