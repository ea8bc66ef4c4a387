// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The lane of the present: decides which readings go to `…/state`, each by itself and as soon as it is there.
///
/// It reads forward over the rows that are young. What it leaves alone – too old, without a time, overtaken by a newer
/// value, within the dead band – stays in the journal for the history lane. A consumer never gets an older value of a
/// characteristic after a newer one, where it is paced of a quantity: the lane remembers over connections which row it
/// sent last.
struct LiveLane {
    /// One characteristic of one sensor, or what a value of it is about.
    struct Stream: Hashable, Sendable {
        /// One quantity; nil is what no decoder understood.
        struct Part: Hashable, Sendable {
            var quantity: Quantity?
            var index: UInt8 = 0
        }

        struct Whole: Hashable, Sendable {
            var device: Int64
            var characteristic: Int64
        }

        /// The characteristic itself.
        let whole: Whole
        /// The quantities of a value that is paced; empty is the whole characteristic.
        var parts: [Part] = []

        init(device: Int64, characteristic: Int64) {
            whole = Whole(device: device, characteristic: characteristic)
        }

        init(_ row: JournalRow) { self.init(device: row.device, characteristic: row.characteristic) }

        /// With the quantities of the row's decoded value.
        init(_ row: JournalRow, about fields: [Field]?) {
            self.init(row)
            parts = fields?.map { Part(quantity: $0.quantity, index: $0.index) } ?? []
            if parts.isEmpty { parts = [Part()] }
        }

        var device: Int64 { whole.device }

        func overlaps(_ other: Stream) -> Bool { parts.contains { other.parts.contains($0) } }

        /// It has all of another's quantities.
        func covers(_ other: Stream) -> Bool { other.parts.allSatisfy { parts.contains($0) } }
    }

    enum Verdict: Equatable {
        /// The row goes out now.
        case send
        /// It goes out when its interval ends, if nothing newer has come by then.
        case wait
        /// It stays in the journal, for history.
        case leave
    }

    /// A row that does not go out, though nothing but its stream's pacing is in the way.
    struct Suppression: Equatable, Sendable {
        var n: Int64
        var reason: DropReason
        /// It is to be given up instead of left to history.
        var isDropped: Bool
    }

    private struct Mark {
        /// The newest row sent: older ones are no longer the present.
        var sent: Int64 = 0
        /// The newest that the broker has, or may have.
        var taken: Int64 = 0

        mutating func take(_ n: Int64) {
            guard taken < n else { return }
            taken = n
            // What was refused before it may have set the mark back.
            sent = max(sent, n)
        }
    }

    private struct Marks {
        /// Of rows that were sent without pacing.
        var whole = Mark()
        /// Of those that were paced, by what they are about.
        var parts: [Stream.Part: Mark] = [:]
    }

    /// Rows read from the journal at a time.
    static let pageSize = 256

    /// By characteristic, as ``paced``.
    private var marks: [Stream.Whole: Marks] = [:]
    private var paced: [Stream.Whole: PacedCharacteristic] = [:]
    /// Rows whose interval has ended, the oldest last.
    private var ready: [(whole: Stream.Whole, n: Int64)] = []
    /// No interval with a row waiting ends before this uptime.
    private var due = Int64.max
    private var suppressed: [Suppression] = []

    /// The last row read; nil looks for the first that is young.
    private var cursor: Int64?
    private var page: ArraySlice<JournalRow> = []
    private var mayHaveMore = false
    /// Rows that were on their way when reading went back to before them.
    private var underway: Set<Int64> = []
    /// The first row that has no time yet, and could still be the present when it gets one.
    private(set) var heldFrom: Int64?
    /// It is known what an earlier publisher may have sent: before that nothing goes out.
    private(set) var hasTakenOver = false

    /// Devices that the broker refuses on `…/state`.
    var refused = RefusedDevices()

    // MARK: - Connections

