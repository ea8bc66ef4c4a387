// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Readings

/// The gateway's statistics on `…/gw/<gw>/stats`.
struct GatewayStatistics: Encodable, Sendable {
    var v = 1
    var gw: String
    var ts: Int64?
    var clock: String
    var boot: String
    var up_ms: Int64
    var received: Int
    var committed: Int
    var delivered: Int
    var dropped: [String: Int]
    var buffered: Int
    var waiting: Int
    var oldest_age_seconds: Double?
    var journal_bytes: Int64
    var published: Int
    var acknowledged: Int
    var live: Int
    var history: Int
    var suppressed: Int
    var history_mode: String
    var slots_used: Int?
    /// Unknown until the controller has refused a link.
    var slots: Int?

    init(
        gateway: String, stamp: TimeStamp, journal: JournalStatistics, lanes: LaneCounts, history: HistoryMode,
        slots: ConnectionSlots?
    ) {
        slots_used = slots?.used
        self.slots = slots?.limit
        gw = gateway
        ts = stamp.unixMilliseconds
        clock = stamp.quality.rawValue
        boot = stamp.boot
        up_ms = stamp.uptimeMilliseconds
        received = journal.received
        committed = journal.committed
        delivered = journal.delivered
        dropped = journal.dropped
        buffered = journal.buffered
        waiting = journal.waiting
        oldest_age_seconds = journal.oldestAgeSeconds
        journal_bytes = journal.bytes
        published = lanes.published
        acknowledged = lanes.acknowledged
        live = lanes.live
        self.history = lanes.history
        suppressed = lanes.suppressed
        history_mode = history.rawValue
    }

    var payload: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)).map { [UInt8]($0) } ?? []
    }
}
