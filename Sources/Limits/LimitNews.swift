// SPDX-License-Identifier: Apache-2.0

/// The limits for the publisher: which are crossed, and the events that the broker has to be told of.
package struct LimitNews: Equatable, Sendable {
    /// Differs after each change of ``crossed``.
    package var revision: UInt64
    package var crossed: [LimitCrossing]
    /// The oldest first.
    package var events: [LimitEvent]

    package init(revision: UInt64 = 0, crossed: [LimitCrossing] = [], events: [LimitEvent] = []) {
        (self.revision, self.crossed, self.events) = (revision, crossed, events)
    }
}