    /// What another publisher may have sent, in this process or before it: for each stream that has young rows, the
    /// first row number that may go out.
    ///
    /// Of the rows that are there only the newest of its stream is still the present. And not even that where a later row
    /// is gone: the broker may have taken it, of this very stream. Numbers are never used twice, so that the journal
    /// tells this by its gaps, also after a power cut, and nothing has to be written down.
    static func superseded(
        in source: some RowSource, boot: String, youngSince: Int64
    ) throws -> [Stream: Int64] {
        // Asked first: rows that come meanwhile are not missing.
        let greatest = source.greatestNumber
        guard let first = try source.firstRow(ofBoot: boot, sinceUptime: youngSince) else { return [:] }
        var newest: [Stream: Int64] = [:]
        var last = first - 1
        /// All rows from here on are there.
        var whole = first
        while true {
            let rows = try source.rows(after: last, limit: pageSize)
            for row in rows {
                newest[Stream(row)] = row.n
                if row.n - 1 != last { whole = row.n }
                last = row.n
            }
            guard rows.count == pageSize else { break }
        }
        if last < greatest { whole = greatest + 1 }
        return newest.mapValues { max($0, whole) }
    }

    /// Begins with what ``superseded(in:boot:youngSince:)`` has found.
    mutating func takeOver(_ superseded: [Stream: Int64]) {
        for (stream, n) in superseded { marks[stream.whole] = Marks(whole: Mark(sent: n, taken: n)) }
        hasTakenOver = true
    }

    /// Begins anew with the rows that are young. The first value of each stream goes out whatever went out before.
    mutating func begin() {
        cursor = nil
        page = []
        mayHaveMore = true
        underway = []
        heldFrom = nil
        paced.removeAll(keepingCapacity: true)
        ready.removeAll()
        due = .max
        refused.beginConnection()
    }

    // MARK: - Reading

    mutating func noteNewRows() { mayHaveMore = true }

    /// Whether there may be rows that nobody has judged yet.
    var mayHaveRows: Bool { !page.isEmpty || mayHaveMore }

    /// The next row to judge; nil when there is none for now.
    ///
    /// - Parameter youngSince: The uptime from which on readings of `boot` are the present.
    mutating func nextRow(
        from source: any DeliveryRows, boot: String, youngSince: Int64
    ) throws -> JournalRow? {
        while true {
            while let row = page.popFirst() {
                if !underway.contains(row.n) { return row }
            }
            guard mayHaveMore else { return nil }
            if cursor == nil {
                guard let first = try source.firstRow(ofBoot: boot, sinceUptime: youngSince) else {
                    mayHaveMore = false
                    return nil
                }
                cursor = first - 1
            }
            let rows = try source.rows(after: cursor ?? 0, limit: Self.pageSize)
            mayHaveMore = rows.count == Self.pageSize
            cursor = rows.last?.n ?? cursor
            page = rows[...]
            if mayHaveMore, let last = rows.last, last.uptimeMilliseconds < youngSince {
                // Fallen behind by a page and more: what got old meanwhile is history's.
                cursor = nil
                page = []
            }
        }
    }

    /// Reads again after row `n`; rows that are `underway` are passed over.
    mutating func goBack(to n: Int64, underway: Set<Int64>) {
        guard let cursor, n < cursor || !page.isEmpty else { return }
        self.cursor = min(n, cursor, page.first.map { $0.n - 1 } ?? .max)
        page = []
        self.underway = underway
        mayHaveMore = true
    }

    /// The row has no time yet.
    mutating func hold(_ row: JournalRow) { heldFrom = min(heldFrom ?? .max, row.n) }

    /// Times have become known: judges again what was held.
    mutating func releaseHeld(underway: Set<Int64>) {
        guard let n = heldFrom else { return }
        heldFrom = nil
        goBack(to: n - 1, underway: underway)
    }

    // MARK: - Judging

    /// Decides on a row that is young and has a time. To be called for rows in their order.
    ///
    /// - Parameters:
    ///   - stream: What the row is about, where it is paced.
    ///   - uptime: Now, in milliseconds.
    ///   - fields: The row's decoded value, where it is paced.
    ///   - isEvent: It tells of something that happened: that goes out whatever interval and dead band say.
    mutating func judge(
        _ row: JournalRow, of stream: Stream, _ pacing: LivePacing? = nil, at uptime: Int64, fields: [Field]? = nil,
        isEvent: Bool = false
    ) -> Verdict {
        guard isPresent(row.n, stream) else { return .leave }
        guard let pacing, pacing.isActive else {
            if !paced.isEmpty { paced[stream.whole] = nil }
            noteSent(row.n, stream)
            return .send
        }
        var state = paced[stream.whole] ?? PacedCharacteristic()
        defer {
            paced[stream.whole] = state
            noteDue(state)
        }
        if isEvent {
            // What its packet says beside it goes out as well, and nothing older may follow.
            for row in state.remove(olderThan: row.n, where: stream.overlaps) { suppress(row, .coalesced, pacing) }
            noteSent(row.n, stream)
            return .send
        }
        if state.waiting.contains(where: { $0.row.n == row.n }) { return .wait }
        if state.isOvertaken(row.n, stream) { return .leave }
        for row in state.remove(olderThan: row.n, where: stream.covers) { suppress(row, .coalesced, pacing) }
        let isHeldUp = state.isHeldUp(row.n, stream)
        if !isHeldUp, let fields, state.isNoNews(fields, stream, pacing, at: uptime) {
            suppress(row, .deadBand, pacing)
            return .leave
        }
        state.interval = pacing.minimumInterval.wholeMilliseconds
        if isHeldUp || uptime < state.end(of: stream) {
            if let given = state.wait(.init(row: row, stream: stream, fields: fields)) {
                suppress(given, .coalesced, pacing)
            }
            return .wait
        }
        state.noteSent(stream, fields, at: uptime)
        noteSent(row.n, stream)
        return .send
    }

