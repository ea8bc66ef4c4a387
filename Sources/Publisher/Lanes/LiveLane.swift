// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The lane of the present: decides which readings go to `…/state`, each by itself and at once.
///
/// The lane reads forward over the young rows. Some rows stay in the journal for the history lane: old rows, rows
/// without a time, rows overtaken by a newer value, and rows within the dead band. A consumer never gets an older value
/// of a characteristic after a newer value, or of a quantity with pacing. So the lane remembers its last sent row over
/// connections.
struct LiveLane {
    /// A characteristic of a sensor, or the quantities of its value.
    struct Stream: Hashable, Sendable {
        /// A quantity; nil if no decoder understood the value.
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
        /// The quantities of a value with pacing; empty: the whole characteristic.
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

        /// The stream has all quantities of the other stream.
        func covers(_ other: Stream) -> Bool { other.parts.allSatisfy { parts.contains($0) } }
    }

    enum Verdict: Equatable {
        /// The row goes out now.
        case send
        /// The row goes out when its interval ends, unless a newer row comes first.
        case wait
        /// The row stays in the journal, for history.
        case leave
    }

    /// A row that only the pacing of its stream holds back.
    struct Suppression: Equatable, Sendable {
        var n: Int64
        var reason: DropReason
        /// The row is given up instead of left to history.
        var isDropped: Bool
    }

    private struct Mark {
        /// The newest row sent: older rows are no longer the present.
        var sent: Int64 = 0
        /// The newest row that the broker has, or may have.
        var taken: Int64 = 0

        mutating func raise(to n: Int64) {
            guard taken < n else { return }
            taken = n
            // A former refusal may have set the mark back.
            sent = max(sent, n)
        }
    }

    private struct Marks {
        /// For rows sent without pacing.
        var whole = Mark()
        /// For rows sent with pacing, by quantity.
        var parts: [Stream.Part: Mark] = [:]
    }

    /// Rows read from the journal at a time.
    static let pageSize = 256

    /// By characteristic, like ``paced``.
    private var marks: [Stream.Whole: Marks] = [:]
    private var paced: [Stream.Whole: PacedCharacteristic] = [:]
    /// Rows whose interval has ended, the oldest last.
    private var ready: [(whole: Stream.Whole, n: Int64)] = []
    /// No interval with a row waiting ends before this uptime.
    private var due = Int64.max
    private var suppressed: [Suppression] = []

    /// The last row read; nil: the lane looks for the first young row.
    private var cursor: Int64?
    private var page: ArraySlice<JournalRow> = []
    private var mayHaveMore = false
    /// Rows in flight when reading went back to before them.
    private var underway: Set<Int64> = []
    /// The first row without a time that may still be the present when it gets its time.
    private(set) var heldFrom: Int64?
    /// True once the journal has said which rows a former publisher may have sent. Nothing goes out before.
    private(set) var hasTakenOver = false

    /// States that end by themselves.
    var endings = EndingStates()
    /// Devices that the broker refuses on `…/state`.
    var refused = RefusedDevices()

    // MARK: - Connections

