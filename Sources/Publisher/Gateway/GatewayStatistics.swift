// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Readings

/// The gateway's statistics on `…/gw/<gw>/stats`.
struct GatewayStatistics: Encodable, Sendable {
    let gateway: String
    let stamp: TimeStamp
    let journal: JournalStatistics
    let lanes: LaneCounts
    let history: HistoryMode
    /// The limit is unknown until the controller has refused a link.
    let slots: ConnectionSlots?
    /// The nonce of the process: see ``NameClaim``. nil without claims.
    var nonce: String?

    private enum CodingKeys: String, CodingKey {
        case v, gw, ts, clock, boot, up_ms, received, committed, delivered, dropped, buffered, waiting
        case oldest_age_seconds, journal_bytes, published, acknowledged, live, history, suppressed, history_mode
        case slots_used, slots, nonce
    }

    func encode(to encoder: any Encoder) throws {
        var keys = encoder.container(keyedBy: CodingKeys.self)
        try keys.encode(1, forKey: .v)
        try keys.encode(gateway, forKey: .gw)
        try keys.encodeIfPresent(stamp.unixMilliseconds, forKey: .ts)
        try keys.encode(stamp.quality.rawValue, forKey: .clock)
        try keys.encode(stamp.boot, forKey: .boot)
        try keys.encode(stamp.uptimeMilliseconds, forKey: .up_ms)
        try keys.encode(journal.received, forKey: .received)
        try keys.encode(journal.committed, forKey: .committed)
        try keys.encode(journal.delivered, forKey: .delivered)
        try keys.encode(journal.dropped, forKey: .dropped)
        try keys.encode(journal.buffered, forKey: .buffered)
        try keys.encode(journal.waiting, forKey: .waiting)
        try keys.encodeIfPresent(journal.oldestAgeSeconds, forKey: .oldest_age_seconds)
        try keys.encode(journal.bytes, forKey: .journal_bytes)
        try keys.encode(lanes.published, forKey: .published)
        try keys.encode(lanes.acknowledged, forKey: .acknowledged)
        try keys.encode(lanes.live, forKey: .live)
        try keys.encode(lanes.history, forKey: .history)
        try keys.encode(lanes.suppressed, forKey: .suppressed)
        try keys.encode(history.rawValue, forKey: .history_mode)
        try keys.encodeIfPresent(slots?.used, forKey: .slots_used)
        try keys.encodeIfPresent(slots?.limit, forKey: .slots)
        try keys.encodeIfPresent(nonce, forKey: .nonce)
    }

    var payload: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)).map { [UInt8]($0) } ?? []
    }
}