    /// Nothing newer about the same was sent.
    private func isPresent(_ n: Int64, _ stream: Stream) -> Bool {
        guard let known = marks[stream.whole] else { return true }
        guard n >= known.whole.sent else { return false }
        if stream.parts.isEmpty { return known.parts.values.allSatisfy { n >= $0.sent } }
        return stream.parts.allSatisfy { n >= known.parts[$0]?.sent ?? 0 }
    }

    private mutating func noteSent(_ n: Int64, _ stream: Stream) {
        change(stream) { $0.sent = n }
    }

    private mutating func change(_ stream: Stream, _ body: (inout Mark) -> Void) {
        if stream.parts.isEmpty { return body(&marks[stream.whole, default: Marks()].whole) }
        for part in stream.parts { body(&marks[stream.whole, default: Marks()].parts[part, default: Mark()]) }
    }

    private mutating func noteDue(_ state: PacedCharacteristic) {
        guard !state.waiting.isEmpty else { return }
        for candidate in state.candidates { due = min(due, candidate.end) }
    }

    private mutating func suppress(_ row: JournalRow, _ reason: DropReason, _ pacing: LivePacing) {
        suppressed.append(Suppression(n: row.n, reason: reason, isDropped: pacing.suppressed == .drop))
    }

    /// What was suppressed since this was last asked.
    mutating func takeSuppressed() -> [Suppression] {
        guard !suppressed.isEmpty else { return [] }
        defer { suppressed.removeAll(keepingCapacity: true) }
        return suppressed
    }

    // MARK: - The ends of intervals

    /// Uptime at which an interval ends whose newest row has waited for that; nil when none waits.
    var nextEnd: Int64? { ready.isEmpty ? (due == .max ? nil : due) : .min }

    /// A row whose interval has ended, to be sent now, with what it is about and its decoded value; the oldest first.
    mutating func nextDue(at uptime: Int64) -> PacedCharacteristic.Waiting? {
        if ready.isEmpty {
            guard uptime >= due else { return nil }
            due = .max
            for (whole, state) in paced where !state.waiting.isEmpty {
                for candidate in state.candidates {
                    if candidate.end <= uptime {
                        ready.append((whole, candidate.n))
                    } else {
                        due = min(due, candidate.end)
                    }
                }
            }
            ready.sort { $0.n > $1.n }
        }
        while let (whole, n) = ready.popLast() {
            guard var state = paced[whole], let due = state.takeDue(n, at: uptime) else { continue }
            paced[whole] = state
            noteDue(state)
            noteSent(n, due.stream)
            return due
        }
        return nil
    }

    /// Ends all intervals: the newest values go out now.
    mutating func endIntervals() {
        for whole in paced.keys { paced[whole]?.endIntervals() }
        due = paced.values.contains { !$0.waiting.isEmpty } ? .min : .max
    }

    /// Rows that wait for the end of their interval, and are not for history yet.
    var waitingRows: [Int64] { paced.values.flatMap { $0.waiting.map(\.row.n) } }

    // MARK: - Answers

    /// The broker has the row, or may have it.
    mutating func taken(_ n: Int64, of stream: Stream) {
        guard marks[stream.whole] != nil else { return }
        change(stream) { $0.take(n) }
    }

    /// The broker does not have the row: older ones than it may go out again, if they are newer than what it has.
    mutating func notTaken(of stream: Stream) {
        if marks[stream.whole] != nil { change(stream) { $0.sent = $0.taken } }
        paced[stream.whole] = nil
    }
}
