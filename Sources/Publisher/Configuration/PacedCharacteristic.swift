// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The interval and dead-band state of a characteristic of a sensor.
///
/// A sensor may send its values in turns, first a packet about the temperature and then a packet about the humidity. So
/// each quantity has an interval and a last value of its own. A row may have to wait for several quantities; rows with
/// a common quantity go out in their order.
struct PacedCharacteristic {
    /// A row that waits for the end of its interval.
    struct Waiting {
        var row: JournalRow
        var stream: LiveLane.Stream
        var fields: [Field]?
    }

    private struct Sent {
        var at: Int64
        /// The value for the dead band's comparison; nil if no decoder understood the value.
        var value: Field.Value?
        /// Uptime at which the interval ends.
        var end: Int64
    }

    /// Limit of waiting rows. A sensor has as many as it sends packets in turns.
    static let maximumWaiting = 16

    /// Milliseconds.
    private(set) var interval: Int64 = 0
    private var sent: [LiveLane.Stream.Part: Sent] = [:]
    /// The oldest first.
    private(set) var waiting: [Waiting] = []

    mutating func pace(by rule: LivePacing) { interval = rule.minimumInterval.wholeMilliseconds }

    /// Uptime at which the intervals of all parts of a stream have ended.
    func end(of stream: LiveLane.Stream) -> Int64 { stream.parts.lazy.map { sent[$0]?.end ?? .min }.max() ?? .min }

    /// An older row with a common quantity waits, and this row must not overtake it.
    func isHeldUp(_ n: Int64, _ stream: LiveLane.Stream) -> Bool {
        waiting.contains { $0.row.n < n && $0.stream.overlaps(stream) }
    }

    /// A newer row with all quantities of this row waits.
    func isOvertaken(_ n: Int64, _ stream: LiveLane.Stream) -> Bool {
        waiting.contains { $0.row.n > n && $0.stream.covers(stream) }
    }

    /// Rows that may go out when their interval ends, with the uptime of this end.
    var candidates: [(n: Int64, end: Int64)] {
        waiting.lazy.filter { !isHeldUp($0.row.n, $0.stream) }.map { ($0.row.n, end(of: $0.stream)) }
    }

    /// The dead band holds these fields back.
    func isNoNews(_ fields: [Field], _ stream: LiveLane.Stream, _ pacing: LivePacing, at uptime: Int64) -> Bool {
        guard let band = pacing.band else { return false }
        var old: [Field] = []
        for (field, part) in zip(fields, stream.parts) {
            guard let known = sent[part], let value = known.value,
                uptime - known.at < pacing.maximumInterval.wholeMilliseconds
            else { return false }
            old.append(Field(field.quantity, value, index: field.index))
        }
        return band.covers(fields, sent: old)
    }

    mutating func recordSent(_ stream: LiveLane.Stream, _ fields: [Field]?, at uptime: Int64) {
        for (place, part) in stream.parts.enumerated() {
            let value = fields.flatMap { $0.indices.contains(place) ? $0[place].value : nil }
            sent[part] = Sent(at: uptime, value: value, end: uptime.addingSaturated(interval))
        }
    }

    /// - Returns: The row that has to leave, if too many rows wait.
    mutating func wait(_ new: Waiting) -> JournalRow? {
        waiting.insert(new, at: waiting.firstIndex { $0.row.n > new.row.n } ?? waiting.endIndex)
        return waiting.count > Self.maximumWaiting ? waiting.removeFirst().row : nil
    }

    /// Removes waiting rows that are older than row `n` and match `isGone`.
    mutating func remove(olderThan n: Int64, where isGone: (LiveLane.Stream) -> Bool) -> [JournalRow] {
        guard !waiting.isEmpty else { return [] }
        let gone = waiting.filter { $0.row.n < n && isGone($0.stream) }
        if !gone.isEmpty { waiting.removeAll { $0.row.n < n && isGone($0.stream) } }
        return gone.map(\.row)
    }

    /// Removes a row whose interval has ended.
    mutating func takeDue(_ n: Int64, at uptime: Int64) -> Waiting? {
        guard let place = waiting.firstIndex(where: { $0.row.n == n }) else { return nil }
        let row = waiting[place]
        guard !isHeldUp(n, row.stream), end(of: row.stream) <= uptime else { return nil }
        waiting.remove(at: place)
        recordSent(row.stream, row.fields, at: uptime)
        return row
    }

    mutating func endIntervals() {
        interval = 0
        for part in sent.keys { sent[part]?.end = .min }
    }
}
