// SPDX-License-Identifier: Apache-2.0

import Limits

/// Which limits and events the broker has been told of; a value.
struct LimitTelling {
    /// The revision of the list as last told on this connection; nil before the first.
    private var told: UInt64?
    /// The last event sent on this connection. The journal knows the acknowledged events.
    private var sent: Int64 = 0

    /// A connection begins: events without an acknowledgement go again.
    mutating func begin() { (told, sent) = (nil, 0) }

    /// The receiver may have lost the list, so the next call tells it again.
    mutating func repeatList() { told = nil }

    /// Whether the list is news. If so, the list counts as told. A gateway without limits tells none.
    mutating func recordList(_ news: LimitNews) -> Bool {
        guard news.revision > 0, told != news.revision else { return false }
        told = news.revision
        return true
    }

    /// The oldest event that was not sent.
    func nextEvent(_ news: LimitNews) -> LimitEvent? { news.events.first { $0.number > sent } }

    mutating func sent(_ number: Int64) { sent = max(sent, number) }

    /// The event was not taken, and goes again.
    mutating func goBack(to number: Int64) { sent = min(sent, number - 1) }
}