    /// The rows that another publisher may have sent, in this process or an earlier process: for each stream with young
    /// rows, the first row number that may go out.
    ///
    /// Only the newest row of a stream is still the present. Even this row is not the present if a later row is
    /// gone: the broker may have taken a later row of the same stream. Numbers are never used twice, so the journal's
    /// gaps show this, also after a power cut. Nothing has to be written down.
    static func superseded(
        in source: some RowSource, boot: String, youngSince: Int64
    ) throws -> [Stream: Int64] {
        // Read first, so rows that come meanwhile do not count as missing.
        let greatest = source.greatestNumber
        guard let first = try source.firstRow(ofBoot: boot, sinceUptime: youngSince) else { return [:] }
        var newest: [Stream: Int64] = [:]
        var last = first - 1
        /// All rows from here on are present.
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

    /// Begins with the result of ``superseded(in:boot:youngSince:)``.
    mutating func takeOver(_ superseded: [Stream: Int64]) {
        for (stream, n) in superseded { marks[stream.whole] = Marks(whole: Mark(sent: n, taken: n)) }
        hasTakenOver = true
    }

    /// Begins again with the young rows. The first value of each stream goes out in any case.
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

    mutating func expectRows() { mayHaveMore = true }

    /// Whether there may be rows without a verdict.
    var mayHaveRows: Bool { !page.isEmpty || mayHaveMore }

    /// The next row to judge; nil if there is no row now.
    ///
    /// - Parameter youngSince: Readings of `boot` from this uptime on are the present.
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
                // The lane is a page or more behind. Rows that became old meanwhile belong to history.
                cursor = nil
                page = []
            }
        }
    }

    /// Reads again after row `n`; rows in `underway` are passed over.
    mutating func goBack(to n: Int64, underway: Set<Int64>) {
        guard let cursor, n < cursor || !page.isEmpty else { return }
        self.cursor = min(n, cursor, page.first.map { $0.n - 1 } ?? .max)
        page = []
        self.underway = underway
        mayHaveMore = true
    }

    /// The row has no time so far.
    mutating func hold(_ row: JournalRow) { heldFrom = min(heldFrom ?? .max, row.n) }

    /// Times have become known: judges the held rows again.
    mutating func releaseHeld(underway: Set<Int64>) {
        guard let n = heldFrom else { return }
        heldFrom = nil
        goBack(to: n - 1, underway: underway)
    }

    // MARK: - Judging

    /// Decides on a young row with a time. Called for rows in their order.
    ///
    /// - Parameters:
    ///   - stream: The subject of the row, for pacing.
    ///   - uptime: Now, in milliseconds.
    ///   - fields: The row's decoded value, for pacing.
    ///   - isEvent: The row reports an event, which goes out despite interval and dead band.
    mutating func judge(
        _ row: JournalRow, of stream: Stream, _ pacing: LivePacing? = nil, at uptime: Int64, fields: [Field]? = nil,
        isEvent: Bool = false
    ) -> Verdict {
        guard isPresent(row.n, stream) else { return .leave }
        guard let pacing, pacing.isActive else {
            if !paced.isEmpty { paced[stream.whole] = nil }
            recordSent(row.n, stream)
            return .send
        }
        var state = paced[stream.whole] ?? PacedCharacteristic()
        defer {
            paced[stream.whole] = state
            scheduleDue(state)
        }
        if isEvent {
            // The other values of the packet go out as well, and no older value may follow.
            for row in state.remove(olderThan: row.n, where: stream.overlaps) { suppress(row, .coalesced, pacing) }
            recordSent(row.n, stream)
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
        state.pace(by: pacing)
        if isHeldUp || uptime < state.end(of: stream) {
            if let given = state.wait(.init(row: row, stream: stream, fields: fields)) {
                suppress(given, .coalesced, pacing)
            }
            return .wait
        }
        state.recordSent(stream, fields, at: uptime)
        recordSent(row.n, stream)
        return .send
    }

    /// No newer row of the same stream was sent.
    private func isPresent(_ n: Int64, _ stream: Stream) -> Bool {
        guard let known = marks[stream.whole] else { return true }
        guard n >= known.whole.sent else { return false }
        if stream.parts.isEmpty { return known.parts.values.allSatisfy { n >= $0.sent } }
        return stream.parts.allSatisfy { n >= known.parts[$0]?.sent ?? 0 }
    }

    private mutating func recordSent(_ n: Int64, _ stream: Stream) {
        change(stream) { $0.sent = n }
    }

    private mutating func change(_ stream: Stream, _ body: (inout Mark) -> Void) {
        if stream.parts.isEmpty { return body(&marks[stream.whole, default: Marks()].whole) }
        for part in stream.parts { body(&marks[stream.whole, default: Marks()].parts[part, default: Mark()]) }
    }

    private mutating func scheduleDue(_ state: PacedCharacteristic) {
        guard !state.waiting.isEmpty else { return }
        for candidate in state.candidates { due = min(due, candidate.end) }
    }

    private mutating func suppress(_ row: JournalRow, _ reason: DropReason, _ pacing: LivePacing) {
        suppressed.append(Suppression(n: row.n, reason: reason, isDropped: pacing.suppressed == .drop))
    }

    /// The rows suppressed since the last call.
    mutating func takeSuppressed() -> [Suppression] {
        guard !suppressed.isEmpty else { return [] }
        defer { suppressed.removeAll(keepingCapacity: true) }
        return suppressed
    }

    // MARK: - The ends of intervals

    /// Uptime of the next end of an interval with a waiting row; nil if no row waits.
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
            scheduleDue(state)
            recordSent(n, due.stream)
            return due
        }
        return nil
    }

    /// Ends all intervals: the newest values go out now.
    mutating func endIntervals() {
        for whole in paced.keys { paced[whole]?.endIntervals() }
        due = paced.values.contains { !$0.waiting.isEmpty } ? .min : .max
    }

    /// Rows that wait for the end of their interval, and are not for history so far.
    var waitingRows: [Int64] { paced.values.flatMap { $0.waiting.map(\.row.n) } }

    // MARK: - Answers

    /// The broker has the row, or may have it.
    mutating func taken(_ n: Int64, of stream: Stream) {
        guard marks[stream.whole] != nil else { return }
        change(stream) { $0.raise(to: n) }
    }

    /// The broker does not have the row: older rows may go out again, if they are newer than the broker's row.
    mutating func notTaken(of stream: Stream) {
        if marks[stream.whole] != nil { change(stream) { $0.sent = $0.taken } }
        paced[stream.whole] = nil
    }
}
