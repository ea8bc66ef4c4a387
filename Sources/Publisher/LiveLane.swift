// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The lane of the present: decides which readings go to `…/state`, each by itself and as soon as it is there.
///
/// It reads forward over the rows that are young. What it leaves alone – too old, without a time, overtaken by a newer
/// value, within the dead band – stays in the journal for the history lane. A consumer never gets an older value of a
/// characteristic after a newer one: the lane remembers over connections which row it sent last.
struct LiveLane {
    /// One characteristic of one sensor.
    struct Stream: Hashable, Sendable {
        var device: Int64
        var characteristic: Int64
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

    private struct Marks {
        /// The newest row sent: older ones are no longer the present.
        var sent: Int64
        /// The newest that the broker has, or may have.
        var taken: Int64 = 0
    }

    private struct Paced {
        var sentAt: Int64?
        /// What the dead band compares with; nil sends whatever comes next.
        var sentFields: [Field]?
        var waiting: JournalRow?
        var waitingFields: [Field]?
        /// Milliseconds.
        var interval: Int64 = 0
        /// Uptime at which the interval ends.
        var end = Int64.min
    }

    /// Rows read from the journal at a time.
    static let pageSize = 256

    private var marks: [Stream: Marks] = [:]
    private var paced: [Stream: Paced] = [:]
    /// Streams whose interval has ended with a row waiting, the oldest row last.
    private var ready: [Stream] = []
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
                newest[Stream(device: row.device, characteristic: row.characteristic)] = row.n
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
        for (stream, n) in superseded { marks[stream] = Marks(sent: n, taken: n) }
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
    ///   - uptime: Now, in milliseconds.
    ///   - fields: The row's decoded value; only a dead band needs it.
    mutating func judge(
        _ row: JournalRow, _ pacing: LivePacing? = nil, at uptime: Int64, fields: [Field]? = nil
    ) -> Verdict {
        let stream = Stream(device: row.device, characteristic: row.characteristic)
        guard row.n >= marks[stream]?.sent ?? 0 else { return .leave }
        guard let pacing, pacing.isActive else {
            if !paced.isEmpty { paced[stream] = nil }
            send(row, stream)
            return .send
        }
        var state = paced[stream] ?? Paced()
        defer { paced[stream] = state }
        if let waiting = state.waiting {
            if row.n == waiting.n { return .wait }
            if row.n < waiting.n { return .leave }
            suppress(waiting, .coalesced, pacing)
            state.waiting = nil
            state.waitingFields = nil
        }
        if let band = pacing.band, let fields, let sent = state.sentFields, let sentAt = state.sentAt,
            uptime - sentAt < pacing.maximumInterval.wholeMilliseconds, band.covers(fields, sent: sent)
        {
            suppress(row, .deadBand, pacing)
            return .leave
        }
        state.interval = pacing.minimumInterval.wholeMilliseconds
        if uptime < state.end {
            state.waiting = row
            state.waitingFields = fields
            due = min(due, state.end)
            return .wait
        }
        state.sentAt = uptime
        state.end = uptime.addingSaturated(state.interval)
        state.sentFields = fields
        send(row, stream)
        return .send
    }

    private mutating func send(_ row: JournalRow, _ stream: Stream) {
        marks[stream, default: Marks(sent: row.n)].sent = row.n
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

    /// A row whose interval has ended, to be sent now; the oldest first.
    mutating func nextDue(at uptime: Int64) -> JournalRow? {
        if ready.isEmpty {
            guard uptime >= due else { return nil }
            due = .max
            for (stream, state) in paced where state.waiting != nil {
                if state.end <= uptime { ready.append(stream) } else { due = min(due, state.end) }
            }
            ready.sort { (paced[$0]?.waiting?.n ?? 0) > (paced[$1]?.waiting?.n ?? 0) }
        }
        while let stream = ready.popLast() {
            guard var state = paced[stream], let row = state.waiting, state.end <= uptime else { continue }
            state.waiting = nil
            state.sentAt = uptime
            state.sentFields = state.waitingFields
            state.waitingFields = nil
            state.end = uptime.addingSaturated(state.interval)
            paced[stream] = state
            send(row, stream)
            return row
        }
        return nil
    }

    /// Ends all intervals: the newest values go out now.
    mutating func endIntervals() {
        for stream in paced.keys { paced[stream]?.end = .min }
        due = paced.values.contains { $0.waiting != nil } ? .min : .max
    }

    /// Rows that wait for the end of their interval, and are not for history yet.
    var waitingRows: [Int64] { paced.values.compactMap { $0.waiting?.n } }

    // MARK: - Answers

    /// The broker has the row, or may have it.
    mutating func taken(_ n: Int64, of stream: Stream) {
        guard var known = marks[stream], known.taken < n else { return }
        known.taken = n
        // What was refused before it may have set the mark back.
        known.sent = max(known.sent, n)
        marks[stream] = known
    }

    /// The broker does not have the row: older ones than it may go out again, if they are newer than what it has.
    mutating func notTaken(of stream: Stream) {
        if let taken = marks[stream]?.taken { marks[stream]?.sent = taken }
        paced[stream] = nil
    }
}
